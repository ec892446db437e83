package io.mongolock.faults.harness.worker;

import java.util.concurrent.CountDownLatch;

/**
 * A worker that does little.
 */
final class EchoWorker {

	private final CountDownLatch gate = new CountDownLatch(1);

	EchoWorker() {
		System.out.println("some log line");
	}

	static EchoWorker fail() {
		System.err.println("cannot start");
		System.exit(3);
		return new EchoWorker();
	}

	String echo(String... texts) {
		return String.join(",", texts);
	}

	String await() throws InterruptedException {
		this.gate.await();
		return "waited";
	}

	boolean open() {
		this.gate.countDown();
		return true;
	}

	String fails() {
		throw new IllegalStateException("on purpose");
	}

}
