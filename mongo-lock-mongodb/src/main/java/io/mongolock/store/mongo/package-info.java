/**
 * Locks in a MongoDB collection.
 * <ul>
 * <li>{@link MongoLockStore} keeps each in a document of its own. Stores of modules keep
 * them elsewhere: {@link LockedCollection} is a collection whose documents have them in a
 * field, {@link LockedCollectionQueues} are the queues beside them, and
 * {@link MajorityCommands} sends anything else.</li>
 * <li>The statements: {@link ClaimCommand} is a claim, which is a {@link FastClaim} where
 * that may be enough and a {@link ClaimPipeline} otherwise; {@link ReleaseCommand} and
 * {@link ConfirmCommand} end a hold and have that confirmed, {@link TokenCommands} is
 * what else goes by a token, {@link LockQueries} all that changes nothing,
 * {@link LockStatements} their text, with {@link ClaimStatements} for what grants and
 * {@link Statements} for the smallest parts.</li>
 * <li>The way to the server and back: {@link PrimaryCollection} is the collection with
 * its concerns and timeouts, {@link RepeatedCommand} asks again where that helps,
 * {@link StoreRequest} names a request in messages, {@link StoreFailures} says what a
 * failed one has done, in the exception that callers get, and {@link LockDocument} reads
 * the answer. {@link DriverMessage} is what a failure says without its ballast,
 * {@link UnreadableLocks} leaves out what cannot be read, and {@link CurrentTransaction}
 * is the transaction of a thread. Modules that write documents of the application send
 * {@link TimedStatements}, and {@link TemplateFailures} says what a failed one has
 * done.</li>
 * <li>Beside the requests: {@link ReleaseStream} hears of releases and
 * {@link RecallStream} of recalls, each a {@link FollowedStream} of the
 * {@link ChangeStreams}, unless the {@link Notifications} are off;
 * {@link ServerClockWatch} hears of elections and clocks by each {@link Heartbeat}, which
 * {@link ServerClockComparison} compares to a {@link ServerClockFinding};
 * {@link TtlIndexWatch} has {@link TtlIndexInitializer} look at the index, and
 * {@link LockLocation} asks the server for its version and {@link Privileges}, and sends
 * it a {@link StatementCheck}.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.store.mongo;

import org.jspecify.annotations.NullMarked;
