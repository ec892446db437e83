package io.mongolock.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * What subjects took that were timed in turns: in short rounds, in another order each, so
 * that neither noise of the machine nor what ran before hits one of them more than the
 * others.
 */
public final class Turns {

	private final double[][] nanos;

	private Turns(double[][] nanos) {
		this.nanos = nanos;
	}

	/**
	 * Time subjects on the current thread.
	 */
	public static Turns of(List<Runnable> subjects, int runs, int warmUp, int rounds) {
		double[][] nanos = new double[subjects.size()][rounds];
		List<Integer> order = new ArrayList<>(IntStream.range(0, subjects.size()).boxed().toList());
		Random random = new Random(1);
		for (int round = -warmUp; round < rounds; round++) {
			Collections.shuffle(order, random);
			for (int subject : order) {
				double took = time(subjects.get(subject), runs);
				if (round >= 0) {
					nanos[subject][round] = took;
				}
			}
		}
		return new Turns(nanos);
	}

	private static double time(Runnable subject, int runs) {
		long begun = System.nanoTime();
		for (int i = 0; i < runs; i++) {
			subject.run();
		}
		return (System.nanoTime() - begun) / (double) runs;
	}

	/**
	 * How long one run took.
	 */
	public double micros(int subject) {
		return median(this.nanos[subject]) / 1_000;
	}

	/**
	 * How long a subject took as a ratio to another.
	 */
	public double ratio(int subject, int other) {
		double[] ratios = new double[this.nanos[subject].length];
		Arrays.setAll(ratios, (round) -> this.nanos[subject][round] / this.nanos[other][round]);
		return median(ratios);
	}

	static double median(double[] values) {
		double[] sorted = values.clone();
		Arrays.sort(sorted);
		return sorted[sorted.length / 2];
	}

}
