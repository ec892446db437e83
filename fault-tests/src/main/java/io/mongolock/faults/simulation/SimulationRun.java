package io.mongolock.faults.simulation;

import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/**
 * Many histories, on all processors.
 *
 * @param kind of what
 * @param seed from which their seeds follow
 * @param histories how many were run
 * @param nanos how long that took
 * @param coverage what they reached
 * @param failure the seed of the first history that broke a promise
 */
record SimulationRun(Kind kind, long seed, long histories, long nanos, Coverage coverage, Optional<Long> failure) {

	/** Makes neighbouring numbers into seeds that have nothing in common. */
	private static final long SPREAD = 0x9E3779B97F4A7C15L;

	@SuppressWarnings("try") // closing is what the resource is for
	static SimulationRun of(Kind kind, long seed, long histories) {
		long begun = System.nanoTime();
		AtomicLong first = new AtomicLong(histories);
		Coverage coverage;
		try (Silence silence = new Silence()) {
			coverage = LongStream.range(0, histories).parallel().collect(Coverage::new, (reached, number) -> {
				if (number < first.get() && !isKept(kind, seed + number * SPREAD, reached)) {
					first.accumulateAndGet(number, Math::min);
				}
			}, Coverage::add);
		}
		return new SimulationRun(kind, seed, histories, System.nanoTime() - begun, coverage,
				(first.get() < histories) ? Optional.of(seed + first.get() * SPREAD) : Optional.empty());
	}

	String toTable() {
		return String.format(Locale.ROOT, "Simulation of %s: seed %d, %d histories in %.1f s, %.0f a second%n",
				this.kind.name().toLowerCase(Locale.ROOT), this.seed, this.histories, this.nanos / 1e9,
				this.histories * 1e9 / this.nanos) + this.coverage.toTable();
	}

	private static boolean isKept(Kind kind, long seed, Coverage reached) {
		try {
			kind.run(seed, reached, new Trace(false));
			return true;
		}
		catch (RuntimeException | Error ex) {
			return false;
		}
	}

	/**
	 * What a history is made of.
	 */
	enum Kind {

		/** Of the decisions of the core alone. */
		DECISIONS {

			@Override
			void run(long seed, Coverage coverage, Trace trace) {
				Simulation.run(seed, coverage, trace);
			}

		},

		/** Of whole clients with their threads. */
		CLIENTS {

			@Override
			void run(long seed, Coverage coverage, Trace trace) {
				ClientSimulation.run(seed, coverage, trace);
			}

		};

		abstract void run(long seed, Coverage coverage, Trace trace);

	}

}
