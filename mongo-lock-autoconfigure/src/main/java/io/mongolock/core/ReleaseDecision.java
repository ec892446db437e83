package io.mongolock.core;

import io.mongolock.LossReason;

/**
 * The end of a hold: decides what to ask the store, how the hold is to be judged, and
 * what is left to clean up. Knows no thread, clock or driver.
 *
 * @param held whether the lease was relied on when the release began
 * @param refused whether the store has already said that the lease is gone
 * @param unknown whether a claim of the lease's token may still be executed
 */
public record ReleaseDecision(boolean held, boolean refused, boolean unknown) {

	/**
	 * Begin to give a lease back: from here on it is not held.
	 * @param lease the lease
	 * @param unknown whether a claim of its token may still be executed
	 * @param now the time
	 * @return the release
	 */
	public static ReleaseDecision begin(Lease lease, boolean unknown, ClockReading now) {
		boolean held = lease.release(now);
		return new ReleaseDecision(held, lease.lossReason() == LossReason.REFUSED, unknown);
	}

	/**
	 * Whether to ask the store at all.
	 * @return {@code false} if the answer is known
	 */
	public boolean asks() {
		return !this.refused;
	}

	/**
	 * Whether the answer has to be a proof. While the lease is relied on, a release that
	 * a failover takes back is only a lease that runs out.
	 * @return whether the lease was no longer relied on when the release began
	 */
	public boolean needsProof() {
		return !this.held;
	}

	/**
	 * The store answered, or need not be asked.
	 * @param ended whether the release found the lease and ended it
	 * @return the end
	 */
	public End answered(boolean ended) {
		ReleaseOutcome released = (this.held) ? ReleaseOutcome.RELEASED : ReleaseOutcome.EXPIRED_UNCONTESTED;
		return new End((ended) ? released : ReleaseOutcome.LOST, this.unknown);
	}

	/**
	 * The store failed: without an answer there is no proof of anything.
	 * @return the end
	 */
	public End failed() {
		return new End((this.held) ? ReleaseOutcome.RELEASED : ReleaseOutcome.LOST, true);
	}

	/**
	 * How a hold ended.
	 *
	 * @param outcome the judgement
	 * @param cleansUp whether the token has to be released again in the background
	 */
	public record End(ReleaseOutcome outcome, boolean cleansUp) {

	}

}
