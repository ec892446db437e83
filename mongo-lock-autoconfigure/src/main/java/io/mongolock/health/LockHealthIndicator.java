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
 * The health of the locks. It is up if locks were granted or kept just now, or else if a
 * lock of its own is granted and released within the operation timeout. It is degraded
 * instead of up if some renewals are overdue or a clock is off. Thread-safe.
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

	/**
	 * Always the same token, so that a later look renews a lease whose release got no
	 * answer.
	 */
	private final LeaseId probe;

	/**
	 * Create an indicator.
	 * @param timeout how long a look at the store may take
	 * @param trouble the troubles of this client's locks
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
			// Passed as text, because Spring Boot would log an exception with its stack
			// trace for each probe
			builder.down().withDetail("error", ex.toString());
		}
	}

	// A read cannot show that locks are granted. The lock is shared, so that instances
	// do not wait for each other. Its lease runs out by itself if the release fails.
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
