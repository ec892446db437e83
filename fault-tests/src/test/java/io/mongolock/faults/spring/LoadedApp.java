package io.mongolock.faults.spring;

import java.time.Duration;
import java.util.stream.IntStream;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

import io.mongolock.LockException;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;

/**
 * A small application of its own process whose threads take a few locks all the time,
 * until it is told to end.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(Guarded.class)
public class LoadedApp {

	static final int KEYS = 5;

	/** Held until the application ends, by somebody who never lets go. */
	static final String KEPT = "load-kept";

	private static final int THREADS = 20;

	private static final Duration LONG_WAIT = Duration.ofMinutes(1);

	static String key(int number) {
		return "load-" + number % KEYS;
	}

	/**
	 * Run until told to end.
	 * @param args of the application
	 * @return its context
	 */
	static ConfigurableApplicationContext run(String... args) {
		ConfigurableApplicationContext context = SpringApplication.run(LoadedApp.class, args);
		LockOperations locks = context.getBean(LockOperations.class);
		IntStream.range(0, THREADS).forEach((number) -> run("load-" + number, () -> work(locks, key(number))));
		run(KEPT, () -> locks.acquire(LockRequest.of(KEPT)));
		return context;
	}

	private static void run(String name, Runnable load) {
		Thread thread = new Thread(load, name);
		thread.setDaemon(true);
		thread.start();
	}

	private static void work(LockOperations locks, String key) {
		LockRequest request = LockRequest.builder(key).waitTimeout(LONG_WAIT).build();
		try {
			while (true) {
				locks.execute(request, (handle) -> {
					Thread.sleep(5);
					return null;
				});
			}
		}
		catch (LockException | InterruptedException ex) {
			System.out.println("load ended by " + ex.getClass().getSimpleName());
		}
	}

}
