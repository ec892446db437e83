package io.mongolock.faults.harness.worker;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * What Linux says of a process.
 */
final class ProcessState {

	private static final Duration LONG_ENOUGH = Duration.ofMinutes(1);

	private static final Duration POLL = Duration.ofMillis(1);

	private ProcessState() {
	}

	/**
	 * Wait until every thread of a process stands still, as a signal is only on its way
	 * when it is sent. Where there is no {@code /proc} to see it, returns at once.
	 * @param pid the process
	 * @throws IllegalStateException if it goes on
	 */
	static void awaitStopped(long pid) {
		Path tasks = Path.of("/proc", String.valueOf(pid), "task");
		long deadline = System.nanoTime() + LONG_ENOUGH.toNanos();
		while (Files.isDirectory(tasks) && !isStopped(tasks)) {
			if (System.nanoTime() - deadline > 0) {
				throw new IllegalStateException(
						"Process " + pid + " still runs " + LONG_ENOUGH.toSeconds() + "s after it was told to stop");
			}
			LockSupport.parkNanos(POLL.toNanos());
		}
	}

	private static boolean isStopped(Path tasks) {
		try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
			for (Path thread : threads) {
				if (!isThreadStopped(thread)) {
					return false;
				}
			}
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static boolean isThreadStopped(Path thread) throws IOException {
		String stat = Files.readString(thread.resolve("stat"));
		// the state follows the name, which is in parentheses and may hold any character
		char state = stat.charAt(stat.lastIndexOf(')') + 2);
		return state == 'T' || state == 't';
	}

}
