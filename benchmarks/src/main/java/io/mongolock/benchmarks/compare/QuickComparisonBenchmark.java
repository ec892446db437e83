package io.mongolock.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Path;

/**
 * {@link ComparisonBenchmark} in a few minutes, to see whether it works.
 */
public final class QuickComparisonBenchmark {

	private QuickComparisonBenchmark() {
	}

	public static void main(String[] args) throws IOException {
		ComparisonBenchmark.run(Extent.QUICK, Path.of("target", "performance"));
	}

}
