package io.mongolock.event;

import java.time.Duration;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.ReleaseRequest;
import io.mongolock.core.ClockReading;
import io.mongolock.core.Lease;
import io.mongolock.core.LockExceptions;
import io.mongolock.store.KeyText;

/**
 * A lock as listeners see it. It has everything except the power to renew or release the
 * lock. Handles of the same hold are equal.
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
	public Optional<ReleaseRequest> releaseRequested() {
		return Optional.ofNullable(this.lease.releaseRequest());
	}

	@Override
	public void renew() {
		throw refused("renew");
	}

	@Override
	public void close() {
		throw refused("release");
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof ReadOnlyLockHandle handle && handle.lease == this.lease;
	}

	@Override
	public int hashCode() {
		return System.identityHashCode(this.lease);
	}

	@Override
	public String toString() {
		return "lock '" + KeyText.printable(key()) + "' (fence " + fence() + ")";
	}

	private UnsupportedOperationException refused(String what) {
		return new UnsupportedOperationException(
				"A listener may observe lock '" + KeyText.printable(key()) + "', but not " + what + " it");
	}

}
