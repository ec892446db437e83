package io.mongolock.test.server;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * The output of tests for the people who run them, if a build writes the tests' output to
 * files. Thread-safe.
 */
public final class TestOutput {

	private static final int KEPT = 16_000;

	private final PrintStream console;

	private final StringBuilder recent = new StringBuilder();

	TestOutput(PrintStream console) {
		this.console = console;
	}

	/**
	 * Print a line for the people who run the tests, for example which server is used, or
	 * which tests are left out.
	 * @param line the line
	 */
	public static void say(String line) {
		console().println(line);
	}

	// Not System.err, because a build redirects it
	static PrintStream console() {
		return new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
	}

	/**
	 * Keep the output to a stream, to show it if the test fails.
	 * @param stream the stream, which still gets the output
	 * @return the stream to use instead
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
	 * Forget the output since the last call, after showing it if the test failed.
	 * @param test the name of the test
	 * @param failed whether the test failed
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
