package io.mongolock.core;

import java.time.Duration;

import io.mongolock.store.StoredHolder;

/**
 * One grant of the store, which this JVM holds for one turn, whoever of its waiters holds
 * it one after the other.
 *
 * @param entry what stands in the store: the first holder
 * @param ttl how long the lease lasts there, at least as long as that of the entry
 * @param reserve how many fences above that of the grant are set aside
 * @param begun when the request left that was granted
 * @param unknown whether an earlier request of the token may still be executed
 * @param contended whether other JVMs stood in the queue when it began
 */
record Grant(StoredHolder entry, Duration ttl, int reserve, ClockReading begun, boolean unknown, boolean contended) {

	/**
	 * A turn that begins: the lease lasts as long as was granted.
	 */
	Grant(StoredHolder entry, int reserve, ClockReading begun, boolean unknown, boolean contended) {
		this(entry, entry.ttl(), reserve, begun, unknown, contended);
	}

	/**
	 * The lease was made to last longer.
	 */
	Grant lasting(Duration longer) {
		return new Grant(this.entry, longer, this.reserve, this.begun, this.unknown, this.contended);
	}

	/**
	 * Whether the lease lasts longer than was granted.
	 */
	boolean isLengthened() {
		return !this.ttl.equals(this.entry.ttl());
	}

	long lastFence() {
		return this.entry.fence() + this.reserve;
	}

}
