package io.mongolock.spi;

import java.util.function.BiConsumer;
import java.util.function.ToIntFunction;

import io.mongolock.LockHolder;
import io.mongolock.LockOperations;
import io.mongolock.store.LockStore;

/**
 * The client of one store. Thread-safe.
 *
 * @param store where its locks are
 * @param locks claims, renews and releases them
 * @param waiting how many claims of the lock with a key wait in this JVM
 * @param broken is notified of a lock, by its key, that was taken from its holder in the
 * store on purpose: the client publishes that, and lets the next who waits ask
 */
public record StoreClient(LockStore store, LockOperations locks, ToIntFunction<String> waiting,
		BiConsumer<String, LockHolder> broken) {

}
