package io.mongolock.benchmarks.compare;

import java.io.IOException;

/**
 * {@link ComparisonBenchmark} in a few minutes, to see whether it works.
 */
public final class QuickComparisonBenchmark {

	private QuickComparisonBenchmark() {
	}

	public static void main(String[] args) throws IOException {
		ComparisonBenchmark.run(Extent.QUICK);
	}

}
