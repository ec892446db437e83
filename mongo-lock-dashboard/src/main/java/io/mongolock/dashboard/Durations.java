package io.mongolock.dashboard;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.LongStream;

/**
 * Counts durations by their length. Thread-safe without locks, because the threads that
 * claim and release write it.
 */
final class Durations {

	/** Upper bounds in milliseconds; longer durations have their own count. */
	static final List<Long> BOUNDS = List.of(1L, 3L, 10L, 30L, 100L, 300L, 1_000L, 3_000L, 10_000L, 30_000L, 60_000L,
			300_000L);

	private final AtomicLongArray counts = new AtomicLongArray(BOUNDS.size() + 1);

	void record(Duration duration) {
		int index = 0;
		while (index < BOUNDS.size() && duration.toNanos() > BOUNDS.get(index) * 1_000_000) {
			index++;
		}
		this.counts.incrementAndGet(index);
	}

	List<Long> counts() {
		return LongStream.range(0, this.counts.length()).map((index) -> this.counts.get((int) index)).boxed().toList();
	}

}
