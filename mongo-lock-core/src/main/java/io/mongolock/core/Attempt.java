package io.mongolock.core;

import java.time.Duration;

import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.store.LeaseId;

/**
 * One try at a lock, from its beginning to its end, under one token. It has the request
 * and its terms. {@link LockAcquisition} runs it. Immutable.
 *
 * @param request the request for the lock
 * @param id the key, and a token that was never used before
 * @param limit how many may hold the lock at the same time, this attempt included
 * @param owner the owner that asks, for diagnostics
 * @param terms the settings that apply
 * @param begun when it began
 */
public record Attempt(LockRequest request, LeaseId id, int limit, LockOwner owner, LockTerms terms,
		ClockReading begun) {

	/**
	 * Make an attempt.
	 * @param token a token that was never used before
	 * @param owner the owner that asks; if the request gives a name, the owner takes it
	 * @param thread the name of the thread that asks
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
	 * How long the attempt has gone on.
	 */
	public Duration waited(ClockReading now) {
		return Duration.ofNanos(now.nanos() - this.begun.nanos());
	}

}
