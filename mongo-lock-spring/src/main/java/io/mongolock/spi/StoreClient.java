package io.mongolock.spi;

import java.util.function.BiConsumer;
import java.util.function.ToIntFunction;

import io.mongolock.LockHolder;
import io.mongolock.LockOperations;
import io.mongolock.store.LockStore;

/**
 * The client of one store, as {@link LockEnvironment#open} makes it. Thread-safe.
 *
 * @param store where its locks are
 * @param locks claims, renews and releases them. Each handle is a
 * {@link io.mongolock.store.LeaseControl}, too, for a module that receives what the store
 * sent along with a grant, or that ends a lease by a statement of its own
 * @param waiting how many claims of the lock with a key wait in this JVM
 * @param broken to be called by a module that has taken a lock from its holder in the
 * store on purpose, with its key: the client publishes that, and lets the next who waits
 * ask
 */
public record StoreClient(LockStore store, LockOperations locks, ToIntFunction<String> waiting,
		BiConsumer<String, LockHolder> broken) {

}
