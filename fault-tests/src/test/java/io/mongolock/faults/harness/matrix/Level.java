package io.mongolock.faults.harness.matrix;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * How close to the real thing a row is shown.
 */
public enum Level {

	UNIT("unit", "fake clocks or a scripted store"),

	PROXY("proxy", "the real driver, and faults or scripted answers before an embedded server"),

	SERVER("server", "one server, with processes of their own where a row is about processes"),

	REPLICA_SET("replica set", "a real one"),

	SPRING("Spring context", "a whole application");

	private final String text;

	private final String meaning;

	Level(String text, String meaning) {
		this.text = text;
		this.meaning = meaning;
	}

	static Level parse(String text) {
		return Arrays.stream(values())
			.filter((level) -> level.text.equals(text))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException(
					"'" + text + "' is no level; there are " + Arrays.toString(values())));
	}

	static String legend() {
		return Arrays.stream(values())
			.map((level) -> level.text + " = " + level.meaning)
			.collect(Collectors.joining("; "));
	}

	@Override
	public String toString() {
		return this.text;
	}

}
