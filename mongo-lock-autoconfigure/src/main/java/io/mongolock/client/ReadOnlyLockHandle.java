package io.mongolock.client;

import java.time.Duration;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.core.ClockReading;
import io.mongolock.core.HeldLock;
import io.mongolock.store.KeyText;

/**
 * What listeners see of a lock: everything but the power to renew it or give it back.
 */
final class ReadOnlyLockHandle implements LockHandle {

	private final HeldLock heldLock;

	private final LockClock clock;

	ReadOnlyLockHandle(HeldLock heldLock, LockClock clock) {
		this.heldLock = heldLock;
		this.clock = clock;
	}

	@Override
	public String key() {
		return this.heldLock.key();
	}

	@Override
	public long fence() {
		return this.heldLock.fence();
	}

	@Override
	public boolean isHeld() {
		return this.heldLock.lease().isHeld(ClockReading.of(this.clock));
	}

	@Override
	public void assertHeld() {
		if (!isHeld()) {
			throw LockExceptions.lost(this.heldLock);
		}
	}

	@Override
	public Duration remaining() {
		return this.heldLock.lease().remaining(ClockReading.of(this.clock));
	}

	@Override
	public void renew() {
		throw new UnsupportedOperationException("A listener only observes lock '" + KeyText.printable(key()) + "'");
	}

	@Override
	public void close() {
		throw new UnsupportedOperationException("A listener only observes lock '" + KeyText.printable(key()) + "'");
	}

	@Override
	public String toString() {
		return "lock '" + KeyText.printable(key()) + "' (fence " + fence() + ")";
	}

}
