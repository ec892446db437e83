package io.mongolock.core;

import java.time.Duration;

import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.store.LeaseId;

/**
 * One try at a lock, from begin to end, under one token: what was asked for, and on which
 * terms. {@link LockAcquisition} runs it. Immutable.
 *
 * @param request what was asked for
 * @param id the key, and a token that was never used before
 * @param limit how many may hold the lock together with this one
 * @param owner who asks, for diagnostics
 * @param terms the settings that count
 * @param begun when it began
 */
public record Attempt(LockRequest request, LeaseId id, int limit, LockOwner owner, LockTerms terms,
		ClockReading begun) {

	/**
	 * Make an attempt.
	 * @param token never used before
	 * @param owner who asks, by the name that the request gives, if it does
	 * @param thread the name of the thread that does
	 * @throws io.mongolock.InvalidLockSettingsException if the settings contradict each
	 * other
	 */
	public static Attempt of(LockRequest request, String token, LockOwner owner, String thread,
			ConfiguredSettings configured, ClockReading begun) {
		LockTerms terms = configured.terms(request);
		String as = request.settings().as();
		LockOwner asking = owner.onThread(thread);
		return new Attempt(request, new LeaseId(request.key(), token), configured.limit(request),
				(as != null) ? asking.as(as) : asking, terms, begun);
	}

	public String key() {
		return this.id.key();
	}

	/**
	 * Whether the lease may be idle when its holder is done.
	 */
	boolean lingers() {
		return !this.terms.linger().isZero() && this.limit == 1 && this.terms.autoRenew();
	}

	/**
	 * How long it has gone on.
	 */
	public Duration waited(ClockReading now) {
		return Duration.ofNanos(now.nanos() - this.begun.nanos());
	}

	/**
	 * How long it still waits.
	 * @return nanoseconds, zero or less if its wait is over
	 */
	long left(ClockReading now) {
		return this.terms.waitTimeout().toNanos() - (now.nanos() - this.begun.nanos());
	}

	/**
	 * Whether its wait, or the time for its last request, goes on.
	 * @return whether somebody may still run it
	 */
	boolean mayAct(ClockReading now) {
		return left(now) + this.terms.operationTimeout().toNanos() > 0;
	}

}
