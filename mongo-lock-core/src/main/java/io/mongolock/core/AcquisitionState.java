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
import io.mongolock.core.AcquisitionStep.Denied.Reason;
import io.mongolock.core.AcquisitionStep.Failed;
import io.mongolock.core.AcquisitionStep.Granted;
import io.mongolock.core.AcquisitionStep.GrantedTooLate;
import io.mongolock.core.AcquisitionStep.LostOnTheWay;
import io.mongolock.core.AcquisitionStep.TooLate;
import io.mongolock.core.AcquisitionStep.Wait;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.GrantId;
import io.mongolock.store.StoredHolder;

/**
 * Decides how a waiter waits: in which phase its attempt is, and what follows from an
 * event. Thread-safe: each event is one step under the monitor.
 * <p>
 * <b>In this JVM.</b> Only the first attempt in the local queue of a key asks the store.
 * The others wait for their turn, or a holder of this JVM hands them the lock.
 * <p>
 * <b>In the store.</b> The first request takes no place in the queue there, unless others
 * are known to stand in it. Most locks are free, so it would be wasteful to write a place
 * and remove it again. If the first request is denied, the second enters the queue, and
 * from then on the attempt has a {@link QueuePlace}. While the attempt stands there, it
 * sends nothing and needs no thread. {@link QueuePlaces} refreshes the places of all
 * attempts with one request, hears of releases, and looks when entries ahead may have run
 * out. If the store could admit the attempt, or has lost its place, the place calls the
 * turn of the attempt. The attempt then asks.
 * <p>
 * <b>A hint is never a proof.</b> The store alone decides. A needless hint costs one
 * request that is denied, and a missing hint costs a delay until the next look. An answer
 * may be older than the hints that came while it was underway, so the place counts these
 * hints. If they could admit the attempt, it asks again at once. A turn without a call
 * does no harm.
 * <p>
 * <b>The end.</b> When the wait is over, one last request asks without taking a place. An
 * answer that comes more than one operation timeout after the end of the wait is too
 * late, and the token is cleaned up. A failed request is repeated after a random time
 * under the same token. If the failed request was executed after all, the store answers
 * with the same grant. While many requests take long, the first request of an attempt is
 * a brief try, so that a blocked document keeps a thread only for a moment. It is then
 * repeated at once with its whole timeout. An attempt whose time is over before it has a
 * place may have met an idle lease. It then enters the queue nevertheless, because that
 * recalls the lease. It asks once more {@link #EXTRA_WAIT} later.
 * <p>
 * The phase is not the whole state. The place stays from the first request in the queue
 * to the end, even while the attempt asks or backs off. {@link AcquisitionRequests} know
 * what is underway and what may still be executed. {@code until} is when the phase ends
 * by itself, and {@code ends} is when the wait does. <pre>
 * phase         event                      next phase
 * QUEUED        turn                       ASKING; QUEUED if it gave up, as its wait is over
 *               a lock is handed over      HANDED
 *               the wait is over           OVER, denied or failed as those ahead were;
 *                                          LAST with the turn, or QUEUED while an idle
 *                                          lease of this client is released
 * ASKING, LAST  grant                      OVER; as upon a failure if it took too long
 *               denial                     see below
 *               failure                    BACKING_OFF; OVER if the store refused, or the
 *                                          wait is over; ASKING if it was a brief try
 *               no answer in time          OVER, failed
 * BACKING_OFF   its time is over           ASKING, or LAST if the wait is over
 * STANDING      turn, called by its place  ASKING; LAST if it gave up
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
	 * recalled a lease. The client that keeps the lease needs that time to hear of the
	 * recall and to release the lease.
	 */
	static final long EXTRA_WAIT = 50_000_000;

	private final LocalWaiter waiter;

	private final Attempt attempt;

	private final ClientQueues client;

	private final AcquisitionRequests requests;

	private final Consumer<HeldLock> onLost;

	private Phase phase = Phase.QUEUED;

	/** When the phase is over unless something happens before, in nanoseconds. */
	private long until;

	/**
	 * Its place in the queue, since the first request that may have entered the queue.
	 */
	private @Nullable QueuePlace place;

	/** Whether the first request enters the queue, because others stand there. */
	private boolean contended;

	/**
	 * When the wait is over, in nanoseconds. This is later if the attempt recalls a
	 * lease, and earlier if the attempt gives up.
	 */
	private long ends;

	/** Whether its client has ended the wait because of a deadlock. */
	private boolean givenUp;

	/**
	 * Whether the request that is underway recalls a lease, although the wait is over.
	 */
	private boolean recalls;

	/** Whether listeners know of the place. */
	private boolean notified;

	/** The lock that another attempt of this JVM handed over. */
	private @Nullable HeldLock handedOver;

	AcquisitionState(LocalWaiter waiter, ClientQueues client, int reserve, Consumer<HeldLock> onLost) {
		this.waiter = waiter;
		this.attempt = waiter.attempt();
		this.client = client;
		this.requests = new AcquisitionRequests(this.attempt, reserve);
		this.onLost = onLost;
		this.ends = this.attempt.begun().nanos() + this.attempt.terms().waitTimeout().toNanos();
		this.until = this.ends;
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

	synchronized @Nullable Recall recall() {
		return this.requests.recall();
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
	 * The lock that was handed over to this attempt, but is not held by it yet.
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
	 * The attempt has its turn to ask from the beginning, because no attempt of this JVM
	 * is ahead.
	 */
	synchronized AcquisitionStep turnAtOnce(ClockReading now) {
		// There is no waiter for a hand-over, unless the lease may linger. Later requests
		// set nothing aside, either: a late duplicate of the first may be granted
		this.requests.reserveNothing();
		return turn(now);
	}

	synchronized AcquisitionStep turn(ClockReading now) {
		return switch (this.phase) {
			// A waiter that gives up is called before its turn
			case QUEUED -> (this.givenUp) ? new Wait(dueIn(now)) : askFirst(now);
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
	 * The wait is over now, because it is part of a deadlock. A request underway is the
	 * last one. A call of the turn must follow.
	 */
	synchronized void giveUp(ClockReading now) {
		this.givenUp = true;
		this.ends = now.nanos();
		if (this.phase != Phase.ASKING && this.phase != Phase.LAST) {
			this.until = this.ends;
			if (this.place != null) {
				this.place.called();
			}
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
		if (this.attempt.lingers()) {
			this.client.linger().answered(this.attempt.key(), answer.lock().recalled(), this.requests.recall());
		}
		if (holder.isEmpty()) {
			this.requests.denied(answer);
			return denied(answer, now);
		}
		long elapsed = now.elapsedSince(requested);
		if (elapsed >= this.attempt.terms().reliable().toNanos()) {
			return failed(LockExceptions.answeredTooLate(this.attempt, elapsed), now);
		}
		return granted(this.requests.granted(holder.get(), requested, this.place != null, answer.hasWaiters(),
				answer.setAside(holder.get())), answer, now);
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
		return this.requests.cleanUp(this.place != null, now);
	}

	synchronized AcquisitionStep cancel() {
		return (this.phase == Phase.OVER) ? new TooLate(false) : new Cancelled(end(), this.handedOver);
	}

	private AcquisitionStep denied(ClaimAnswer answer, ClockReading now) {
		QueuePosition seen = QueuePosition.of(this.attempt, answer.lock());
		boolean recalled = this.recalls;
		this.recalls = this.place == null && left(now) <= 0 && answer.lock().mayBeIdle();
		if (this.recalls || recalled) {
			this.ends = now.nanos() + EXTRA_WAIT;
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
			return new Denied(lastAnswer().holders(), end(), Reason.QUEUE_FULL);
		}
		if (seen == null) {
			// The place ran out already, or the store keeps no queue
			return backOff(now);
		}
		if (!this.client.places().stands(this.place, seen, now)) {
			return ask(now);
		}
		this.phase = Phase.STANDING;
		this.until = this.ends;
		LockPlace taken = (this.notified) ? null : seen.toLockPlace();
		this.notified = true;
		return new Wait(left(now), taken);
	}

	private AcquisitionStep askFirst(ClockReading now) {
		if (this.attempt.lingers() && this.client.linger().asks(this.attempt, now)) {
			this.requests.linger();
		}
		return ask(now);
	}

	private AcquisitionStep ask(ClockReading now) {
		boolean last = left(now) <= 0;
		this.until = now.nanos() + Math.max(0, left(now)) + this.attempt.terms().operationTimeout().toNanos();
		if (!last && (claims() > 0 || this.contended) && this.place == null) {
			this.place = this.client.places().enter(this.attempt, this.waiter::callTurn, this.until, now);
		}
		if (this.place != null) {
			this.place.called();
		}
		this.phase = (last) ? Phase.LAST : Phase.ASKING;
		return new Ask();
	}

	private AcquisitionStep backOff(ClockReading now) {
		// Full jitter, and one last request exactly when the wait is over
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
		// Set only once the step exists, because an attempt that is over leaves the
		// queues by its last step alone
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
		if (!this.givenUp && this.client.isFirst(this.waiter)) {
			List<HeldLock> holders = this.client.holders(this.attempt.key());
			if (holders.isEmpty()) {
				// Its turn came at this very moment
				return ask(now);
			}
			HeldLock holder = holders.get(0);
			long released = left(now) + holder.terms().operationTimeout().toNanos()
					+ this.attempt.terms().operationTimeout().toNanos();
			if (holder.state().wasLeftIdle() && released > 0) {
				// Nobody holds the lock, so the wait does not end before its release
				this.until = now.nanos() + released;
				return new Wait(released);
			}
		}
		LastAnswer ahead = this.client.ahead(this.waiter, now);
		return (ahead.failure() != null) ? new Failed(LockExceptions.neverAsked(this.attempt, ahead.failure()), end())
				: denied(ahead.holders());
	}

	private Denied denied(List<LockHolder> holders) {
		Reason over = (this.attempt.terms().waitTimeout().isZero()) ? Reason.NO_WAIT : Reason.TIMEOUT;
		return new Denied(holders, end(), (this.givenUp) ? Reason.DEADLOCK : over);
	}

	/**
	 * End the attempt.
	 * @return whether to clean up now; if a request is underway, its end decides that
	 */
	private boolean end() {
		this.phase = Phase.OVER;
		return this.requests.leavesBehind();
	}

	private long left(ClockReading now) {
		return this.ends - now.nanos();
	}

	/**
	 * Where an attempt stands.
	 */
	private enum Phase {

		/** In the queue of this JVM. */
		QUEUED,

		/** About to ask, or asking. */
		ASKING,

		/** About to ask, or asking, for the last time and without taking a place. */
		LAST,

		/** Waiting to repeat the claim after a failure. */
		BACKING_OFF,

		/** In the queue of the store, until its place calls it. */
		STANDING,

		/** About to hold the lock that was handed over. */
		HANDED,

		OVER

	}

}
