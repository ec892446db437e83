package io.mongolock.health;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.event.LockInstrumentation;
import io.mongolock.store.TimeLeft;

/**
 * Knows whether claims, renewals and releases show that the store can be written to, and
 * for how long they do. Belongs to the client of one store: what another one grants
 * proves nothing of it. Thread-safe.
 */
public final class WriteProof implements LockInstrumentation {

	/** How long what was written shows that more can be. */
	private static final Duration VALID = Duration.ofSeconds(2);

	private final LockClock clock;

	private volatile @Nullable Long confirmedAt;

	/** How many requests failed, and how many of them by the last look of our own. */
	private final AtomicLong failures = new AtomicLong();

	private volatile long failuresSeen;

	/**
	 * Create a new instance.
	 */
	public WriteProof(LockClock clock) {
		this.clock = clock;
	}

	@Override
	public void confirmed() {
		this.confirmedAt = this.clock.nanoTime();
	}

	@Override
	public void attempted(Object attempt, LockRequest request, AttemptOutcome outcome,
			@Nullable LockStoreException failure, Duration waited) {
		if (failure != null) {
			failed();
		}
	}

	@Override
	public void renewed(int leases, boolean answered, Duration took) {
		if (!answered) {
			failed();
		}
	}

	void failed() {
		this.failures.incrementAndGet();
	}

	/**
	 * Whether what was written just now makes another look needless.
	 * @return whether a lock was granted or kept in the last seconds, and no request
	 * failed since the last look
	 */
	boolean isValid() {
		Long confirmed = this.confirmedAt;
		return confirmed != null && this.clock.nanoTime() - confirmed < VALID.toNanos()
				&& this.failures.get() == this.failuresSeen;
	}

	TimeLeft timeLeft(Duration timeout) {
		return new TimeLeft(this.clock, timeout);
	}

	/**
	 * A look of our own begins.
	 */
	long failures() {
		return this.failures.get();
	}

	/**
	 * A look of our own found that the store can be written to.
	 */
	void proved(long failures) {
		this.failuresSeen = failures;
		confirmed();
	}

}
