package io.mongolock.faults.simulation;

import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/**
 * Many histories, on all processors.
 *
 * @param seed from which their seeds follow
 * @param histories how many were run
 * @param nanos how long that took
 * @param coverage what they reached
 * @param failure the seed of the first history that broke a promise
 */
record SimulationRun(long seed, long histories, long nanos, Coverage coverage, Optional<Long> failure) {

	/** Makes neighbouring numbers into seeds that have nothing in common. */
	private static final long SPREAD = 0x9E3779B97F4A7C15L;

	static SimulationRun of(long seed, long histories) {
		long begun = System.nanoTime();
		AtomicLong first = new AtomicLong(histories);
		Coverage coverage = LongStream.range(0, histories).parallel().collect(Coverage::new, (reached, number) -> {
			if (number < first.get() && !isKept(seed + number * SPREAD, reached)) {
				first.accumulateAndGet(number, Math::min);
			}
		}, Coverage::add);
		return new SimulationRun(seed, histories, System.nanoTime() - begun, coverage,
				(first.get() < histories) ? Optional.of(seed + first.get() * SPREAD) : Optional.empty());
	}

	String toTable() {
		return String.format(Locale.ROOT, "Simulation: seed %d, %d histories in %.1f s, %.0f a second%n", this.seed,
				this.histories, this.nanos / 1e9, this.histories * 1e9 / this.nanos) + this.coverage.toTable();
	}

	private static boolean isKept(long seed, Coverage reached) {
		try {
			Simulation.run(seed, reached, new Trace(false));
			return true;
		}
		catch (Violation ex) {
			return false;
		}
	}

}
