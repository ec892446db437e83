package io.mongolock.test.proxy;

import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Counts the messages that were seen, by command. Thread-safe.
 */
final class Traffic {

	private final Map<String, Integer> seen = new HashMap<>();

	synchronized void count(String command) {
		this.seen.merge(lower(command), 1, Integer::sum);
		notifyAll();
	}

	synchronized int seen(String command) {
		return this.seen.getOrDefault(lower(command), 0);
	}

	synchronized void await(String what, String command, int least, Duration atMost) {
		long deadline = System.nanoTime() + atMost.toNanos();
		while (seen(command) < least) {
			long left = deadline - System.nanoTime();
			if (left <= 0) {
				throw new IllegalStateException("Saw " + seen(command) + " " + what + " of '" + command + "' within "
						+ atMost.toMillis() + "ms, not " + least + "; all seen: " + this.seen);
			}
			pause(left);
		}
	}

	private void pause(long nanos) {
		try {
			// One more millisecond, because a wait of zero would never end
			wait(TimeUnit.NANOSECONDS.toMillis(nanos) + 1);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while waiting for messages", ex);
		}
	}

	private static String lower(String command) {
		return command.toLowerCase(Locale.ROOT);
	}

}
