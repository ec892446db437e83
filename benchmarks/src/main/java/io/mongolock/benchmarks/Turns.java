package io.mongolock.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

import com.sun.management.ThreadMXBean;

/**
 * What subjects took that were timed in turns: in short rounds, in another order each, so
 * that neither noise of the machine nor what ran before hits one of them more than the
 * others.
 */
public final class Turns {

	private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	private final Round[][] rounds;

	private Turns(Round[][] rounds) {
		this.rounds = rounds;
	}

	/**
	 * Time subjects on the current thread.
	 */
	public static Turns of(List<Runnable> subjects, int runs, int warmUp, int rounds) {
		Round[][] timed = new Round[subjects.size()][rounds];
		List<Integer> order = new ArrayList<>(IntStream.range(0, subjects.size()).boxed().toList());
		Random random = new Random(1);
		for (int round = -warmUp; round < rounds; round++) {
			Collections.shuffle(order, random);
			for (int subject : order) {
				Round took = time(subjects.get(subject), runs);
				if (round >= 0) {
					timed[subject][round] = took;
				}
			}
		}
		return new Turns(timed);
	}

	private static Round time(Runnable subject, int runs) {
		long bytes = THREADS.getCurrentThreadAllocatedBytes();
		long cpu = THREADS.getCurrentThreadCpuTime();
		long begun = System.nanoTime();
		for (int i = 0; i < runs; i++) {
			subject.run();
		}
		double nanos = (System.nanoTime() - begun) / (double) runs;
		return new Round(nanos, (THREADS.getCurrentThreadCpuTime() - cpu) / (double) runs,
				(THREADS.getCurrentThreadAllocatedBytes() - bytes) / (double) runs);
	}

	/**
	 * How long one run took.
	 */
	public double micros(int subject) {
		return median(subject, Round::nanos) / 1_000;
	}

	/**
	 * How long one run kept the processor busy on its own thread.
	 */
	public double cpuMicros(int subject) {
		return median(subject, Round::cpuNanos) / 1_000;
	}

	/**
	 * What one run allocated on its own thread, in 1,000 bytes.
	 */
	public double kilobytes(int subject) {
		return median(subject, Round::bytes) / 1_000;
	}

	/**
	 * How long a subject took as a ratio to another.
	 */
	public double ratio(int subject, int other) {
		double[] ratios = new double[this.rounds[subject].length];
		Arrays.setAll(ratios, (round) -> this.rounds[subject][round].nanos / this.rounds[other][round].nanos);
		return median(ratios);
	}

	private double median(int subject, ToDoubleFunction<Round> figure) {
		return median(Arrays.stream(this.rounds[subject]).mapToDouble(figure).toArray());
	}

	static double median(double[] values) {
		double[] sorted = values.clone();
		Arrays.sort(sorted);
		return sorted[sorted.length / 2];
	}

	private record Round(double nanos, double cpuNanos, double bytes) {

	}

}
