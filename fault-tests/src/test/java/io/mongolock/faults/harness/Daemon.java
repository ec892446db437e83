package io.mongolock.faults.harness;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Threads that keep no JVM from ending.
 */
public final class Daemon {

	private Daemon() {
	}

	public static void start(String name, Runnable task) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		thread.start();
	}

	// From Java 25 on, the common pool of two processors has one thread, for all tests
	public static CompletableFuture<Void> run(Runnable task) {
		return CompletableFuture.runAsync(task, Daemon::start);
	}

	// In the same way
	public static <T> CompletableFuture<T> supply(Supplier<T> task) {
		return CompletableFuture.supplyAsync(task, Daemon::start);
	}

	private static void start(Runnable task) {
		start("daemon", task);
	}

}
