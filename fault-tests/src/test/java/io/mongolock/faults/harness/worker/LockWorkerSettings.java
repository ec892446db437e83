package io.mongolock.faults.harness.worker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a {@link LockWorker} is told at its start.
 *
 * @param connectionString where the locks are kept
 * @param database in which database
 * @param ttl how long a lease lasts without renewal
 * @param waitTimeout how long to wait for a lock
 * @param history where to write what happens
 */
public record LockWorkerSettings(String connectionString, String database, Duration ttl, Duration waitTimeout,
		Path history) {

	String[] toArgs() {
		return new String[] { "uri=" + this.connectionString, "database=" + this.database, "ttl=" + this.ttl,
				"wait=" + this.waitTimeout, "history=" + this.history.toAbsolutePath() };
	}

	/**
	 * Read arguments.
	 * @param args {@code name=value} each
	 * @return the settings
	 * @throws IllegalArgumentException if one is missing
	 */
	static LockWorkerSettings parse(String... args) {
		Map<String, String> values = Arrays.stream(args)
			.map((arg) -> arg.split("=", 2))
			.collect(Collectors.toMap((pair) -> pair[0], (pair) -> (pair.length != 1) ? pair[1] : ""));
		return new LockWorkerSettings(value(values, "uri"), value(values, "database"),
				Duration.parse(value(values, "ttl")), Duration.parse(value(values, "wait")),
				Path.of(value(values, "history")));
	}

	private static String value(Map<String, String> values, String name) {
		String value = values.get(name);
		if (value == null) {
			throw new IllegalArgumentException("Argument '" + name + "=' is missing; given are " + values.keySet());
		}
		return value;
	}

}
