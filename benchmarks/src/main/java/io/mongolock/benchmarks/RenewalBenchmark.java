package io.mongolock.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.benchmarks.Subject.Commands;
import io.mongolock.core.ResolvedLockSettings;
import io.mongolock.test.embedded.EmbeddedMongo;

/**
 * How many requests an interval it takes to keep many locks, on how many threads, and how
 * many are lost. Arguments: locks (1000), seconds (300).
 */
public final class RenewalBenchmark {

	private RenewalBenchmark() {
	}

	public static void main(String[] args) {
		int locks = (args.length > 0) ? Integer.parseInt(args[0]) : 1000;
		int seconds = (args.length > 1) ? Integer.parseInt(args[1]) : 300;
		SpringApplication application = new SpringApplication(Subject.class);
		try (EmbeddedMongo server = EmbeddedMongo.start();
				ConfigurableApplicationContext context = application.run(
						"--spring.mongodb.uri=" + server.connectionString(), "--spring.mongodb.database=benchmark",
						"--logging.level.root=warn", "--spring.main.banner-mode=off")) {
			measure(context.getBean(LockOperations.class), context.getBean(Commands.class), locks, seconds);
		}
	}

	private static void measure(LockOperations operations, Commands commands, int locks, int seconds) {
		List<LockHandle> handles = new ArrayList<>();
		for (int i = 0; i < locks; i++) {
			handles.add(operations.acquire(LockRequest.of("kept:" + i)));
		}
		long interval = Duration.ofNanos(ResolvedLockSettings.of(LockSettings.NONE).renewInterval().nanos(locks))
			.toSeconds();
		int before = commands.updates();
		long threads = 0;
		long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
		while (System.nanoTime() < until) {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
			threads = Math.max(threads, renewalThreads());
		}
		long held = handles.stream().filter(LockHandle::isHeld).count();
		int requests = commands.updates() - before;
		System.out.printf(
				"%d locks for %d s: %d requests, %.2f an interval of %d s, %d renewal threads at most, %d lost%n",
				locks, seconds, requests, requests * interval / (double) seconds, interval, threads, locks - held);
		handles.forEach(LockHandle::close);
	}

	private static long renewalThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("mongo-lock-renewal"))
			.count();
	}

}
