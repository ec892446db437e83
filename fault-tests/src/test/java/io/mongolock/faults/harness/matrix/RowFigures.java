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

	/**
	 * Where all randomness of the test is to come from.
	 * @return the seed of this run: system property {@code fault-matrix.seed}, or random
	 */
	public long seed() {
		return this.seed;
	}

	/**
	 * Add a figure.
	 * @param name what was measured, such as {@code overlap}
	 * @param value what it was, with its unit
	 * @return this
	 */
	public synchronized RowFigures add(String name, Object value) {
		this.figures.put(name, String.valueOf(value));
		return this;
	}

	/**
	 * Say which server it ran on.
	 * @param label kind and version, such as {@code embedded} or
	 * {@code mongod 4.4.6, standalone}
	 * @return this
	 */
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
