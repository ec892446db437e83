package io.mongolock.faults.harness.worker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/**
 * A signal to a process.
 */
enum Signal {

	STOP, CONT, KILL, TERM;

	/**
	 * Send it.
	 * @param pid to whom
	 * @throws IllegalStateException if there is no such process
	 */
	void send(long pid) {
		try {
			Process kill = new ProcessBuilder("kill", "-" + name(), String.valueOf(pid)).redirectErrorStream(true)
				.start();
			if (!kill.waitFor(10, TimeUnit.SECONDS) || kill.exitValue() != 0) {
				throw new IllegalStateException("No signal " + name() + " to process " + pid + "; has it ended?");
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException("This machine has no command 'kill'", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while sending " + name() + " to process " + pid, ex);
		}
	}

}
