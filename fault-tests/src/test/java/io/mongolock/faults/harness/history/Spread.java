package io.mongolock.faults.harness.history;

import java.util.Collection;
import java.util.List;
import java.util.Locale;

/**
 * How durations are spread, in nanoseconds; percentiles are durations that occurred. All
 * zero if there are none.
 */
public record Spread(int count, long min, long p50, long p99, long max) {

	static Spread of(Collection<Long> nanos) {
		List<Long> sorted = nanos.stream().sorted().toList();
		int count = sorted.size();
		return (count == 0) ? new Spread(0, 0, 0, 0, 0) : new Spread(count, sorted.get(0), percentile(sorted, 50),
				percentile(sorted, 99), sorted.get(count - 1));
	}

	private static long percentile(List<Long> sorted, int percent) {
		return sorted.get((int) Math.ceil(sorted.size() * (percent / 100.0)) - 1);
	}

	static String millis(long nanos) {
		return String.format(Locale.ROOT, "%.3f ms", nanos / 1_000_000.0);
	}

	@Override
	public String toString() {
		return this.count + " times: min " + millis(this.min) + ", p50 " + millis(this.p50) + ", p99 "
				+ millis(this.p99) + ", max " + millis(this.max);
	}

}
