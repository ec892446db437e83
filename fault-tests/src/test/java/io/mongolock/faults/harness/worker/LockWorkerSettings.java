package io.mongolock.faults.harness.worker;

import java.io.Serializable;
import java.time.Duration;

/**
 * What a {@link LockWorkerJvm} is told at its start.
 *
 * @param connectionString where the locks are kept
 * @param database in which database
 * @param ttl how long a lease lasts without renewal
 * @param waitTimeout how long to wait for a lock
 * @param history the file to write to what happens
 */
public record LockWorkerSettings(String connectionString, String database, Duration ttl, Duration waitTimeout,
		String history) implements Serializable {
}
