/**
 * Locks in a MongoDB collection.
 * <ul>
 * <li>{@link MongoLockStore} keeps each in a document of its own, and decides whether
 * there are enough connections for change streams. Stores of modules keep them elsewhere:
 * {@link LockedCollection} claims them in a field of documents, after an open transaction
 * or in spite of it, {@link LockedCollectionQueues} are the queues beside these, and
 * {@link MajorityCommands} sends anything else.</li>
 * <li>A claim: {@link ClaimCommand} decides which statements are sent, and when the first
 * answer is not enough. {@link FastClaim} is the cheap one, and says which claims it
 * suits. {@link ClaimPipeline} is the rule by which the server grants, denies, lets into
 * the queue and recalls. {@link ClaimStatements} are their common parts, the fence of a
 * grant among them.</li>
 * <li>Other statements: {@link ReleaseCommand} ends a hold, and says whether anybody
 * waits for it; {@link ConfirmCommand} has that confirmed, so that waiters hear of it at
 * once. {@link TokenCommands} renews, and does whatever else goes by a token, each with
 * its write concern. {@link LockQueries} looks and searches, and decides what is read
 * here if the server cannot compute. {@link LockStatements} are the texts of all these,
 * and say which changes count as releases; {@link Statements} are the smallest
 * parts.</li>
 * <li>The way to the server and back: {@link PrimaryCollection} sets concerns and
 * timeouts, and finds out whether there is a mongos. {@link StoreFailures} decides by the
 * failure of a request what it has done, whether it may be sent again, and what callers
 * are advised. {@link RepeatedCommand} then sends it again, so many times within one
 * timeout. {@link StoreRequest} names a request in messages, with the privileges that it
 * needs. {@link DriverMessage} shortens what the driver says of a failure, and hides
 * tokens in it. {@link LockDocument} reads the answer, and decides what is no lock of
 * ours; {@link UnreadableLocks} leaves such ones out of lists.</li>
 * <li>Beside transactions of the application: {@link CurrentTransaction} finds a
 * thread's, and whether that reads from an old snapshot. {@link TimedStatements} limit
 * the time of statements on documents, {@link TemplateFailures} says whether a failed one
 * was a conflict or may have been written.</li>
 * <li>Releases and recalls: {@link FollowedStream} decides when a stream that broke is
 * opened anew, {@link ChangeStreams} whether a cluster may have one, and when a server
 * that refused is asked again. {@link ReleaseStream} and {@link RecallStream} pass on the
 * events, unless {@link Notifications} are off.</li>
 * <li>The servers: {@link ServerClockWatch} notices elections, and reads a
 * {@link Heartbeat}. {@link ServerClockComparison} decides whose clock is off, and
 * {@link ServerClockFinding} says what that leads to.</li>
 * <li>At startup: {@link LockLocation} asks the server for its version, rights and
 * collation. {@link Privileges} says which rights are missing, {@link StatementCheck}
 * tries the statements. {@link TtlIndexInitializer} decides whether the TTL index is
 * right, {@link TtlIndexWatch} when to look at it again.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.store.mongo;

import org.jspecify.annotations.NullMarked;
