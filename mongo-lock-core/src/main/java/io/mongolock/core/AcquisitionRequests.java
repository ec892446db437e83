package io.mongolock.core;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHolder;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.GrantId;
import io.mongolock.store.StoredHolder;

/**
 * The requests of one acquisition, all under one token. Knows what the next request asks
 * of the store, whether a request is underway, and how earlier requests ended. Guarded by
 * the monitor of its {@link AcquisitionState}.
 */
final class AcquisitionRequests {

	private final Attempt attempt;

	/**
	 * Says whether others want the lock after its grant; {@code null} if its lease must
	 * not be idle.
	 */
	private @Nullable Recall recall;

	/** How many fences to set aside. */
	private int reserve;

	/**
	 * The grants that its caller holds, and cannot end before the acquisition has ended.
	 */
	private List<GrantId> holds = List.of();

	/** When the request underway left, {@code null} if none is underway. */
	private @Nullable ClockReading requested;

	/** How many requests have left. */
	private int claims;

	private boolean unknown;

	/** Others in the queue read it to say what they wait for. */
	private volatile LastAnswer lastAnswer = LastAnswer.NONE;

	/**
	 * Create without a request.
	 * @param reserve how many fences to set aside
	 */
	AcquisitionRequests(Attempt attempt, int reserve) {
		this.attempt = attempt;
		// If others can hold the lock as well, only the store knows the next fence
		this.reserve = (attempt.limit() == 1) ? reserve : 0;
	}

	/**
	 * Set no fences aside, whichever request is granted.
	 */
	void reserveNothing() {
		this.reserve = 0;
	}

	/**
	 * Let the lease be idle when its holder is done.
	 */
	void linger() {
		this.reserve = Math.max(Recall.RESERVE, this.reserve);
		this.recall = new Recall(this.attempt);
	}

	/**
	 * The knowledge whether others want the lock after its grant.
	 * @return {@code null} if its lease must not be idle
	 */
	@Nullable Recall recall() {
		return this.recall;
	}

	/**
	 * Note which grants its caller holds.
	 */
	void holds(List<GrantId> holds) {
		this.holds = holds;
	}

	/**
	 * A request leaves.
	 * @param placeTtl how long its place in the queue lasts, {@code null} if it takes
	 * none
	 */
	Claim send(@Nullable Duration placeTtl, ClockReading now) {
		this.requested = now;
		this.claims++;
		return new Claim(this.attempt.id(), this.attempt.limit(), this.reserve, placeTtl, this.attempt.owner(),
				this.attempt.terms().ttl(), placeTtl == null && this.claims == 1,
				(this.recall != null) ? this.attempt.terms().linger() : Duration.ZERO, this.holds);
	}

	/**
	 * The request underway was answered.
	 */
	ClockReading answered(ClaimAnswer answer) {
		ClockReading requested = Objects.requireNonNull(this.requested, "Answered before the request was sent");
		this.requested = null;
		this.unknown |= answer.inDoubt();
		return requested;
	}

	/**
	 * The claim was denied.
	 */
	void denied(ClaimAnswer answer) {
		this.lastAnswer = new LastAnswer(answer.lock().liveHolders(), null);
	}

	/**
	 * The claim was granted.
	 * @param inQueue whether a request has asked for a place in the queue
	 */
	Grant granted(StoredHolder entry, ClockReading requested, boolean inQueue, boolean contended, long setAside) {
		return new Grant(entry, (int) Math.min(this.reserve, setAside), requested, this.unknown, inQueue, contended,
				this.recall);
	}

	/**
	 * The request failed.
	 */
	void failed(LockStoreException failure) {
		this.requested = null;
		this.unknown |= failure.getOutcome() == Outcome.UNKNOWN;
		this.lastAnswer = new LastAnswer(this.lastAnswer.holders(), failure);
	}

	/**
	 * How many requests have left.
	 */
	int claims() {
		return this.claims;
	}

	/**
	 * Whether a request may still be executed.
	 */
	boolean isUnknown() {
		return this.unknown;
	}

	/**
	 * Plan the clean-up after the requests.
	 * @param inQueue whether one of them may have entered the queue
	 */
	OrphanCleanup cleanUp(boolean inQueue, ClockReading now) {
		OrphanCleanup cleanup = new OrphanCleanup(now, this.attempt.terms().ttl(), this.unknown);
		return (inQueue) ? cleanup.alsoInQueue() : cleanup;
	}

	/**
	 * Whether to clean up if the acquisition ends now. If a request is underway, its end
	 * decides that instead.
	 * @return whether a request may still be executed, and none is underway
	 */
	boolean leavesBehind() {
		return this.unknown && this.requested == null;
	}

	LastAnswer lastAnswer() {
		return this.lastAnswer;
	}

	/**
	 * The wait is over, and so is the time for the last request.
	 */
	LockStoreException unanswered() {
		return LockExceptions.unanswered(this.attempt, this.requested != null, this.unknown, this.lastAnswer.failure());
	}

	/**
	 * The last answer of the store.
	 *
	 * @param holders the holders of the lock
	 * @param failure how the last request failed, {@code null} if it did not
	 */
	record LastAnswer(List<LockHolder> holders, @Nullable LockStoreException failure) {

		private static final LastAnswer NONE = new LastAnswer(List.of(), null);

	}

}
