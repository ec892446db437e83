package io.mongolock.health;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import io.mongolock.LockOwner;
import io.mongolock.LockStoreException;
import io.mongolock.store.Claim;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.TimeLeft;

/**
 * Health of the locks: up if locks were granted or kept just now, and otherwise if one of
 * its own is granted and released within the operation timeout; degraded if so and
 * renewals of some locks are overdue or a clock is off. Thread-safe.
 */
public final class LockHealthIndicator extends AbstractHealthIndicator {

	/** Locks are granted and kept, but something needs attention. */
	public static final Status DEGRADED = new Status("DEGRADED",
			"Locks are granted, but renewals are overdue, or clocks of MongoDB servers differ");

	private static final String PROBE = "mongo-lock-health";

	private static final int MAX_SHOWN = 10;

	private final LockStore store;

	private final LockOwner owner;

	private final Duration timeout;

	private final LockTrouble trouble;

	/** Always the same, so that a lease whose release got no answer is begun anew. */
	private final LeaseId probe;

	/**
	 * Create an indicator.
	 * @param timeout how long a look at it may take
	 * @param trouble what went wrong with the locks of this client
	 */
	public LockHealthIndicator(LockStore store, Duration timeout, LockTrouble trouble, LockOwner owner) {
		this.store = store;
		this.owner = owner;
		this.probe = new LeaseId(PROBE, store.token(UUID.randomUUID().toString()));
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
			prove();
			builder.status((overdue.isEmpty() && clocks.isEmpty()) ? Status.UP : DEGRADED);
		}
		catch (LockStoreException ex) {
			// As an exception it would be logged with its stack trace for each probe
			builder.down().withDetail("error", ex.toString());
		}
	}

	// Nothing that is only read shows that locks are granted. Shared, so that instances
	// do not wait for each other, and with a life of its own if its release is not heard.
	private void prove() {
		WriteProof proof = this.trouble.proof();
		if (proof.isValid()) {
			return;
		}
		long failures = proof.failures();
		TimeLeft time = proof.timeLeft(this.timeout);
		this.store.acquire(Claim.of(this.probe, this.owner, this.timeout).withLimit(Integer.MAX_VALUE), this.timeout);
		this.store.release(this.probe, time.left());
		proof.proved(failures);
	}

}
