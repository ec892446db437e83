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
 * Knows whether claims, renewals and releases prove that the store is writable, and for
 * how long. Belongs to the client of one store, because a grant of another store proves
 * nothing about this one. Thread-safe.
 */
public final class WriteProof implements LockInstrumentation {

	/** How long a write proves that the store is writable. */
	private static final Duration VALID = Duration.ofSeconds(2);

	private final LockClock clock;

	private volatile @Nullable Long confirmedAt;

	/**
	 * The number of failed requests; {@link #failuresSeen} is this number at our own last
	 * look.
	 */
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
	 * Whether recent writes make another look unnecessary.
	 * @return whether a lock was granted or kept in the last seconds, and no request has
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
	 * The number of failures, to be read when our own look begins.
	 */
	long failures() {
		return this.failures.get();
	}

	/**
	 * Note that our own look has found the store writable.
	 * @param failures the number of failures when the look began
	 */
	void proved(long failures) {
		this.failuresSeen = failures;
		confirmed();
	}

}
