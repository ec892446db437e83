package io.mongolock;

/**
 * The two clocks by which every deadline is checked. {@link #nanoTime()} measures time.
 * {@link #currentTimeMillis()} only shows whether a suspended machine slept for longer
 * than the first clock saw. Thread-safe.
 */
public interface LockClock {

	/**
	 * The monotonic clock.
	 * @return nanoseconds since an arbitrary origin, as {@link System#nanoTime()}
	 */
	long nanoTime();

	/**
	 * The wall clock.
	 * @return milliseconds since the epoch, as {@link System#currentTimeMillis()}
	 */
	long currentTimeMillis();

	/**
	 * The clocks of this machine.
	 * @return a clock pair that reads {@link System}
	 */
	static LockClock system() {
		return new LockClock() {

			@Override
			public long nanoTime() {
				return System.nanoTime();
			}

			@Override
			public long currentTimeMillis() {
				return System.currentTimeMillis();
			}

		};
	}

}
