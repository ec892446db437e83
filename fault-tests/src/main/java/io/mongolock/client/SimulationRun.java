package io.mongolock.client;

import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;

/**
 * Many histories, on all processors.
 *
 * @param seed from which their seeds follow
 * @param histories how many were run
 * @param nanos how long that took
 * @param coverage what they reached
 * @param failure the seed of a history that broke a promise
 */
record SimulationRun(long seed, long histories, long nanos, Coverage coverage, Optional<Long> failure) {

	/** Makes neighbouring numbers into seeds that have nothing in common. */
	private static final long SPREAD = 0x9E3779B97F4A7C15L;

	static SimulationRun of(long seed, long histories) {
		long begun = System.nanoTime();
		AtomicReference<Long> failure = new AtomicReference<>();
		Coverage coverage = LongStream.range(0, histories).parallel().collect(CoverageOfMany::new, (many, number) -> {
			long one = seed + number * SPREAD;
			if (failure.get() == null && !many.add(one)) {
				failure.compareAndSet(null, one);
			}
		}, CoverageOfMany::add).coverage;
		return new SimulationRun(seed, histories, System.nanoTime() - begun, coverage,
				Optional.ofNullable(failure.get()));
	}

	String toTable() {
		return String.format(Locale.ROOT, "Simulation: seed %d, %d histories in %.1f s, %.0f a second%n", this.seed,
				this.histories, this.nanos / 1e9, this.histories * 1e9 / this.nanos) + this.coverage.toTable();
	}

	private static final class CoverageOfMany {

		private Coverage coverage = new Coverage();

		private boolean add(long seed) {
			try {
				Simulation.run(seed, this.coverage, new Trace(false));
				return true;
			}
			catch (Violation ex) {
				return false;
			}
		}

		private void add(CoverageOfMany other) {
			this.coverage = this.coverage.plus(other.coverage);
		}

	}

}
