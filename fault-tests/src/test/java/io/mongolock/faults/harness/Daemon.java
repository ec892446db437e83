package io.mongolock.faults.harness;

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

}
