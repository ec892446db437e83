package io.mongolock.faults.harness.worker;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a worker and its test say to each other: lines of fields, separated by tabs, each
 * encoded as in a URL.
 *
 * @param kind what this line is
 * @param id which request it is about, 0 if none
 * @param fields what it says
 */
record Protocol(Kind kind, long id, List<String> fields) {

	/** Tells these lines from whatever else a process prints. */
	private static final String MARK = "#worker";

	private static final String SEPARATOR = "\t";

	String line() {
		return Stream
			.concat(Stream.of(MARK, this.kind.name(), String.valueOf(this.id)),
					this.fields.stream().map((field) -> URLEncoder.encode(field, StandardCharsets.UTF_8)))
			.collect(Collectors.joining(SEPARATOR));
	}

	/**
	 * Read a line.
	 * @param line the line
	 * @return what it says, or empty if it is about something else
	 */
	static Optional<Protocol> parse(String line) {
		if (!line.startsWith(MARK + SEPARATOR)) {
			return Optional.empty();
		}
		String[] parts = line.split(SEPARATOR, -1);
		return Optional.of(new Protocol(Kind.valueOf(parts[1]), Long.parseLong(parts[2]),
				Arrays.stream(parts, 3, parts.length)
					.map((field) -> URLDecoder.decode(field, StandardCharsets.UTF_8))
					.toList()));
	}

	/**
	 * Kinds of lines.
	 */
	enum Kind {

		/** From the worker: it takes requests. */
		READY,

		/** To the worker: a command and its arguments. */
		ASK,

		/** From the worker: the answer. */
		ANSWER,

		/** From the worker: why there is no answer. */
		FAILURE

	}

}
