package io.mongolock.spi;

import java.util.function.BiConsumer;
import java.util.function.ToIntFunction;

import io.mongolock.LockHolder;
import io.mongolock.LockOperations;
import io.mongolock.store.LockStore;

/**
 * The client of one store, made by {@link LockEnvironment#open}. Thread-safe.
 *
 * @param store the store of the client's locks
 * @param locks claims, renews and releases the locks. Each handle is also a
 * {@link io.mongolock.store.LeaseControl}. A module uses this to get the content that the
 * store sent with a grant, or to end a lease by a statement of its own
 * @param waiting gives the number of attempts in this JVM that wait for a key
 * @param broken A module calls this with the key if it has deliberately taken a lock from
 * its holder in the store. The client publishes this, and lets the next waiter ask
 */
public record StoreClient(LockStore store, LockOperations locks, ToIntFunction<String> waiting,
		BiConsumer<String, LockHolder> broken) {

}
