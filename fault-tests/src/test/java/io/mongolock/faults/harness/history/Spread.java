package io.mongolock.faults.harness.history;

import java.util.stream.LongStream;

/**
 * How durations are spread. All zero if there are none.
 *
 * @param count how many
 * @param min the shortest, in nanoseconds
 * @param p50 the one that half of them do not exceed
 * @param p99 the one that 99 of 100 do not exceed
 * @param max the longest
 */
public record Spread(int count, long min, long p50, long p99, long max) {

	/**
	 * Measure.
	 * @param nanos the durations
	 * @return how they are spread
	 */
	public static Spread of(LongStream nanos) {
		long[] sorted = nanos.sorted().toArray();
		if (sorted.length == 0) {
			return new Spread(0, 0, 0, 0, 0);
		}
		return new Spread(sorted.length, sorted[0], percentile(sorted, 50), percentile(sorted, 99),
				sorted[sorted.length - 1]);
	}

	private static long percentile(long[] sorted, int percent) {
		int rank = (int) Math.ceil(sorted.length * (percent / 100.0));
		return sorted[Math.max(rank, 1) - 1];
	}

}
