package io.mongolock.benchmarks.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that take a lock, work under it, and take the next one.
 *
 * @param threads how many
 * @param keys how many keys they choose from
 * @param workMicros how long the work takes
 * @param millis for how long, after half of that to warm up
 */
record Load(int threads, int keys, int workMicros, long millis) {

	private static final int WARM_UP_PAIRS = 2_000;

	/**
	 * Have the JVM compile what sends a request: a lock that is handed on rarely does so,
	 * and an application that has been running for a while has.
	 */
	static void warmUp(Competitor competitor) {
		String key = "warm up " + ProcessHandle.current().pid();
		for (int i = 0; i < WARM_UP_PAIRS; i++) {
			competitor.lock(key).unlock();
		}
	}

	/**
	 * Run it.
	 */
	Outcome run(Competitor competitor) {
		long begin = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(this.millis / 2);
		long end = begin + TimeUnit.MILLISECONDS.toNanos(this.millis);
		List<Samples> samples = new ArrayList<>();
		List<Thread> running = new ArrayList<>();
		for (int i = 0; i < this.threads; i++) {
			Samples own = new Samples();
			Random random = new Random(i);
			samples.add(own);
			running.add(new Thread(() -> loop(competitor, own, random, begin, end)));
		}
		running.forEach(Thread::start);
		long requests = requestsAt(competitor, begin);
		long requestsUntil = requestsAt(competitor, end);
		running.forEach(Load::join);
		return Outcome.of(samples, this.millis, requestsUntil - requests);
	}

	private void loop(Competitor competitor, Samples samples, Random random, long begin, long end) {
		for (long now = System.nanoTime(); now < end; now = System.nanoTime()) {
			Competitor.Held held = competitor.lock("key" + random.nextInt(this.keys));
			long granted = System.nanoTime();
			if (this.workMicros > 0) {
				LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(this.workMicros));
			}
			held.unlock();
			if (granted >= begin && granted < end) {
				samples.add(granted - now);
			}
		}
	}

	private static long requestsAt(Competitor competitor, long nanos) {
		while (System.nanoTime() < nanos) {
			LockSupport.parkNanos(nanos - System.nanoTime());
		}
		return competitor.requests();
	}

	private static void join(Thread thread) {
		try {
			thread.join();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Interrupted while threads of the benchmark run", ex);
		}
	}

}
