package io.mongolock.faults.harness.worker;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;

/**
 * A worker that does little.
 */
public final class EchoWorker {

	private EchoWorker() {
	}

	public static void main(String[] args) throws IOException {
		if (args.length > 0 && args[0].equals("fail")) {
			System.err.println("cannot start");
			System.exit(3);
		}
		CountDownLatch gate = new CountDownLatch(1);
		System.out.println("some log line");
		new WorkerLoop().on("echo", (texts) -> String.join(",", texts)).on("wait", (none) -> {
			gate.await();
			return "waited";
		}).on("open", (none) -> {
			gate.countDown();
			return "";
		}).on("throw", (none) -> {
			throw new IllegalStateException("on purpose");
		}).run();
	}

}
