/**
 * Locks in a MongoDB collection.
 * <ul>
 * <li>{@link MongoLockStore} keeps each lock in a document of its own, and decides
 * whether there are enough connections for change streams. Stores of other modules keep
 * locks elsewhere. {@link LockedCollection} claims locks in a field of documents, either
 * after an open transaction or without waiting for it. {@link LockedCollectionQueues} has
 * the queues of these locks. {@link MajorityCommands} sends all other commands of such
 * stores.</li>
 * <li>Claims: {@link ClaimCommand} decides which statements are sent, and when the first
 * answer is not enough. {@link FastClaim} is the cheap statement, and says which claims
 * it suits. {@link ClaimPipeline} is the rule by which the server grants, denies, enters
 * waiters into the queue and recalls holders. {@link ClaimStatements} has the parts that
 * both share, such as the fence of a grant.</li>
 * <li>Other statements: {@link ReleaseCommand} ends a hold, and says whether anyone waits
 * for the lock. {@link ConfirmCommand} has the release confirmed, so that waiters hear of
 * it at once. {@link TokenCommands} sends renewals and all other requests that name a
 * token, each with its write concern. {@link LockQueries} looks and searches, and reads
 * documents here if the server cannot compute. {@link LockStatements} has the statements
 * of all these classes, and says which changes count as releases. {@link Statements} has
 * the smallest parts.</li>
 * <li>The way to the server and back: {@link PrimaryCollection} sets concerns and
 * timeouts, and finds out whether there is a mongos. {@link StoreFailures} decides by the
 * failure of a request what the request has done and whether it may be sent again, and
 * advises callers. {@link RepeatedCommand} then sends the request again, a few times
 * within one timeout. {@link StoreRequest} names a request in messages, with the
 * privileges that it needs. {@link DriverMessage} shortens the driver's message on a
 * failure, and hides tokens in it. {@link LockDocument} reads the answer, and refuses
 * documents that do not have our format. {@link UnreadableLocks} leaves such documents
 * out of lists.</li>
 * <li>Transactions of the application: {@link CurrentTransaction} finds the transaction
 * of a thread, and tells whether it reads from an old snapshot. {@link TimedStatements}
 * limits the time of statements on documents. {@link TemplateFailures} says whether a
 * failed statement was a conflict or may have been written.</li>
 * <li>Releases and recalls: {@link FollowedStream} decides when a broken stream is opened
 * anew. {@link ChangeStreams} decides whether a cluster may have a stream, and when to
 * ask again after a refusal. {@link Notifications} may be off.</li>
 * <li>The servers: {@link ServerClockWatch} notices elections, and reads a
 * {@link Heartbeat}. {@link ServerClockComparison} decides whose clock is off, and
 * {@link ServerClockFinding} describes the result and its consequences.</li>
 * <li>At startup: {@link LockLocation} asks the server for its version, rights and
 * collation. {@link Privileges} says which rights are missing, {@link StatementCheck}
 * tries the statements. {@link TtlIndexInitializer} decides whether the TTL index is
 * right. {@link TtlIndexWatch} decides when to look at it again.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.store.mongo;

import org.jspecify.annotations.NullMarked;
