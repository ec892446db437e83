package io.mongolock.faults.harness.matrix;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a test tells the report about its row. Thread-safe.
 */
public final class RowFigures {

	/** The server that is there without being asked for. */
	public static final String EMBEDDED = "embedded, mongo-java-server 1.47";

	private final Map<String, String> figures = new LinkedHashMap<>();

	private final long seed;

	private String server = "";

	RowFigures(long seed) {
		this.seed = seed;
	}

	// Where all randomness of the test is to come from
	public long seed() {
		return this.seed;
	}

	public synchronized RowFigures add(String name, Object value) {
		this.figures.put(name, String.valueOf(value));
		return this;
	}

	public synchronized RowFigures server(String label) {
		this.server = label;
		return this;
	}

	synchronized String server() {
		return this.server;
	}

	synchronized String text() {
		return this.figures.entrySet()
			.stream()
			.map((figure) -> figure.getKey() + ": " + figure.getValue())
			.collect(Collectors.joining("; "));
	}

}
