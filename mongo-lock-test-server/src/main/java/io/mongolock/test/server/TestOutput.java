package io.mongolock.test.server;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * What tests say to those who run them, where a build has their output go to files.
 * Thread-safe.
 */
public final class TestOutput {

	private static final int KEPT = 16_000;

	private final PrintStream console;

	private final StringBuilder recent = new StringBuilder();

	TestOutput(PrintStream console) {
		this.console = console;
	}

	/**
	 * Say a line to those who run the tests: which server it is, what is left out.
	 * @param line the line
	 */
	public static void say(String line) {
		console().println(line);
	}

	// Not System.err, which is what a build redirects
	static PrintStream console() {
		return new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
	}

	/**
	 * Keep what is written to a stream, to show it if the test fails.
	 * @param stream where it is written to as before
	 * @return what is to be used instead of the stream
	 */
	PrintStream keep(PrintStream stream) {
		return new PrintStream(new OutputStream() {

			@Override
			public void write(int one) {
				write(new byte[] { (byte) one }, 0, 1);
			}

			@Override
			public void write(byte[] bytes, int from, int length) {
				stream.write(bytes, from, length);
				add(new String(bytes, from, length, StandardCharsets.UTF_8));
			}

			@Override
			public void flush() {
				stream.flush();
			}

		}, true, StandardCharsets.UTF_8);
	}

	/**
	 * Show what was written since the last call if the test failed, and forget it.
	 * @param test its name
	 * @param failed whether it did
	 */
	synchronized void testEnded(String test, boolean failed) {
		if (failed && !this.recent.isEmpty()) {
			this.console.println("Output of " + test + ", which failed (all of it is in the reports):\n" + this.recent);
		}
		this.recent.setLength(0);
	}

	private synchronized void add(String text) {
		this.recent.append(text);
		if (this.recent.length() > KEPT) {
			this.recent.delete(0, this.recent.length() - KEPT / 2);
		}
	}

}
