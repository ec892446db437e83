package io.mongolock.core;

import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockDeadlock;
import io.mongolock.LockException;
import io.mongolock.LockHolder;
import io.mongolock.LockStoreException;
import io.mongolock.LockUnavailableException;
import io.mongolock.core.AcquisitionRequests.LastAnswer;
import io.mongolock.core.AcquisitionStep.Cancelled;
import io.mongolock.core.AcquisitionStep.Denied;
import io.mongolock.core.AcquisitionStep.Failed;
import io.mongolock.core.AcquisitionStep.GrantedTooLate;
import io.mongolock.core.AcquisitionStep.LastStep;
import io.mongolock.core.AcquisitionStep.LostOnTheWay;
import io.mongolock.core.AcquisitionStep.TooLate;
import io.mongolock.core.DeadlockSearch.Waiter;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.GrantId;

/**
 * Runs an {@link Attempt} at a lock from its beginning to its end, with or without a
 * grant. {@link AcquisitionState} says how the attempt waits. The driver reports each
 * event, and does what the returned {@link AcquisitionStep} says. If a request may still
 * be executed after the end, or was granted after the end, the step says that the token
 * has to be cleaned up. Knows no thread, clock or driver.
 * <p>
 * Thread-safe: each event is one step of its {@link AcquisitionState}. The turn is passed
 * on outside of that step.
 */
public final class LockAcquisition extends LocalWaiter {

	private final ClientQueues client;

	private final Attempt attempt;

	final AcquisitionState state;

	private @Nullable Caller caller;

	/** The grants that its caller holds meanwhile, once it has to wait. */
	private volatile List<GrantId> holds = List.of();

	/** The deadlock in which it waits or has waited. */
	private volatile @Nullable LockDeadlock deadlock;

	/**
	 * Create an acquisition. {@link #begin} is its first event.
	 * @param client the queues that it shares with the other acquisitions of its client
	 * @param reserve how many fences it sets aside if the lock is exclusive and others of
	 * this JVM want it, too
	 * @param onLost is given the lock if it is lost, as described by {@link HeldLock}
	 */
	public LockAcquisition(ClientQueues client, Attempt attempt, int reserve, Consumer<HeldLock> onLost) {
		this.client = client;
		this.attempt = attempt;
		this.state = new AcquisitionState(this, client, reserve, onLost);
	}

	@Override
	public Attempt attempt() {
		return this.attempt;
	}

	@Override
	public int limit() {
		return this.attempt.limit();
	}

	/**
	 * The holders of the lock, as far as this JVM knows without asking the store.
	 */
	private List<LockHolder> holders(ClockReading now) {
		return this.client.ahead(this, now).holders();
	}

	/**
	 * How often it has asked the store.
	 */
	public int claims() {
		return this.state.claims();
	}

	/**
	 * Whether its last request had no answer, or was refused.
	 * @return whether the next request may have no answer, either
	 */
	public boolean isUnanswered() {
		return lastAnswer().failure() != null;
	}

	@Override
	@Nullable Recall recall() {
		return this.state.recall();
	}

	@Override
	LastAnswer lastAnswer() {
		return this.state.lastAnswer();
	}

	/**
	 * Its position in the queue of the store, as last seen.
	 * @return the position, or {@code null} if none was seen
	 */
	public @Nullable QueuePosition position() {
		QueuePlace place = this.state.place();
		return (place != null) ? place.seen() : null;
	}

	/**
	 * Why it ended without the lock.
	 */
	public LockException failure(LastStep end, ClockReading now) {
		if (end instanceof Failed failed) {
			return failed.failure();
		}
		Denied denied = (Denied) end;
		if (denied.reason() == Denied.Reason.QUEUE_FULL) {
			return LockExceptions.queueFull(this.attempt, denied.holders(), this.client.places().max(), claims(), now);
		}
		return LockExceptions.unavailable(this.attempt, denied.holders(), claims(), position(), this.deadlock,
				denied.reason() == Denied.Reason.DEADLOCK, now);
	}

	/**
	 * It has to wait, while its caller holds other locks.
	 * @param holds the grants that its caller cannot end before this acquisition has
	 * ended
	 */
	public void waits(List<GrantId> holds) {
		this.holds = holds;
		this.state.holds(holds);
	}

	/**
	 * This acquisition as a waiter in a search for deadlocks.
	 */
	public Waiter toWaiter() {
		return new Waiter(this.attempt.id(), this.attempt.limit(), this.attempt.owner(), this.holds);
	}

	/**
	 * It waits in a deadlock: others wait for its caller, while it waits for them.
	 */
	public void deadlocked(LockDeadlock deadlock) {
		this.deadlock = deadlock;
	}

	/**
	 * Its wait ends now instead of at its timeout, because it is part of a deadlock. Its
	 * caller is told that its turn has come.
	 */
	public void giveUp(ClockReading now) {
		this.state.giveUp(now);
		callTurn();
	}

	/**
	 * The wait was interrupted.
	 */
	public LockUnavailableException interrupted(ClockReading now) {
		return LockExceptions.interrupted(this.attempt, holders(now), claims(), now);
	}

	/**
	 * The client has stopped.
	 */
	public LockUnavailableException stopped(ClockReading now) {
		return LockExceptions.stopped(this.attempt, holders(now), claims(), now);
	}

	/**
	 * How to clean up the token when a step says so.
	 */
	public OrphanCleanup cleanUp(ClockReading now) {
		return this.state.cleanUp(now);
	}

	/**
	 * When {@link #timer} is due unless something happens before.
	 * @return nanoseconds, zero or more; negative if the attempt has ended
	 */
	public long dueIn(ClockReading now) {
		return this.state.dueIn(now);
	}

	/**
	 * Join the queue. The first event.
	 * @param caller learns of the turn and of a stop
	 */
	public AcquisitionStep begin(Caller caller, ClockReading now) {
		this.caller = caller;
		boolean asks = this.client.join(this);
		this.client.joined(this);
		if (asks) {
			return this.state.turnAtOnce(now);
		}
		this.client.linger().wanted(this.attempt.key());
		return (this.state.onTheWay() != null) ? turn(now) : timer(now);
	}

	/**
	 * The turn has come to ask, or to hold a lock that was handed over.
	 */
	public AcquisitionStep turn(ClockReading now) {
		checkOnTheWay(now);
		return wantedAnew(this.state.turn(now));
	}

	@Override
	boolean accept(HeldLock from, ClockReading now, Consumer<HeldLock> register) {
		LocalWaiter next = null;
		boolean taken = false;
		synchronized (this.state) {
			HeldLock held = (this.state.isQueued()) ? from.handOver(this.attempt, now) : null;
			if (held != null) {
				// If this throws, the attempt goes on
				register.accept(held);
				next = this.client.handedOver(this, from, held);
				this.state.handed(held);
				taken = true;
			}
			else if (this.state.hasEnded()) {
				next = this.client.left(this);
			}
		}
		ClientQueues.wake(next);
		return taken;
	}

	/**
	 * The time of {@link #dueIn} has passed, or only a part of it.
	 */
	public AcquisitionStep timer(ClockReading now) {
		checkOnTheWay(now);
		return wantedAnew(leaveIfOver(this.state.timer(now)));
	}

	/**
	 * The request leaves.
	 * @return the claim to send to the store, {@code null} if it is no longer wanted.
	 * After a claim, {@link #answered} or {@link #failed} must follow
	 */
	public @Nullable Claim send(ClockReading now) {
		return this.state.send(now);
	}

	/**
	 * The store answered.
	 */
	public AcquisitionStep answered(ClaimAnswer answer, ClockReading now) {
		return leaveAgainIfLate(leaveIfOver(this.state.answered(answer, now)));
	}

	/**
	 * The store failed.
	 */
	public AcquisitionStep failed(LockStoreException failure, ClockReading now) {
		return leaveAgainIfLate(leaveIfOver(this.state.failed(failure, now)));
	}

	/**
	 * The brief first try failed, so the request is repeated.
	 */
	public AcquisitionStep failedFirst(LockStoreException failure, ClockReading now) {
		return leaveAgainIfLate(leaveIfOver(this.state.failedFirst(failure, now)));
	}

	/**
	 * The caller no longer wants the lock.
	 * @return {@link Cancelled}, or {@link TooLate} if the attempt had ended before
	 */
	public AcquisitionStep cancel() {
		return leaveIfOver(this.state.cancel());
	}

	@Override
	void stop() {
		Caller caller = this.caller;
		if (caller != null) {
			caller.stop();
		}
	}

	// Its thread may have stood still since it was handed the lock. The check may publish
	// a loss, so it runs outside of the monitor
	private void checkOnTheWay(ClockReading now) {
		HeldLock handed = this.state.onTheWay();
		if (handed != null) {
			handed.lease().isHeld(now);
		}
	}

	// It has joined the queue once more
	private AcquisitionStep wantedAnew(AcquisitionStep step) {
		if (step instanceof LostOnTheWay) {
			this.client.joined(this);
			this.client.linger().wanted(this.attempt.key());
		}
		return step;
	}

	private AcquisitionStep leaveIfOver(AcquisitionStep step) {
		if (step instanceof LastStep end) {
			this.client.leave(this, end, this.state.place());
		}
		return step;
	}

	// A request that was underway at the end may have entered the queue after the attempt
	// left it
	private AcquisitionStep leaveAgainIfLate(AcquisitionStep step) {
		if (step instanceof TooLate || step instanceof GrantedTooLate) {
			this.client.leaveQueue(this.state.place(), step instanceof GrantedTooLate);
		}
		return step;
	}

	@Override
	void expectQueue() {
		this.state.expectQueue();
	}

	@Override
	void callTurn() {
		Caller caller = this.caller;
		if (caller != null) {
			caller.turn();
		}
	}

	/**
	 * Wants a lock, and runs the attempt at it.
	 */
	public interface Caller {

		/**
		 * The turn has come to ask, to hold or to give up, so
		 * {@link LockAcquisition#turn} must follow. Called by any thread, and again each
		 * time that the place in the queue says so. Must neither block nor throw.
		 */
		void turn();

		/**
		 * The client stops, so {@link LockAcquisition#cancel} must follow. Called by any
		 * thread. Must neither block nor throw.
		 */
		void stop();

	}

}
