package io.mongolock.faults.spring;

import java.util.Arrays;

/**
 * Threads of this JVM that wait for a lock.
 */
final class Waiting {

	private Waiting() {
	}

	static long threads() {
		return Thread.getAllStackTraces().keySet().stream().filter(Waiting::isWaiting).count();
	}

	private static boolean isWaiting(Thread thread) {
		StackTraceElement[] stack = thread.getStackTrace();
		return stack.length > 0 && stack[0].getMethodName().equals("park") && Arrays.stream(stack)
			.anyMatch((frame) -> frame.getClassName().equals("io.mongolock.client.BlockingAttempt"));
	}

}
