package io.mongolock.faults.simulation;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.mongolock.core.ClockReading;
import io.mongolock.core.HeldLock;
import io.mongolock.core.LockTerms;
import io.mongolock.core.ReleaseDecision.ReleaseOutcome;
import io.mongolock.store.LeaseId;

/**
 * One attempt as it is known: the truth of the store beside what its client learnt. Who
 * is handed a lock holds the entry of another attempt, of which alone the store knows.
 * Times are true ones, negative for never.
 */
final class LeaseHistory {

	final LeaseId id;

	final SimulatedProcess client;

	final LockTerms terms;

	/** How many may hold the lock together with it. */
	final int limit;

	/** Since when its client keeps its lease, for the next one that takes it. */
	long idleAt = -1;

	/** When its lease, of this entry, was last taken that was idle. */
	long takenAt = -1;

	/** How long its lease lasts in the store at most. */
	Duration ttl;

	/** Whether it waits until the end for what others left. */
	final boolean last;

	/** The attempt whose token stands in the store. */
	LeaseHistory entry = this;

	@Nullable HeldLock heldLock;

	/** The holder of this attempt's entry. */
	@Nullable HeldLock holder;

	@Nullable ReleaseOutcome outcome;

	long grantedAt = -1;

	/** What was left of it when its client learnt of the grant. */
	long leftWhenTold = -1;

	/** When the last renewal left that was answered in time. */
	@Nullable ClockReading renewed;

	long overtakenAt = -1;

	long claimedAt = -1;

	long touchedAt = -1;

	long expiredAt = -1;

	long freedAt = -1;

	long overAt = -1;

	/** Until when the thread that claims stood still with an answer. */
	long starvedUntil = -1;

	boolean unknown;

	/** Whether it was granted when nobody wanted it any more. */
	boolean late;

	/** When the store gave it its place in the queue. */
	long placedAt = -1;

	/** Whether it was called and took so long to ask that its place may have run out. */
	boolean slow;

	/**
	 * Whether its document was deleted under it, which its client learns at a renewal.
	 */
	boolean deleted;

	/** Whether its client asked the store to release it, or left it to run out. */
	boolean releaseAsked;

	boolean leftToExpire;

	/** Whether a claim of it was answered with the lock. */
	boolean grantAnswered;

	/** When it was claimed again, since that answer was read too late to rely on. */
	long askedAgainAt = -1;

	/** Whose attempt it is. */
	@Nullable BatonThread wants;

	boolean doubled;

	/** Whether its release was answered, so that its minimum hold is kept. */
	boolean kept;

	boolean notified;

	LeaseHistory(LeaseId id, SimulatedProcess client, LockTerms terms, int limit, boolean last) {
		this.id = id;
		this.client = client;
		this.terms = terms;
		this.ttl = terms.ttl();
		this.limit = limit;
		this.last = last;
	}

	boolean isOver() {
		return this.overAt >= 0;
	}

	// How long the client still relies on it
	long relied() {
		HeldLock held = this.heldLock;
		return (held != null && !isOver()) ? held.lease().remaining(this.client.now()).toNanos() : 0;
	}

	// Whether its client had an answer that it may rely on
	boolean isRenewed() {
		ClockReading renewed = this.renewed;
		return renewed != null && this.client.now().elapsedSince(renewed) < this.terms.reliable().toNanos();
	}

	@Override
	public String toString() {
		HeldLock held = this.heldLock;
		return this.client.name + " " + this.id.leaseToken()
				+ ((held != null) ? " (fence " + held.lease().fence() + ")" : "");
	}

}
