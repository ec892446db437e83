package io.mongolock.faults.harness.matrix;

import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What a report says about its run.
 *
 * @param version the version under test
 * @param java the version of Java
 * @param date when it ran
 * @param seed where its randomness comes from
 */
record RunInfo(String version, String java, Instant date, long seed) {

	static RunInfo ofThisRun(Instant now) {
		long random = ThreadLocalRandom.current().nextLong();
		return new RunInfo(System.getProperty("fault-matrix.version", "unknown"), Runtime.version().toString(), now,
				Long.getLong("fault-matrix.seed", random));
	}

}
