package io.mongolock.core;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

import io.mongolock.LossReason;
import io.mongolock.OnLost;

/**
 * All that rely on a held lock: its first holder and all that share it; the last one to
 * leave has it released, and a thread that works under it may have to know at once if it
 * is lost. A statement underway that may itself end the lock makes the release wait.
 * Knows no thread, clock or driver. Thread-safe, guarded by the monitor.
 */
public final class HoldReferences {

	private final Attempt attempt;

	private final Lease lease;

	private final HoldEnd ending;

	private final List<Runnable> lossActions = new CopyOnWriteArrayList<>();

	private int shares = 1;

	/** Whether anybody but the first has ever relied on it. */
	private boolean shared;

	/** Whether the last one let go of it while a statement was underway. */
	private boolean deferred;

	HoldReferences(Attempt attempt, Lease lease, HoldEnd ending) {
		this.attempt = attempt;
		this.lease = lease;
		this.ending = ending;
	}

	/**
	 * Somebody more relies on the lock, by a claim of its own.
	 * @param limit how many that claim would let hold the lock together
	 * @return whether it is not released yet
	 * @throws io.mongolock.LockLostException if the lock was lost
	 * @throws IllegalStateException if the lock is held together with others and the
	 * claim does not allow that
	 */
	public boolean add(int limit, ClockReading now) {
		if (!this.lease.isHeld(now) && this.lease.lossReason() != null) {
			throw LockExceptions.lost(this.lease);
		}
		if (limit < this.attempt.limit()) {
			throw LockExceptions.stricterWithin(this.attempt, limit);
		}
		return add();
	}

	/**
	 * Somebody more relies on the lock.
	 * @return whether it is not released yet
	 */
	public synchronized boolean add() {
		if (this.shares > 0) {
			this.shares++;
			this.shared = true;
		}
		return this.shares > 0;
	}

	/**
	 * Whether anybody but its first holder has ever relied on it.
	 */
	public synchronized boolean wasShared() {
		return this.shared;
	}

	/**
	 * Somebody relies on the lock no longer.
	 * @return whether nobody does, so that the lock is to be released now: not if it was
	 * ended by others, or that has to wait for the statement underway
	 */
	public synchronized boolean remove() {
		boolean last = --this.shares == 0;
		this.deferred |= last && isSuspended();
		return last && !this.ending.isEndedByOthers() && !isSuspended();
	}

	/**
	 * A statement begins that may end the lock.
	 */
	public synchronized void statementBegins() {
		this.lease.suspend(true);
	}

	/**
	 * The statement is over and has not ended the lock.
	 * @return whether nobody relies on it any more: the lock has to be released
	 */
	public synchronized boolean statementOver() {
		boolean release = this.deferred && !this.ending.isEndedByOthers();
		this.deferred = false;
		this.lease.suspend(false);
		return release;
	}

	/**
	 * Whether it is known to be gone, and was not ended by one of those who rely on it.
	 * Only the release of a lease that ran out knows whether others were granted the
	 * lock; work that was interrupted for it is not whole either way.
	 */
	public boolean isGone() {
		LossReason reason = this.lease.lossReason();
		return !this.ending.isEndedByOthers() && !isSuspended() && reason != null
				&& (reason != LossReason.DEADLINE || this.attempt.request().onLost() == OnLost.INTERRUPT);
	}

	/**
	 * Check that the lock can be relied on.
	 * @throws io.mongolock.LockLostException if it cannot
	 */
	public void assertHeld(ClockReading now) {
		if (!this.lease.isHeld(now)) {
			throw LockExceptions.lost(this.lease);
		}
	}

	/**
	 * Whether a statement is underway that may end the lock.
	 */
	public boolean isSuspended() {
		return this.lease.isSuspended();
	}

	/**
	 * Somebody works under the lock who has to know at once if it is lost; if it was lost
	 * already, the action runs now.
	 * @param action must neither block nor throw
	 */
	public void onLoss(Runnable action) {
		this.lossActions.add(action);
		if (this.lease.lossReason() != null) {
			action.run();
		}
	}

	/**
	 * Somebody works under the lock no longer.
	 */
	public void removeOnLoss(Runnable action) {
		this.lossActions.remove(action);
	}

	/**
	 * Whether somebody else works under the lock who has to know of its loss.
	 */
	public boolean hasOnLoss(Predicate<Runnable> action) {
		return this.lossActions.stream().anyMatch(action);
	}

	/**
	 * Check that what was done under the lock may be committed.
	 * @throws io.mongolock.LockLostException if it was lost, unless the request says to
	 * ignore that
	 */
	public void assertMayCommit(ClockReading now) {
		if (this.ending.isEndedByOthers() || isSuspended()) {
			// What was written instead of a release is a part of the transaction
			return;
		}
		if (this.attempt.request().onLost() != OnLost.IGNORE) {
			assertHeld(now);
		}
	}

	/**
	 * Check that nobody else who relies on the lock has ended it.
	 * @throws io.mongolock.LockLostException if somebody has, unless the request says to
	 * ignore that
	 */
	public void assertNotEndedWithin() {
		if (this.ending.isEndedByOthers() && this.attempt.request().onLost() != OnLost.IGNORE) {
			throw LockExceptions.endedWithin(this.lease);
		}
	}

	void lost() {
		this.lossActions.forEach(Runnable::run);
	}

}
