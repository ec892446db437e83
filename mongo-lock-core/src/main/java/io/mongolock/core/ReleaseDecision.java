package io.mongolock.core;

import java.time.Duration;
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
 * @param keptFor how long the lock stays taken: what the lease is given instead of its
 * end, zero if it is to be free
 * @param whenHeld the judgement if the lease was held until then
 */
public record ReleaseDecision(boolean held, @Nullable ReleaseOutcome known, boolean unknown, Duration keptFor,
		ReleaseOutcome whenHeld) {

	/** Nothing is left to release, as the hold has ended before. */
	static final ReleaseDecision OF_ENDED = new ReleaseDecision(false, ReleaseOutcome.LOST, false, Duration.ZERO,
			ReleaseOutcome.LOST);

	/**
	 * Begin to release a lock: from here on it is not held.
	 * @param expires whether it has to run out by itself
	 * @param keptFor how long it has to stay taken before, zero for no longer
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
	 * @return {@code false} if the {@link #end} is known
	 */
	public boolean asks() {
		return this.known == null;
	}

	/**
	 * Whether the lease is to be given {@link #keptFor} instead of its end.
	 */
	public boolean keeps() {
		return !this.keptFor.isZero();
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
	 */
	public Judgement end() {
		return new Judgement(Objects.requireNonNull(this.known), this.unknown);
	}

	/**
	 * The store answered.
	 * @param ended whether the release found the lease and ended it, or gave it what it
	 * is kept for
	 */
	public Judgement answered(boolean ended) {
		ReleaseOutcome released = (this.held) ? this.whenHeld : ReleaseOutcome.EXPIRED_UNCONTESTED;
		// What keeps a lock looks for its token alone, which may have been granted again
		boolean proved = this.held || !keeps() || !this.unknown;
		return new Judgement((ended && proved) ? released : ReleaseOutcome.LOST, this.unknown);
	}

	/**
	 * The store failed: without an answer there is no proof of anything.
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
		 * Run out before, but granted to nobody else until the release.
		 */
		EXPIRED_UNCONTESTED,

		/**
		 * Held until now, and not released: the lease runs out by itself.
		 */
		LEFT_TO_EXPIRE,

		/**
		 * Gone before the release, or its outcome is unknown; another may have held the
		 * lock meanwhile.
		 */
		LOST

	}

}
