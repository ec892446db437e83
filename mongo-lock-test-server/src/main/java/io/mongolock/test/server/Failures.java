package io.mongolock.test.server;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How much failed in this JVM: servers keep their logs for it. Thread-safe.
 */
final class Failures {

	/** JUnit makes the listener, and nothing else connects it with the servers. */
	private static final AtomicInteger COUNT = new AtomicInteger();

	private Failures() {
	}

	static int count() {
		return COUNT.get();
	}

	static void add() {
		COUNT.incrementAndGet();
	}

}
