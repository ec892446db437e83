package io.mongolock.client;

import io.mongolock.LockClock;

/**
 * A clock that stands still.
 */
final class StillClock implements LockClock {

	@Override
	public long nanoTime() {
		return 0;
	}

	@Override
	public long currentTimeMillis() {
		return 0;
	}

}
