package io.mongolock;

import java.time.Duration;

/**
 * Is told what happens to the locks of this client. Called one event at a time on a
 * thread of its own, never on one that renews; what it throws is logged and dropped.
 */
public interface LockListener {

	/**
	 * A lock was acquired.
	 * @param handle the lock
	 */
	default void onAcquired(LockHandle handle) {
	}

	/**
	 * A lock that was still held was released.
	 * @param handle the lock
	 */
	default void onReleased(LockHandle handle) {
	}

	/**
	 * A lock is no longer surely held; told before anyone else can be granted it.
	 * @param handle the lock
	 * @param reason how it was lost
	 */
	default void onLost(LockHandle handle, LossReason reason) {
	}

	/**
	 * A lock that had been reported as lost turned out not to have been granted to anyone
	 * else until it was released.
	 * @param handle the lock
	 */
	default void onExpiredUncontested(LockHandle handle) {
	}

	/**
	 * A lock was granted whose earlier holder had neither renewed nor released it.
	 * @param handle the lock, now held here
	 * @param previous who let it lapse
	 */
	default void onTakenOver(LockHandle handle, LockHolder previous) {
	}

	/**
	 * The clock of the store stepped by more than a second, or the margin if that is
	 * less; or a member with another clock leads now; or this machine stood still and
	 * neither of its clocks shows it. Noticed at a claim. If it stepped ahead, locks with
	 * a shorter margin may have been granted too early, and have two holders until the
	 * next renewal of the first.
	 * @param step by how much, negative if it stepped back
	 */
	default void onStoreClockStepped(Duration step) {
	}

	/**
	 * The clock of one of the store's servers differs from that of the others by more
	 * than a second, or the shortest margin if that is less: told once, and again when
	 * that changes. Nothing has happened yet, unless leases are judged by that server
	 * already; the store's clock steps by that when it is elected. Heard in the
	 * heartbeats of the MongoDB driver, if Spring Boot configured the client.
	 * @param server the address of the server
	 * @param offset how far its clock is ahead, negative if behind
	 */
	default void onServerClockOff(String server, Duration offset) {
	}

}
