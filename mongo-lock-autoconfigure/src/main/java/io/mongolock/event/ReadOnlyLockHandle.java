package io.mongolock.event;

import java.time.Duration;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.core.ClockReading;
import io.mongolock.core.Lease;
import io.mongolock.core.LockExceptions;
import io.mongolock.store.KeyText;

/**
 * What listeners see of a lock: everything but the power to renew it or release it.
 */
final class ReadOnlyLockHandle implements LockHandle {

	private final Lease lease;

	private final LockClock clock;

	ReadOnlyLockHandle(Lease lease, LockClock clock) {
		this.lease = lease;
		this.clock = clock;
	}

	@Override
	public String key() {
		return this.lease.id().key();
	}

	@Override
	public long fence() {
		return this.lease.fence();
	}

	@Override
	public boolean isHeld() {
		return this.lease.isHeld(ClockReading.of(this.clock));
	}

	@Override
	public void assertHeld() {
		if (!isHeld()) {
			throw LockExceptions.lost(this.lease);
		}
	}

	@Override
	public Duration remaining() {
		return this.lease.remaining(ClockReading.of(this.clock));
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
