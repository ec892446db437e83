package io.mongolock.benchmarks.compare;

/**
 * A lock that is measured. Thread-safe.
 */
interface Competitor extends AutoCloseable {

	/**
	 * Wait for the lock of a key, however long that takes.
	 */
	Held lock(String key);

	/**
	 * How many requests it has sent to its store.
	 * @return the number, or -1 if that is not known
	 */
	long requests();

	@Override
	void close();

	/**
	 * A lock that is held.
	 */
	@FunctionalInterface
	interface Held {

		void unlock();

	}

}
