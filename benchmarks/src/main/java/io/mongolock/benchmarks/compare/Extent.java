package io.mongolock.benchmarks.compare;

import java.util.List;

/**
 * How much is measured.
 *
 * @param millis how long a load of one JVM runs
 * @param jvmsMillis how long a load of several JVMs runs
 * @param threads how many threads contend in one JVM
 * @param jvms how many JVMs contend
 * @param waiters how many wait for one key, in as many JVMs as the last of those
 * @param held how many locks are held
 * @param heldSeconds for how long
 * @param handovers how many releases to another client are timed
 * @param overhead the arguments of that program: rounds, pairs a round
 * @param documents likewise: threads, increments of each
 */
record Extent(long millis, long jvmsMillis, List<Integer> threads, List<Integer> jvms, int waiters, int held,
		int heldSeconds, int handovers, List<String> overhead, List<String> documents) {

	static final Extent FULL = new Extent(3_000, 10_000, List.of(1, 8, 32, 64), List.of(2, 4, 8), 500, 10_000, 24, 50,
			List.of("60", "50"), List.of("64", "100"));

	static final Extent QUICK = new Extent(2_000, 2_000, List.of(1, 8, 32), List.of(2, 4), 100, 1_000, 16, 30,
			List.of("5", "20"), List.of("8", "20"));

}
