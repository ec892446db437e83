package io.mongolock;

/**
 * {@link LockClock} of the machine.
 */
enum SystemLockClock implements LockClock {

	INSTANCE;

	@Override
	public long nanoTime() {
		return System.nanoTime();
	}

	@Override
	public long currentTimeMillis() {
		return System.currentTimeMillis();
	}

}
