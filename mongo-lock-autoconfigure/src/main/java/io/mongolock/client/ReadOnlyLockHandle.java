package io.mongolock.client;

import java.time.Duration;

import io.mongolock.LockHandle;

/**
 * What listeners see of a lock: everything but the power to renew it or give it back.
 */
final class ReadOnlyLockHandle implements LockHandle {

	private final HeldLock heldLock;

	private final HeldLocks heldLocks;

	ReadOnlyLockHandle(HeldLock heldLock, HeldLocks heldLocks) {
		this.heldLock = heldLock;
		this.heldLocks = heldLocks;
	}

	@Override
	public String key() {
		return this.heldLock.id().key();
	}

	@Override
	public long fence() {
		return this.heldLock.lease().fence();
	}

	@Override
	public boolean isHeld() {
		return this.heldLock.lease().isHeld(this.heldLocks.now());
	}

	@Override
	public void assertHeld() {
		if (!isHeld()) {
			throw LockExceptions.lost(this.heldLock);
		}
	}

	@Override
	public Duration remaining() {
		return this.heldLock.lease().remaining(this.heldLocks.now());
	}

	@Override
	public void renew() {
		throw new UnsupportedOperationException("A listener only observes lock '" + key() + "'");
	}

	@Override
	public void close() {
		throw new UnsupportedOperationException("A listener only observes lock '" + key() + "'");
	}

	@Override
	public String toString() {
		return "lock '" + key() + "' (fence " + fence() + ")";
	}

}
