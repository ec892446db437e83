package io.mongolock.core;

import java.util.List;
import java.util.Optional;
import java.util.function.LongUnaryOperator;

import io.mongolock.LockHolder;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;

/**
 * One attempt at a lock from the first request to its end, under one token: decides after
 * every answer what to do next. Knows no thread, clock or driver. Belongs to one thread
 * at a time.
 * <p>
 * A request whose fate is unknown is asked again under the same token, which the store
 * answers with the same grant. Whatever the end, {@link #unknown()} then says that the
 * token has to be cleaned up, as the lost request may still be executed.
 */
public final class LockAcquisition {

	private final LeaseId id;

	private final ResolvedLockSettings terms;

	private final ClockReading begun;

	private final LongUnaryOperator random;

	private List<LockHolder> holders = List.of();

	private boolean unknown;

	/**
	 * Begin an attempt.
	 * @param id the key and the token of the attempt
	 * @param terms how long to wait and to hold
	 * @param begun when the wait began
	 * @param random gives a number from zero to below its argument
	 */
	public LockAcquisition(LeaseId id, ResolvedLockSettings terms, ClockReading begun, LongUnaryOperator random) {
		this.id = id;
		this.terms = terms;
		this.begun = begun;
		this.random = random;
	}

	LeaseId id() {
		return this.id;
	}

	ResolvedLockSettings terms() {
		return this.terms;
	}

	/**
	 * The store answered.
	 * @param answer the lock after the claim
	 * @param requested when the request left
	 * @param now the time
	 * @return what to do next
	 */
	public Step answered(ClaimAnswer answer, ClockReading requested, ClockReading now) {
		Optional<StoredHolder> grant = answer.grantTo(this.id.token());
		if (grant.isPresent() && now.elapsedSince(requested) < this.terms.reliable().toNanos()) {
			return new Granted(grant.get(), requested, answer.lapsedBefore(grant.get()));
		}
		if (grant.isPresent()) {
			return answeredTooLate(now.elapsedSince(requested), now);
		}
		this.holders = answer.liveHolders();
		return (left(now) > 0) ? pause(now) : new Denied(this.holders);
	}

	/**
	 * The store failed.
	 * @param failure how
	 * @param now the time
	 * @return what to do next
	 */
	public Step failed(LockStoreException failure, ClockReading now) {
		this.unknown |= failure.getOutcome() == Outcome.UNKNOWN;
		boolean again = failure.getOutcome() != Outcome.REFUSED && left(now) > 0;
		return (again) ? pause(now) : new Failed(failure);
	}

	/**
	 * Whether a request of this attempt may still be executed.
	 * @return whether the token has to be cleaned up after the attempt, or after the
	 * release of what it was granted
	 */
	public boolean unknown() {
		return this.unknown;
	}

	/**
	 * How long the attempt may still wait.
	 * @param now the time
	 * @return nanoseconds, negative if the wait is over
	 */
	public long left(ClockReading now) {
		return this.terms.waitTimeout().toNanos() - (now.nanos() - this.begun.nanos());
	}

	/**
	 * Who held the lock when the store last answered.
	 * @return the holders
	 */
	public List<LockHolder> holders() {
		return this.holders;
	}

	private Step answeredTooLate(long nanos, ClockReading now) {
		return failed(new LockStoreException(this.id.key(), Outcome.UNKNOWN,
				"The store granted lock '" + this.id.key() + "' but its answer took " + nanos / 1_000_000
						+ "ms, longer than a lease of " + this.terms.ttl().toMillis() + "ms can be relied on",
				null), now);
	}

	private Step pause(ClockReading now) {
		// Full jitter, and one last look exactly when the wait is over
		long pause = 1 + this.random.applyAsLong(this.terms.retryInterval().toNanos());
		return new Pause(Math.min(pause, left(now)));
	}

	/**
	 * What to do next.
	 */
	public sealed interface Step permits Pause, Granted, Denied, Failed {

	}

	/**
	 * Ask again after a while.
	 *
	 * @param nanos how long to wait first
	 */
	public record Pause(long nanos) implements Step {

	}

	/**
	 * The lock is held.
	 *
	 * @param holder the grant
	 * @param requested when the request left that was answered with it
	 * @param lapsed whose leases had run out
	 */
	public record Granted(StoredHolder holder, ClockReading requested, List<LockHolder> lapsed) implements Step {

	}

	/**
	 * The wait is over and others hold the lock.
	 *
	 * @param holders who they are
	 */
	public record Denied(List<LockHolder> holders) implements Step {

	}

	/**
	 * The wait is over, or waiting is no use, and the store did not say who holds the
	 * lock.
	 *
	 * @param failure how the store failed
	 */
	public record Failed(LockStoreException failure) implements Step {

	}

}
