package io.mongolock.dashboard;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Reads the events of a server.
 */
final class EventStream implements AutoCloseable {

	private final BufferedReader reader;

	EventStream(InputStream in) {
		this.reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
	}

	/**
	 * Wait for the next event.
	 * @throws IOException if the connection broke
	 */
	String next(String name) throws IOException {
		String event = "";
		for (String line = line(); line != null; line = line()) {
			if (line.startsWith("event:")) {
				event = line.substring("event:".length());
			}
			else if (line.startsWith("data:")) {
				assertThat(event).isEqualTo(name);
				return line.substring("data:".length());
			}
		}
		throw new AssertionError("The stream ended");
	}

	/**
	 * Wait for an event whose data contains a text.
	 * @throws IOException if the connection broke
	 */
	String nextWith(String text) throws IOException {
		String data = next("activity");
		while (!data.contains(text)) {
			data = next("activity");
		}
		return data;
	}

	/**
	 * Read until the server ends the stream, before it would do so by itself.
	 * @throws IOException if the connection broke
	 */
	void awaitEnd() throws IOException {
		int events = 0;
		for (String line = line(); line != null; line = line()) {
			events += (line.startsWith("event:")) ? 1 : 0;
			assertThat(events).isLessThan(ServletStreams.MAX_SENT / 5);
		}
	}

	private @Nullable String line() throws IOException {
		return this.reader.readLine();
	}

	@Override
	public void close() {
		try {
			this.reader.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
