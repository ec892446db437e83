package io.mongolock.core;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.mongolock.LossReason;

/**
 * The end of a hold: decides what to ask the store, how the hold is to be judged, and
 * what is left to clean up. Knows no thread, clock or driver.
 *
 * @param held whether the lease was relied on when the release began
 * @param known how the hold ended, if there is nothing to ask
 * @param unknown whether a claim of the lease's token may still be executed
 */
public record ReleaseDecision(boolean held, @Nullable ReleaseOutcome known, boolean unknown) {

	/**
	 * Begin to release a lease: from here on it is not held.
	 * @param lease the lease
	 * @param unknown whether a claim of its token may still be executed
	 * @param now the time
	 * @return the release
	 */
	static ReleaseDecision begin(Lease lease, boolean unknown, ClockReading now) {
		boolean held = lease.release(now);
		boolean refused = lease.lossReason() == LossReason.REFUSED;
		return new ReleaseDecision(held, (refused) ? ReleaseOutcome.LOST : null, unknown);
	}

	/**
	 * Give a lease back to nobody: it runs out by itself.
	 * @param lease the lease
	 * @param unknown whether a claim of its token may still be executed
	 * @param now the time
	 * @return the release
	 */
	static ReleaseDecision letExpire(Lease lease, boolean unknown, ClockReading now) {
		boolean held = lease.release(now);
		return new ReleaseDecision(held, (held) ? ReleaseOutcome.LEFT_TO_EXPIRE : ReleaseOutcome.LOST, unknown);
	}

	/**
	 * Nothing is left to release, as the client stopped before.
	 * @return the release
	 */
	static ReleaseDecision ofLost() {
		return new ReleaseDecision(false, ReleaseOutcome.LOST, false);
	}

	/**
	 * Whether to ask the store at all.
	 * @return {@code false} if the {@link #end} is known
	 */
	public boolean asks() {
		return this.known == null;
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
	 * The store need not be asked.
	 * @return the end
	 */
	public End end() {
		return new End(Objects.requireNonNull(this.known), this.unknown);
	}

	/**
	 * The store answered.
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
