package io.mongolock.benchmarks.compare;

/**
 * No lock at all.
 */
final class NoLock implements Competitor {

	@Override
	public Held lock(String key) {
		return () -> {
		};
	}

	@Override
	public long requests() {
		return -1;
	}

	@Override
	public void close() {
		// Nothing was opened
	}

}
