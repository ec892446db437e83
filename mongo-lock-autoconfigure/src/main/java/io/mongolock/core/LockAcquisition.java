package io.mongolock.core;

import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHolder;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.core.AcquisitionRequests.LastAnswer;
import io.mongolock.core.AcquisitionStep.Cancelled;
import io.mongolock.core.AcquisitionStep.End;
import io.mongolock.core.AcquisitionStep.GrantedTooLate;
import io.mongolock.core.AcquisitionStep.TooLate;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LeaseId;

/**
 * The whole life of one attempt at a lock, under one token: waits in the local queue,
 * asks the store when its turn has come, stands in the queue there, and ends with a grant
 * or without. Whoever runs it feeds it what happens and does what the returned
 * {@link AcquisitionStep} says. Knows no thread, clock or driver.
 * <p>
 * A request whose outcome is unknown is retried under the same token, which the store
 * answers with the same grant. Where a request may still be executed after the end, or
 * was granted after it, the step says that the token has to be cleaned up.
 * <p>
 * Thread-safe: each event is one step of its {@link AcquisitionState}; the turn is passed
 * on outside of that.
 */
public final class LockAcquisition implements LocalWaitQueues.Member {

	private final ClientQueues client;

	private final LockRequest request;

	private final LeaseId id;

	private final int limit;

	private final LockOwner owner;

	private final ResolvedLockSettings terms;

	private final ClockReading begun;

	final AcquisitionState state;

	private @Nullable Caller caller;

	/**
	 * Create an attempt, to be begun by {@link #begin}.
	 * @param client what it shares with the others of this JVM
	 * @param claim what to ask of the store; the fences it reserves are asked for only if
	 * the lock is for one alone and others of this JVM want it, too
	 */
	public LockAcquisition(ClientQueues client, LockRequest request, Claim claim, ResolvedLockSettings terms,
			ClockReading begun) {
		this.client = client;
		this.request = request;
		this.id = claim.id();
		this.limit = claim.limit();
		this.owner = claim.owner();
		this.terms = terms;
		this.begun = begun;
		this.state = new AcquisitionState(this, client, claim, terms, begun);
	}

	public LockRequest request() {
		return this.request;
	}

	public LeaseId id() {
		return this.id;
	}

	public String key() {
		return this.id.key();
	}

	LockOwner owner() {
		return this.owner;
	}

	public ResolvedLockSettings terms() {
		return this.terms;
	}

	public ClockReading begun() {
		return this.begun;
	}

	@Override
	public int limit() {
		return this.limit;
	}

	/**
	 * Who held the lock when the store last answered.
	 */
	public List<LockHolder> holders() {
		return lastAnswer().holders();
	}

	/**
	 * Whether its last request had no answer, or was refused.
	 * @return whether the next one may have none, either
	 */
	public boolean isUnanswered() {
		return lastAnswer().failure() != null;
	}

	LastAnswer lastAnswer() {
		return this.state.lastAnswer();
	}

	/**
	 * Its place in the queue of the store when that was last seen.
	 * @return the place, or {@code null} if it never had one
	 */
	public @Nullable QueuePosition place() {
		QueuedClaim place = this.state.place();
		return (place != null) ? place.seen() : null;
	}

	/**
	 * How long to wait before a look at a place.
	 * @return nanoseconds, drawn by lot so that no two JVMs keep looking together
	 */
	long pause(QueuePosition seen) {
		return 1 + this.client.random()
			.applyAsLong(this.client.places().pause(seen.releasesNeeded(), this.terms.retryInterval()));
	}

	/**
	 * Whether its wait, and the time for its last request, go on.
	 * @return whether somebody may still run it
	 */
	boolean mayAct(ClockReading now) {
		long since = now.nanos() - this.begun.nanos() - this.terms.operationTimeout().toNanos();
		return since < this.terms.waitTimeout().toNanos();
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
	 * @param caller is notified of the turn and of a stop
	 */
	public AcquisitionStep begin(Caller caller) {
		this.caller = caller;
		return (this.client.join(this)) ? this.state.turnAtOnce(this.begun) : timer(this.begun);
	}

	/**
	 * The turn to ask has come, or to hold what was handed over.
	 */
	public AcquisitionStep turn(ClockReading now) {
		lookOnTheWay(now);
		return this.state.turn(now);
	}

	/**
	 * Another of this JVM hands its lock over, unless this attempt has ended. The turn is
	 * to be passed on in either case.
	 * @param register is given what this one holds; must not block
	 */
	boolean takeOver(HeldLock from, ClockReading now, Consumer<HeldLock> register) {
		LockAcquisition next = null;
		boolean taken = false;
		synchronized (this.state) {
			HeldLock held = (this.state.isQueued()) ? from.handOver(this, now) : null;
			if (held != null) {
				// Should this throw, the attempt goes on
				register.accept(held);
				next = this.client.handedOver(this, from, held);
				this.state.handed(held);
				taken = true;
			}
			else if (this.state.isOver()) {
				next = this.client.queues().left(key(), this);
			}
		}
		ClientQueues.passTurn(next);
		return taken;
	}

	/**
	 * The time until {@link #dueIn} has passed, or less.
	 */
	public AcquisitionStep timer(ClockReading now) {
		lookOnTheWay(now);
		return leaveIfOver(this.state.timer(now));
	}

	/**
	 * The request leaves.
	 * @return what to ask of the store, upon which {@link #answered} or {@link #failed}
	 * must follow; {@code null} if it is not wanted any more
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
	 * Whoever wanted the lock no longer does.
	 * @return {@link Cancelled}, or {@link TooLate} if the attempt had ended before
	 */
	public AcquisitionStep cancel() {
		return leaveIfOver(this.state.cancel());
	}

	/**
	 * Its place in the queue says that it could be admitted, or has none any more.
	 */
	void call() {
		if (this.state.call()) {
			callTurn();
		}
	}

	/**
	 * Tell the caller that no more locks are granted. May be called by any thread.
	 */
	public void stop() {
		Caller caller = this.caller;
		if (caller != null) {
			caller.stop();
		}
	}

	// Its thread may have stood still since it was handed the lock. The look publishes a
	// loss, so outside of the monitor
	private void lookOnTheWay(ClockReading now) {
		HeldLock handed = this.state.onTheWay();
		if (handed != null) {
			handed.lease().isHeld(now);
		}
	}

	private AcquisitionStep leaveIfOver(AcquisitionStep step) {
		if (step instanceof End end) {
			this.client.leave(this, end, this.state.place());
		}
		return step;
	}

	// A request that was underway at the end may have entered the queue after it was left
	private AcquisitionStep leaveAgainIfLate(AcquisitionStep step) {
		if (step instanceof TooLate || step instanceof GrantedTooLate) {
			this.client.leaveQueue(this.state.place(), step instanceof GrantedTooLate);
		}
		return step;
	}

	/**
	 * The next request enters the queue, as others stand there.
	 */
	void expectQueue() {
		this.state.expectQueue();
	}

	/**
	 * The turn has come: the caller is to go on.
	 */
	void callTurn() {
		Caller caller = this.caller;
		if (caller != null) {
			caller.turn();
		}
	}

	/**
	 * Somebody who wants a lock and runs the attempt at it.
	 */
	public interface Caller {

		/**
		 * The turn to ask has come, or to hold: {@link LockAcquisition#turn} is to
		 * follow. Called by any thread, and again each time that the place in the queue
		 * says so. Must neither block nor throw.
		 */
		void turn();

		/**
		 * The client stops: {@link LockAcquisition#cancel} is to follow. Called by any
		 * thread. Must neither block nor throw.
		 */
		void stop();

	}

}
