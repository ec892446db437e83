package io.mongolock.core;

import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.mongolock.LossReason;

/**
 * Decides how a hold ends: what to ask the store, how to judge the hold, and what is left
 * to clean up. Knows no thread, clock or driver.
 *
 * @param held whether the lease was relied on when the release began
 * @param known how the hold ended, if there is nothing to ask
 * @param unknown whether a claim of the lease's token may still be executed
 * @param keptFor how long the lock stays taken, zero if it must be free. The lease is
 * given that time instead of being ended
 * @param whenHeld the judgement if the lease was held until the release
 */
public record ReleaseDecision(boolean held, @Nullable ReleaseOutcome known, boolean unknown, Duration keptFor,
		ReleaseOutcome whenHeld) {

	/** Nothing is left to release, because the hold has ended before. */
	static final ReleaseDecision OF_ENDED = new ReleaseDecision(false, ReleaseOutcome.LOST, false, Duration.ZERO,
			ReleaseOutcome.LOST);

	/**
	 * Begin to release a lock, which is not held from here on.
	 * @param expires whether the lease has to run out by itself
	 * @param keptFor how long the lock has to stay taken first, zero for not at all
	 * @param unknown whether a claim of its token may still be executed
	 */
	static ReleaseDecision of(Lease lease, boolean expires, Duration keptFor, boolean unknown, ClockReading now) {
		boolean held = lease.release(now);
		boolean refused = lease.lossReason() == LossReason.REFUSED;
		ReleaseOutcome whenHeld = (expires) ? ReleaseOutcome.LEFT_TO_EXPIRE : ReleaseOutcome.RELEASED;
		if (expires && keptFor.isZero()) {
			return new ReleaseDecision(held, (held) ? whenHeld : ReleaseOutcome.LOST, unknown, keptFor, whenHeld);
		}
		return new ReleaseDecision(held, (refused) ? ReleaseOutcome.LOST : null, unknown, keptFor, whenHeld);
	}

	/**
	 * Whether to ask the store at all.
	 * @return {@code false} if the {@link #end} is known already
	 */
	public boolean asks() {
		return this.known == null;
	}

	/**
	 * Whether the lease must be given {@link #keptFor} instead of being ended.
	 */
	public boolean keeps() {
		return !this.keptFor.isZero();
	}

	/**
	 * Whether the answer has to be a proof. While the lease can be relied on, no proof is
	 * needed: if a failover takes the release back, the lease only runs out.
	 * @return whether the lease was no longer relied on when the release began
	 */
	public boolean needsProof() {
		return !this.held;
	}

	/**
	 * The store need not be asked.
	 */
	public Judgement end() {
		return new Judgement(Objects.requireNonNull(this.known), this.unknown);
	}

	/**
	 * The store answered.
	 * @param ended whether the release found the lease and ended it, or gave it the time
	 * for which it is kept
	 */
	public Judgement answered(boolean ended) {
		ReleaseOutcome released = (this.held) ? this.whenHeld : ReleaseOutcome.EXPIRED_UNCONTESTED;
		// A request that keeps a lock looks only for its token, which may have been
		// granted again
		boolean proved = this.held || !keeps() || !this.unknown;
		return new Judgement((ended && proved) ? released : ReleaseOutcome.LOST, this.unknown);
	}

	/**
	 * The store failed. Without an answer there is no proof of anything.
	 */
	public Judgement failed() {
		return new Judgement((this.held) ? this.whenHeld : ReleaseOutcome.LOST, true);
	}

	/**
	 * How a hold ended.
	 *
	 * @param outcome the judgement
	 * @param cleansUp whether the token has to be released again in the background
	 */
	public record Judgement(ReleaseOutcome outcome, boolean cleansUp) {

	}

	/**
	 * How the hold of a lock ended.
	 */
	public enum ReleaseOutcome {

		/**
		 * Held until the release.
		 */
		RELEASED,

		/**
		 * The lease ran out before the release, but the lock was granted to nobody else
		 * until then.
		 */
		EXPIRED_UNCONTESTED,

		/**
		 * Held until now, and not released: the lease runs out by itself.
		 */
		LEFT_TO_EXPIRE,

		/**
		 * The lease was gone before the release, or the outcome is unknown. Another may
		 * have held the lock meanwhile.
		 */
		LOST

	}

}
