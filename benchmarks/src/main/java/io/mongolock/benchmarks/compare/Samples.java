package io.mongolock.benchmarks.compare;

import java.util.Arrays;

/**
 * Durations in nanoseconds. Owned by one thread.
 */
final class Samples {

	private long[] values = new long[1024];

	private int size;

	void add(long value) {
		if (this.size == this.values.length) {
			this.values = Arrays.copyOf(this.values, 2 * this.size);
		}
		this.values[this.size++] = value;
	}

	int size() {
		return this.size;
	}

	long[] toArray() {
		return Arrays.copyOf(this.values, this.size);
	}

}
