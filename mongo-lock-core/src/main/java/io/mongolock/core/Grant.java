package io.mongolock.core;

import org.jspecify.annotations.Nullable;

import io.mongolock.store.StoredHolder;

/**
 * One grant of the store. This JVM holds it for its waiters, one after the other.
 *
 * @param entry the entry in the store, which names the first holder
 * @param reserve how many fences above the grant's own are set aside
 * @param begun when the granted request left
 * @param unknown whether an earlier request of the token may still be executed
 * @param inQueue whether a request of the token may have entered the queue
 * @param contended whether other JVMs stood in the queue at the grant
 * @param recall says whether others want the lock; {@code null} if its lease is never
 * idle
 */
record Grant(StoredHolder entry, int reserve, ClockReading begun, boolean unknown, boolean inQueue, boolean contended,
		@Nullable Recall recall) {

	long lastFence() {
		return this.entry.fence() + this.reserve;
	}

}
