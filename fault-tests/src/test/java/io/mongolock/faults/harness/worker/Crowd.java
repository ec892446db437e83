package io.mongolock.faults.harness.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Threads that do the same at a time.
 */
final class Crowd {

	private Crowd() {
	}

	// The work of each thread by its number; fails as soon as all have ended if one
	// failed
	static <T> List<T> run(int threads, IntFunction<T> work) throws Exception {
		ExecutorService pool = Executors.newFixedThreadPool(threads);
		try {
			List<Callable<T>> all = IntStream.range(0, threads)
				.<Callable<T>>mapToObj((number) -> () -> work.apply(number))
				.toList();
			List<T> results = new ArrayList<>();
			for (Future<T> result : pool.invokeAll(all)) {
				results.add(result.get());
			}
			return results;
		}
		finally {
			pool.shutdown();
		}
	}

}
