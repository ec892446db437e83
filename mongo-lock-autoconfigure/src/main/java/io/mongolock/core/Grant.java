package io.mongolock.core;

import io.mongolock.store.StoredHolder;

/**
 * One grant of the store, which this JVM holds for its waiters, one after the other.
 *
 * @param entry what stands in the store: the first holder
 * @param reserve how many fences above that of the grant are set aside
 * @param begun when the request left that was granted
 * @param unknown whether an earlier request of the token may still be executed
 * @param contended whether other JVMs stood in the queue when it began
 */
record Grant(StoredHolder entry, int reserve, ClockReading begun, boolean unknown, boolean contended) {

	long lastFence() {
		return this.entry.fence() + this.reserve;
	}

}
