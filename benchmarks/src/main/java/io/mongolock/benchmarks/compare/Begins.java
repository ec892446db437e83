package io.mongolock.benchmarks.compare;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * When the work of jobs has begun. Thread-safe.
 */
final class Begins {

	private final Map<Tick, Duration> late = new ConcurrentHashMap<>();

	private final LongAdder twice = new LongAdder();

	private final LongAdder notRun = new LongAdder();

	/** Work begins now. */
	void begun(String job, Instant tick) {
		Duration after = Duration.between(tick, Instant.now());
		if (this.late.putIfAbsent(new Tick(job, tick), after) != null) {
			this.twice.increment();
		}
	}

	/** Ticks in a row are not run. */
	void notRun() {
		this.notRun.increment();
	}

	/** How often ticks in a row were not run. */
	long ticksNotRun() {
		return this.notRun.sum();
	}

	/** How often a tick had more than one begin. */
	long twice() {
		return this.twice.sum();
	}

	/**
	 * How long after its tick each work began, in milliseconds.
	 * @param from the first tick
	 * @param until what the ticks are before
	 * @return the shortest first
	 */
	List<Double> millisLate(Instant from, Instant until) {
		return this.late.entrySet()
			.stream()
			.filter((begin) -> !begin.getKey().time().isBefore(from) && begin.getKey().time().isBefore(until))
			.map((begin) -> begin.getValue().toNanos() / 1e6)
			.sorted()
			.toList();
	}

	/**
	 * The value that a share of others does not exceed.
	 * @param sorted the smallest first
	 */
	static double percentile(List<Double> sorted, double share) {
		return (sorted.isEmpty()) ? Double.NaN : sorted.get((int) Math.ceil(share * sorted.size()) - 1);
	}

	/**
	 * A tick of a job.
	 *
	 * @param job its name
	 * @param time when it is due
	 */
	private record Tick(String job, Instant time) {

	}

}
