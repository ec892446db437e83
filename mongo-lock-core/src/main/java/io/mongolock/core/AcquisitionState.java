package io.mongolock.core;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHolder;
import io.mongolock.LockPlace;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.core.AcquisitionRequests.LastAnswer;
import io.mongolock.core.AcquisitionStep.Ask;
import io.mongolock.core.AcquisitionStep.Cancelled;
import io.mongolock.core.AcquisitionStep.Denied;
import io.mongolock.core.AcquisitionStep.Failed;
import io.mongolock.core.AcquisitionStep.Granted;
import io.mongolock.core.AcquisitionStep.GrantedTooLate;
import io.mongolock.core.AcquisitionStep.LostOnTheWay;
import io.mongolock.core.AcquisitionStep.TooLate;
import io.mongolock.core.AcquisitionStep.Wait;
import io.mongolock.core.WaitQueue.IdleTurn;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.GrantId;
import io.mongolock.store.StoredHolder;

/**
 * How a waiter waits: in which phase an attempt is, and what follows from an event.
 * Thread-safe: each event is one step under the monitor.
 * <p>
 * <b>In this JVM.</b> Of the attempts at a key only the first in the local queue asks the
 * store. The others wait for their turn, or a holder of this JVM hands them the lock.
 * <p>
 * <b>In the store.</b> The first request takes no place in the queue there, unless others
 * are known to stand in it: most locks are free, and a place has to be written and
 * removed again. If it is denied, the second request enters the queue, and from then on
 * the attempt has a {@link QueuePlace}. While it stands there it sends nothing and needs
 * no thread. {@link QueuePlaces} refreshes the places of all attempts with one request,
 * hears of releases, and looks when those ahead may have run out. If that shows that the
 * store could admit the attempt, or has lost its place, the place calls the turn of the
 * attempt, which asks.
 * <p>
 * <b>A hint is never a proof.</b> The store alone decides. A hint too many costs one
 * request that is denied, and a hint too few a delay until the next look. An answer may
 * be older than the hints that came while it was underway, so the place counts these: if
 * they could admit the attempt, it asks again at once. A turn that nobody called does no
 * harm.
 * <p>
 * <b>The end.</b> When the wait is over, one last request asks without taking a place. An
 * answer that comes later than one operation timeout after that is too late, and the
 * token is cleaned up. A request that failed is repeated after a random time under the
 * same token: if it was executed after all, the store answers with the same grant. Where
 * many requests take long, the first one is a brief try, which is repeated at once with
 * all of its timeout: so a document that is blocked keeps a thread for a moment only. An
 * attempt whose time is over before it has a place may have met an idle lease. It then
 * enters the queue all the same, which recalls the lease, and asks once more
 * {@link #EXTRA_WAIT} later.
 * <p>
 * The phase is not the whole state. The place stays from the first request in the queue
 * to the end, also while the attempt asks or backs off. {@link AcquisitionRequests} know
 * what is underway and what may still be executed. {@code until} is when the phase ends
 * by itself, and {@code left} is what is left of the wait. <pre>
 * phase         event                      next phase
 * QUEUED        turn                       ASKING; OVER with an idle lease of this client,
 *                                          or QUEUED while that is released
 *               a lock is handed over      HANDED
 *               the wait is over           OVER, denied or failed as those ahead were
 * ASKING, LAST  grant                      OVER; as upon a failure if it took too long
 *               denial                     see below
 *               failure                    BACKING_OFF; OVER if the store refused, or the
 *                                          wait is over; ASKING if it was a brief try
 *               no answer in time          OVER, failed
 * BACKING_OFF   its time is over           ASKING, or LAST if the wait is over
 * STANDING      turn, called by its place  ASKING
 *               the wait is over           LAST
 * HANDED        turn, the wait is over     OVER, granted; QUEUED anew if it was lost
 * any           cancel                     OVER
 * OVER          any                        OVER, too late; a grant is cleaned up
 *
 * upon a denial, the first that applies    next phase
 * the wait is over, it has no place, and
 * the lease may be idle                    ASKING, enters the queue with EXTRA_WAIT
 * the wait is over                         OVER, denied
 * it has no place                          ASKING, enters the queue
 * it just entered a queue that is full     OVER, denied
 * it is not in the queue, or there is none BACKING_OFF
 * enough places became free meanwhile      ASKING
 * none of these                            STANDING
 * </pre>
 */
final class AcquisitionState {

	/**
	 * How much longer an attempt without time to wait stands in the queue once it has
	 * recalled a lease: for the client that keeps it to hear of that and to release it.
	 */
	static final long EXTRA_WAIT = 50_000_000;

	private final LocalWaiter waiter;

	private final Attempt attempt;

	private final ClientQueues client;

	/** Whether others want the lock once it is granted, if its lease may be idle. */
	private final @Nullable Recall recall;

	private final AcquisitionRequests requests;

	private final Consumer<HeldLock> onLost;

	private Phase phase = Phase.QUEUED;

	/** When the phase is over unless something happens before, in nanoseconds. */
	private long until;

	/** Its place in the queue, from the first request that may have entered it. */
	private @Nullable QueuePlace place;

	/** Whether the first request enters the queue, as others stand there. */
	private boolean contended;

	/**
	 * By how much the wait is longer as it recalls a lease, or shorter as it gives up, in
	 * nanoseconds.
	 */
	private long extraWait;

	/** Its client has ended its wait, which was part of a deadlock. */
	private boolean givenUp;

	/**
	 * Whether the request that is underway recalls a lease, although the wait is over.
	 */
	private boolean recalls;

	/** Whether listeners know of the place. */
	private boolean notified;

	/** What another of this JVM handed over. */
	private @Nullable HeldLock handedOver;

	AcquisitionState(LocalWaiter waiter, @Nullable Recall recall, ClientQueues client, int reserve,
			Consumer<HeldLock> onLost) {
		this.waiter = waiter;
		this.recall = recall;
		this.attempt = waiter.attempt();
		this.client = client;
		this.requests = new AcquisitionRequests(this.attempt, recall, reserve);
		this.onLost = onLost;
		this.until = this.attempt.begun().nanos() + this.attempt.terms().waitTimeout().toNanos();
	}

	LastAnswer lastAnswer() {
		return this.requests.lastAnswer();
	}

	synchronized int claims() {
		return this.requests.claims();
	}

	synchronized boolean isUnknown() {
		return this.requests.isUnknown();
	}

	synchronized boolean isQueued() {
		return this.phase == Phase.QUEUED;
	}

	synchronized boolean hasEnded() {
		return this.phase == Phase.OVER;
	}

	synchronized void holds(List<GrantId> holds) {
		this.requests.holds(holds);
	}

	synchronized void expectQueue() {
		this.contended = true;
	}

	synchronized void handed(HeldLock held) {
		this.handedOver = held;
		this.phase = Phase.HANDED;
	}

	/**
	 * What another handed over and nobody holds yet.
	 * @return the lock, or {@code null} if there is none
	 */
	synchronized @Nullable HeldLock onTheWay() {
		return (this.phase == Phase.HANDED) ? this.handedOver : null;
	}

	synchronized @Nullable QueuePlace place() {
		return this.place;
	}

	synchronized long dueIn(ClockReading now) {
		return (this.phase != Phase.OVER) ? Math.max(0, this.until - now.nanos()) : -1;
	}

	/**
	 * The turn to ask comes with the begin, as nobody of this JVM is ahead.
	 */
	synchronized AcquisitionStep turnAtOnce(ClockReading now) {
		// Nobody to hand it to, unless the lease may linger. That stays so: a late
		// duplicate of the first request may be what is granted
		this.requests.reserveNothing();
		return turn(now);
	}

	synchronized AcquisitionStep turn(ClockReading now) {
		return switch (this.phase) {
			case QUEUED -> takeIdleOrAsk(now);
			case STANDING -> (this.place != null && this.place.isCalled()) ? ask(now) : new Wait(dueIn(now));
			case HANDED -> hold(now);
			case OVER -> new TooLate(false);
			default -> new Wait(dueIn(now));
		};
	}

	synchronized AcquisitionStep timer(ClockReading now) {
		if (this.phase == Phase.OVER) {
			return new TooLate(false);
		}
		long left = this.until - now.nanos();
		if (left > 0) {
			return new Wait(left);
		}
		return switch (this.phase) {
			case QUEUED -> neverAsked(now);
			case BACKING_OFF, STANDING -> ask(now);
			case HANDED -> hold(now);
			default -> new Failed(this.requests.unanswered(), end());
		};
	}

	/**
	 * The wait is over now, as it is part of a deadlock. A request that is underway is
	 * the last one.
	 */
	synchronized void giveUp(ClockReading now) {
		this.givenUp = true;
		this.extraWait = -this.attempt.left(now);
		if (this.phase != Phase.ASKING && this.phase != Phase.LAST) {
			this.until = now.nanos();
		}
	}

	synchronized @Nullable Claim send(ClockReading now) {
		if (this.phase != Phase.ASKING && this.phase != Phase.LAST) {
			return null;
		}
		if (this.place == null) {
			return this.requests.send(null, now);
		}
		this.place.asks(now);
		return this.requests.send((this.phase != Phase.LAST) ? this.client.places().ttl() : null, now);
	}

	synchronized AcquisitionStep answered(ClaimAnswer answer, ClockReading now) {
		ClockReading requested = this.requests.answered(answer);
		Optional<StoredHolder> holder = answer.grantTo(this.attempt.id().leaseToken());
		if (this.phase == Phase.OVER) {
			return (holder.isPresent()) ? new GrantedTooLate() : new TooLate(isUnknown());
		}
		if (this.recall != null && this.client.idle().wasRecalled(this.attempt.key(), answer.lock().recalled())) {
			// Nor is this one kept
			this.recall.want();
		}
		if (holder.isEmpty()) {
			this.requests.denied(answer);
			return denied(answer, now);
		}
		long elapsed = now.elapsedSince(requested);
		if (elapsed >= this.attempt.terms().reliable().toNanos()) {
			return failed(LockExceptions.answeredTooLate(this.attempt, elapsed), now);
		}
		return granted(
				this.requests.granted(holder.get(), requested, answer.hasWaiters(), answer.setAside(holder.get())),
				answer, now);
	}

	synchronized AcquisitionStep failedFirst(LockStoreException failure, ClockReading now) {
		if (this.phase == Phase.OVER || failure.getOutcome() == Outcome.REFUSED) {
			return failed(failure, now);
		}
		this.requests.failed(failure);
		return new Ask();
	}

	synchronized AcquisitionStep failed(LockStoreException failure, ClockReading now) {
		this.requests.failed(failure);
		if (this.phase == Phase.OVER) {
			return new TooLate(isUnknown());
		}
		boolean again = failure.getOutcome() != Outcome.REFUSED && left(now) > 0;
		return (again) ? backOff(now) : new Failed(failure, end());
	}

	synchronized OrphanCleanup cleanUp(ClockReading now) {
		return this.requests.cleanUp(now);
	}

	synchronized AcquisitionStep cancel() {
		return (this.phase == Phase.OVER) ? new TooLate(false) : new Cancelled(end(), this.handedOver);
	}

	private AcquisitionStep denied(ClaimAnswer answer, ClockReading now) {
		QueuePosition seen = QueuePosition.of(this.attempt, answer.lock());
		boolean recalled = this.recalls;
		this.recalls = this.place == null && left(now) <= 0 && answer.lock().mayBeIdle();
		if (this.recalls || recalled) {
			this.extraWait = EXTRA_WAIT - this.attempt.left(now);
		}
		if (left(now) <= 0) {
			if (this.place != null && seen != null) {
				this.place.saw(seen);
			}
			return denied(lastAnswer().holders());
		}
		if (this.place == null) {
			return ask(now);
		}
		if (!this.notified && seen != null && seen.othersAhead() >= this.client.places().max()) {
			return new Denied(lastAnswer().holders(), end(), Denied.Reason.QUEUE_FULL);
		}
		if (seen == null) {
			// It ran out already, or the store keeps no queue
			return backOff(now);
		}
		if (this.place.answered(seen, this.client.places().lookInterval(this.place, seen, now), now)) {
			return ask(now);
		}
		this.phase = Phase.STANDING;
		this.until = now.nanos() + left(now);
		this.client.places().stands(this.place, now);
		LockPlace taken = (this.notified) ? null : seen.toLockPlace();
		this.notified = true;
		return new Wait(left(now), taken);
	}

	private AcquisitionStep takeIdleOrAsk(ClockReading now) {
		IdleLeases idle = this.client.idle();
		IdleTurn<HeldLock> turn = (idle.isUsed()) ? idle.take(this.waiter, now) : null;
		if (turn == null) {
			if (this.attempt.lingers() && idle.isWarm(this.attempt, now)) {
				this.requests.linger(this.attempt.terms().linger(), IdleLeases.RESERVE);
			}
			return ask(now);
		}
		HeldLock taken = turn.taken();
		if (taken != null) {
			this.phase = Phase.OVER;
			return new Granted(taken, List.of());
		}
		// Nobody holds it, so the wait does not end before it is released
		long released = now.nanos() + turn.idle().terms().operationTimeout().toNanos()
				+ this.attempt.terms().operationTimeout().toNanos();
		this.until = (released - this.until > 0) ? released : this.until;
		return new Wait(dueIn(now));
	}

	private AcquisitionStep ask(ClockReading now) {
		boolean last = left(now) <= 0;
		if (!last && (this.requests.isRepeated() || this.contended) && this.place == null) {
			this.place = this.client.places().enter(this.attempt, this.waiter::callTurn, now);
		}
		if (this.place != null) {
			this.place.called();
		}
		this.phase = (last) ? Phase.LAST : Phase.ASKING;
		this.until = now.nanos() + Math.max(0, left(now)) + this.attempt.terms().operationTimeout().toNanos();
		return new Ask();
	}

	private AcquisitionStep backOff(ClockReading now) {
		// Full jitter, and one last look exactly when the wait is over
		long nanos = Math.min(this.client.places().retryIn(this.attempt, 1), left(now));
		this.phase = Phase.BACKING_OFF;
		this.until = now.nanos() + nanos;
		if (this.place != null) {
			this.place.called();
		}
		return new Wait(nanos);
	}

	private AcquisitionStep granted(Grant grant, ClaimAnswer answer, ClockReading now) {
		Granted granted = new Granted(new HeldLock(this.attempt, grant, answer.content(), now, this.onLost),
				answer.lapsedBefore(grant.entry()));
		// Only now: an attempt that is over leaves the queues with its last step alone
		this.phase = Phase.OVER;
		return granted;
	}

	private AcquisitionStep hold(ClockReading now) {
		HeldLock held = Objects.requireNonNull(this.handedOver);
		if (held.lossReason() == null) {
			this.phase = Phase.OVER;
			return new Granted(held, List.of(), true);
		}
		this.handedOver = null;
		this.phase = Phase.QUEUED;
		boolean asks = this.client.join(this.waiter);
		return new LostOnTheWay(held, (asks) ? turn(now) : new Wait(dueIn(now)));
	}

	private AcquisitionStep neverAsked(ClockReading now) {
		LastAnswer ahead = this.client.ahead(this.waiter, now);
		return (ahead.failure() != null) ? new Failed(LockExceptions.neverAsked(this.attempt, ahead.failure()), end())
				: denied(ahead.holders());
	}

	private Denied denied(List<LockHolder> holders) {
		return new Denied(holders, end(), (this.givenUp) ? Denied.Reason.DEADLOCK : Denied.Reason.WAIT_OVER);
	}

	/**
	 * End the attempt.
	 * @return whether to clean up now; while a request is underway its end will tell
	 */
	private boolean end() {
		this.phase = Phase.OVER;
		return this.requests.leavesBehind();
	}

	private long left(ClockReading now) {
		return this.attempt.left(now) + this.extraWait;
	}

	/**
	 * Where an attempt stands.
	 */
	private enum Phase {

		/** In the queue of this JVM. */
		QUEUED,

		/** About to ask, or asking. */
		ASKING,

		/** Likewise for the last time, without taking a place. */
		LAST,

		/** Until the claim is retried after a failure. */
		BACKING_OFF,

		/** In the queue of the store, until its place calls it. */
		STANDING,

		/** About to hold what was handed over. */
		HANDED,

		OVER

	}

}
