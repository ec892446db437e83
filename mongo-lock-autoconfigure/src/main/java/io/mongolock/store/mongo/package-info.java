/**
 * Locks in a MongoDB collection.
 * <ul>
 * <li>{@link MongoLockStore} keeps each in a document of its own,
 * {@link DocumentLockStore} in documents of the application, each collection of which is
 * a {@link LockedCollection}, with {@link DocumentQueues} beside them.</li>
 * <li>What is sent: {@link ClaimCommand} is a claim, which is a {@link FastClaim} where
 * that may be enough and a {@link ClaimPipeline} otherwise; {@link LeaseRequests} is all
 * that goes by a token, {@link LockLooks} what changes nothing, {@link LockStatements}
 * their statements.</li>
 * <li>How it is sent and read: {@link LockCollection} is the collection with its concerns
 * and timeouts, {@link StoreFailures} what is known when it fails, and
 * {@link LockDocument} reads the answer.</li>
 * <li>{@link ReleaseStream} hears of releases, {@link ServerClockWatch} of the clocks of
 * the servers, and {@link TtlIndexInitializer} sees to the index.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.store.mongo;

import org.jspecify.annotations.NullMarked;
