package io.mongolock.faults.harness.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * The last lines that a process printed. Thread-safe.
 */
final class Output {

	private static final int MAX_LINES = 500;

	private final Deque<String> lines = new ArrayDeque<>();

	/**
	 * Read a stream to its end on a thread of its own.
	 * @param in the stream
	 * @param name names the thread
	 * @param taken is asked first about each line, and keeps those it takes
	 * @return completes at the end of the stream
	 */
	CompletableFuture<Void> follow(InputStream in, String name, Predicate<String> taken) {
		CompletableFuture<Void> ended = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			read(in, taken);
			ended.complete(null);
		}, name);
		thread.setDaemon(true);
		thread.start();
		return ended;
	}

	synchronized String text() {
		return String.join(System.lineSeparator(), this.lines);
	}

	private void read(InputStream in, Predicate<String> taken) {
		try (BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
			for (String line = reader.readLine(); line != null; line = reader.readLine()) {
				if (!taken.test(line)) {
					add(line);
				}
			}
		}
		catch (IOException ex) {
			add("(output ends: " + ex.getMessage() + ")");
		}
	}

	private synchronized void add(String line) {
		if (this.lines.size() == MAX_LINES) {
			this.lines.removeFirst();
		}
		this.lines.addLast(line);
	}

}
