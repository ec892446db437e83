package io.mongolock.benchmarks;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.springframework.data.mongodb.SessionSynchronization;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockClock;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.ClientOptions.LeakDetection;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HandOver;
import io.mongolock.store.mongo.MongoLockStore;

/**
 * What handing a lock on inside the JVM is worth: threads that want one lock, with and
 * without it, and a fair lock of the JVM, taking turns in short rounds. Runs on a
 * {@link MeasuredServer}. Arguments: rounds (5), milliseconds a round (1,000).
 */
public final class HotKeyBenchmark {

	private static final LockRequest REQUEST = LockRequest.of("hot");

	private static final long LEAD_IN = 1_500_000_000;

	private HotKeyBenchmark() {
	}

	public static void main(String[] args) throws InterruptedException {
		int rounds = (args.length > 0) ? Integer.parseInt(args[0]) : 5;
		int millis = (args.length > 1) ? Integer.parseInt(args[1]) : 1000;
		try (MeasuredServer server = MeasuredServer.start()) {
			run(server.uri(), rounds, millis);
		}
	}

	private static void run(String uri, int rounds, int millis) throws InterruptedException {
		try (MongoClient client = MongoClients.create(uri)) {
			MongoTemplate template = new MongoTemplate(client, "benchmark");
			template.setSessionSynchronization(SessionSynchronization.NEVER);
			MongoLockStore store = new MongoLockStore(template, "locks", "");
			LockTemplate with = locks(store, HandOver.DEFAULT);
			LockTemplate without = locks(store, new HandOver(Duration.ZERO, 0));
			List<Consumer<Runnable>> subjects = List.of(under(without), under(with), fair());
			System.out.println("work     threads  without/s     with/s  ratio  of a fair lock  of the work's limit");
			for (int work : new int[] { 1_000_000, 0 }) {
				for (int threads : new int[] { 1, 8, 32 }) {
					report(subjects, work, threads, rounds, millis);
				}
			}
			Stream.of(with, without).forEach((locks) -> locks.stop(Duration.ofSeconds(5)));
		}
	}

	private static Consumer<Runnable> under(LockTemplate locks) {
		return (work) -> locks.execute(REQUEST, (handle) -> {
			work.run();
			return handle.fence();
		});
	}

	private static Consumer<Runnable> fair() {
		ReentrantLock lock = new ReentrantLock(true);
		return (work) -> {
			lock.lock();
			try {
				work.run();
			}
			finally {
				lock.unlock();
			}
		};
	}

	private static void report(List<Consumer<Runnable>> subjects, int work, int threads, int rounds, int millis)
			throws InterruptedException {
		double[][] rates = new double[subjects.size()][rounds];
		for (int round = -2; round < rounds; round++) {
			for (int i = 0; i < subjects.size(); i++) {
				int subject = (i + round + 2) % subjects.size();
				double rate = rate(subjects.get(subject), work, threads, millis);
				if (round >= 0) {
					rates[subject][round] = rate;
				}
			}
		}
		double without = Turns.median(rates[0]);
		double with = Turns.median(rates[1]);
		double[] ofFair = new double[rounds];
		Arrays.setAll(ofFair, (round) -> rates[1][round] / rates[2][round]);
		System.out.println(String.format(Locale.ROOT, "%4.1f ms  %7d  %9.0f  %9.0f  %5.1f  %14.2f  %s", work / 1e6,
				threads, without, with, with / without, Turns.median(ofFair),
				(work != 0) ? String.format(Locale.ROOT, "%.2f", with * measured(work) / 1e9) : "-"));
	}

	private static double rate(Consumer<Runnable> locked, int work, int threads, int millis)
			throws InterruptedException {
		LongAdder done = new LongAdder();
		// Until all of them have once slept a fair lock is handed on between two that
		// spin
		long begun = System.nanoTime() + LEAD_IN;
		long end = begun + millis * 1_000_000L;
		List<Thread> workers = IntStream.range(0, threads).mapToObj((i) -> new Thread(() -> {
			while (System.nanoTime() - end < 0) {
				locked.accept(() -> work(work));
				if (System.nanoTime() - begun >= 0) {
					done.increment();
				}
			}
		})).toList();
		workers.forEach(Thread::start);
		for (Thread worker : workers) {
			worker.join();
		}
		return done.sum() * 1e9 / (System.nanoTime() - begun);
	}

	private static void work(int nanos) {
		if (nanos > 0) {
			LockSupport.parkNanos(nanos);
		}
	}

	private static double measured(int nanos) {
		double[] times = new double[200];
		for (int i = 0; i < times.length; i++) {
			long begun = System.nanoTime();
			work(nanos);
			times[i] = System.nanoTime() - begun;
		}
		return Turns.median(times);
	}

	private static LockTemplate locks(MongoLockStore store, HandOver handOver) {
		LockSettings settings = LockSettings.builder().waitTimeout(Duration.ofMinutes(1)).build();
		return new LockTemplate(store,
				new ClientOptions(new ConfiguredSettings(settings, Map.of()),
						new LockOwner("benchmark", "1", "", 1, ""), LockClock.system(), List.of())
					.withLeakDetection(LeakDetection.OFF)
					.withHandOver(handOver));
	}

}
