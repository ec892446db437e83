package io.mongolock.core;

import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.store.Claim;
import io.mongolock.store.LeaseId;

/**
 * Makes the attempts of one client: what each asks of the store, and on which terms.
 * Immutable.
 *
 * @param queues where the attempts wait
 * @param defaults what holds where a request says nothing
 * @param owner who asks, for diagnostics
 * @param reserve how many fences each attempt sets aside for a turn of this JVM
 */
public record Attempts(ClientQueues queues, LockDefaults defaults, LockOwner owner, int reserve) {

	/**
	 * Make an attempt.
	 * @param leaseToken the token, never used before
	 * @throws io.mongolock.InvalidLockSettingsException if the settings contradict each
	 * other
	 */
	public LockAcquisition of(LockRequest request, String leaseToken, String thread, ClockReading begun) {
		ResolvedLockSettings terms = this.defaults.terms(request);
		LockOwner owner = this.owner.onThread(thread);
		String as = request.settings().as();
		Claim claim = Claim.of(new LeaseId(request.key(), leaseToken), (as != null) ? owner.as(as) : owner, terms.ttl())
			.withLimit(this.defaults.limit(request))
			.withReserve(this.reserve);
		return new LockAcquisition(this.queues, request, claim, terms, begun);
	}

}
