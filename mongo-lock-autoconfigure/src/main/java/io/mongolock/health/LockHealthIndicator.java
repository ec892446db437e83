package io.mongolock.health;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import io.mongolock.LockStoreException;
import io.mongolock.store.LockStore;

/**
 * Health of the locks: down if the store does not answer within the operation timeout,
 * degraded if it does and renewals of some locks are overdue or a clock is off.
 * Thread-safe.
 */
public final class LockHealthIndicator extends AbstractHealthIndicator {

	/** Locks are granted and kept, but something needs attention. */
	public static final Status DEGRADED = new Status("DEGRADED", "Locks are granted, but something needs attention");

	private static final String PROBE = "mongo-lock-health";

	private static final int MAX_SHOWN = 10;

	private final LockStore store;

	private final Duration timeout;

	private final LockTrouble trouble;

	/**
	 * Create an indicator.
	 * @param store the store, asked for one lock each time
	 * @param timeout how long its answer may take
	 * @param trouble what went wrong with the locks of this client
	 */
	public LockHealthIndicator(LockStore store, Duration timeout, LockTrouble trouble) {
		this.store = store;
		this.timeout = timeout;
		this.trouble = trouble;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		List<String> overdue = this.trouble.overdueRenewals();
		if (!overdue.isEmpty()) {
			builder.withDetail("overdueRenewals", overdue.size())
				.withDetail("overdueLocks", overdue.stream().limit(MAX_SHOWN).toList());
		}
		Map<String, Duration> clocks = this.trouble.clocks();
		if (!clocks.isEmpty()) {
			builder.withDetail("clocksOff", clocks);
		}
		try {
			this.store.find(PROBE, this.timeout);
			builder.status((overdue.isEmpty() && clocks.isEmpty()) ? Status.UP : DEGRADED);
		}
		catch (LockStoreException ex) {
			// As an exception it would be logged with its stack trace for each probe
			builder.down().withDetail("error", ex.toString());
		}
	}

}
