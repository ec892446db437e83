package io.mongolock.client;

import java.time.Duration;

import io.mongolock.LockHandle;

/**
 * What listeners see of a lock: everything but the power to renew it or give it back.
 */
final class ObservedLock implements LockHandle {

	private final Holding holding;

	private final Holdings holdings;

	ObservedLock(Holding holding, Holdings holdings) {
		this.holding = holding;
		this.holdings = holdings;
	}

	@Override
	public String key() {
		return this.holding.id().key();
	}

	@Override
	public long fence() {
		return this.holding.lease().fence();
	}

	@Override
	public boolean isHeld() {
		return this.holding.lease().isHeld(this.holdings.now());
	}

	@Override
	public void assertHeld() {
		if (!isHeld()) {
			throw Messages.lost(this.holding);
		}
	}

	@Override
	public Duration remaining() {
		return this.holding.lease().remaining(this.holdings.now());
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
