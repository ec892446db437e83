package io.mongolock.core;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHolder;
import io.mongolock.LockPlace;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.core.AcquisitionStep.Ask;
import io.mongolock.core.AcquisitionStep.Cancelled;
import io.mongolock.core.AcquisitionStep.Denied;
import io.mongolock.core.AcquisitionStep.Failed;
import io.mongolock.core.AcquisitionStep.Granted;
import io.mongolock.core.AcquisitionStep.GrantedTooLate;
import io.mongolock.core.AcquisitionStep.TooLate;
import io.mongolock.core.AcquisitionStep.Wait;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.StoredHolder;

/**
 * In which phase an acquisition is, and what follows from an event. Guarded by the
 * monitor of its {@link LockAcquisition}.
 * <p>
 * The first request asks without a place in line, unless others are known to stand there.
 * If it is denied, the next one enters the line, and from then on the acquisition asks
 * when its place says so, and once more when the wait is over.
 */
final class AcquisitionState {

	private final LockAcquisition acquisition;

	private final ClientQueues client;

	private Claim claim;

	private final ResolvedLockSettings terms;

	private final ClockReading begun;

	private Phase phase = Phase.QUEUED;

	/** When the phase is over unless something happens before, in nanoseconds. */
	private long until;

	/** When the request left that is underway, if one is. */
	private @Nullable ClockReading requested;

	private boolean unknown;

	/** Whether a request has ended, so that the next one repeats it. */
	private boolean repeated;

	/** Its place in line, from the first request that may have entered it. */
	private @Nullable WaitingPlace place;

	/** Whether the first request enters the line, as others stand there. */
	private boolean contended;

	/** Whether somebody was notified of the place. */
	private boolean notified;

	/** What another of this JVM handed over. */
	private @Nullable HeldLock handedOver;

	/** For others in the queue, who want to say what they wait for. */
	private volatile LastAnswer lastAnswer = LastAnswer.NONE;

	AcquisitionState(LockAcquisition acquisition, ClientQueues client, Claim claim, ResolvedLockSettings terms,
			ClockReading begun) {
		this.acquisition = acquisition;
		this.client = client;
		this.claim = claim;
		this.terms = terms;
		this.begun = begun;
		this.until = begun.nanos() + terms.waitTimeout().toNanos();
	}

	LastAnswer lastAnswer() {
		return this.lastAnswer;
	}

	boolean isUnknown() {
		return this.unknown;
	}

	boolean isQueued() {
		return this.phase == Phase.QUEUED;
	}

	boolean isOver() {
		return this.phase == Phase.OVER;
	}

	void reserveNothing() {
		this.claim = this.claim.withReserve(0);
	}

	void expectLine() {
		this.contended = true;
	}

	void handed(HeldLock held) {
		this.handedOver = held;
		this.phase = Phase.HANDED;
	}

	@Nullable WaitingPlace place() {
		return this.place;
	}

	long dueIn(ClockReading now) {
		return (this.phase != Phase.OVER) ? Math.max(0, this.until - now.nanos()) : -1;
	}

	private Claim next() {
		if (this.place == null || this.phase == Phase.LAST) {
			return (this.repeated) ? this.claim : this.claim.asFirst();
		}
		return this.claim.inLine(this.client.places().ttl());
	}

	AcquisitionStep turn(ClockReading now) {
		return switch (this.phase) {
			case QUEUED, CALLED -> ask(now);
			case HANDED -> hold();
			case OVER -> new TooLate(false);
			default -> new Wait(dueIn(now));
		};
	}

	boolean call() {
		boolean calls = this.phase == Phase.STANDING;
		this.phase = (calls) ? Phase.CALLED : this.phase;
		return calls;
	}

	AcquisitionStep timer(ClockReading now) {
		if (this.phase == Phase.OVER) {
			return new TooLate(false);
		}
		long left = this.until - now.nanos();
		if (left > 0) {
			return new Wait(left);
		}
		return switch (this.phase) {
			case QUEUED -> neverAsked(now);
			case PAUSING, STANDING, CALLED -> ask(now);
			case HANDED -> hold();
			default -> new Failed(AcquisitionFailures.unanswered(this.claim.id().key(), this.terms,
					this.requested != null, this.unknown, this.lastAnswer.failure()), end());
		};
	}

	@Nullable Claim send(ClockReading now) {
		if (this.phase != Phase.ASKING && this.phase != Phase.LAST) {
			return null;
		}
		this.requested = now;
		if (this.place != null) {
			this.place.asks();
		}
		return next();
	}

	AcquisitionStep answered(ClaimAnswer answer, ClockReading now) {
		this.repeated = true;
		ClockReading requested = Objects.requireNonNull(this.requested, "Answered before the request was sent");
		Optional<StoredHolder> holder = answer.grantTo(this.claim.id().leaseToken());
		if (this.phase == Phase.OVER) {
			this.requested = null;
			return (holder.isPresent()) ? new GrantedTooLate() : new TooLate(this.unknown);
		}
		if (holder.isPresent() && now.elapsedSince(requested) < this.terms.reliable().toNanos()) {
			Turn turn = new Turn(holder.get(), this.claim.reserve(), requested, this.unknown, answer.hasWaiters());
			return granted(turn, answer, now);
		}
		if (holder.isPresent()) {
			return failed(
					AcquisitionFailures.answeredTooLate(this.claim.id().key(), this.terms, now.elapsedSince(requested)),
					now);
		}
		this.requested = null;
		this.lastAnswer = new LastAnswer(answer.liveHolders(), null);
		return denied(answer, now);
	}

	AcquisitionStep failed(LockStoreException failure, ClockReading now) {
		this.repeated = true;
		this.requested = null;
		this.unknown |= failure.getOutcome() == Outcome.UNKNOWN;
		if (this.phase == Phase.OVER) {
			return new TooLate(this.unknown);
		}
		this.lastAnswer = new LastAnswer(this.lastAnswer.holders(), failure);
		boolean again = failure.getOutcome() != Outcome.REFUSED && left(now) > 0;
		return (again) ? pause(now) : new Failed(failure, end());
	}

	AcquisitionStep cancel() {
		return (this.phase == Phase.OVER) ? new TooLate(false) : new Cancelled(end(), this.handedOver);
	}

	private AcquisitionStep denied(ClaimAnswer answer, ClockReading now) {
		QueuePlace seen = QueuePlace.of(this.claim.id(), this.claim.limit(), answer);
		if (left(now) <= 0) {
			if (this.place != null && seen != null) {
				this.place.saw(seen);
			}
			return new Denied(this.lastAnswer.holders(), end());
		}
		if (this.place == null) {
			return ask(now);
		}
		if (seen == null) {
			// It ran out already, or the store keeps no line
			return pause(now);
		}
		if (this.place.answered(seen, this.acquisition.pause(seen), now)) {
			return ask(now);
		}
		this.phase = Phase.STANDING;
		this.until = now.nanos() + left(now);
		this.client.places().stands(this.place, now);
		LockPlace taken = (this.notified) ? null : seen.toLockPlace();
		this.notified = true;
		return new Wait(left(now), taken);
	}

	private AcquisitionStep ask(ClockReading now) {
		boolean last = left(now) <= 0;
		if (!last && (this.repeated || this.contended) && this.place == null) {
			this.place = this.client.places().enter(this.acquisition, now);
		}
		this.phase = (last) ? Phase.LAST : Phase.ASKING;
		this.until = now.nanos() + Math.max(0, left(now)) + this.terms.operationTimeout().toNanos();
		return new Ask();
	}

	private AcquisitionStep pause(ClockReading now) {
		// Full jitter, and one last look exactly when the wait is over
		long pause = 1 + this.client.random().applyAsLong(this.terms.retryInterval().toNanos());
		long nanos = Math.min(pause, left(now));
		this.phase = Phase.PAUSING;
		this.until = now.nanos() + nanos;
		return new Wait(nanos);
	}

	private AcquisitionStep granted(Turn turn, ClaimAnswer answer, ClockReading now) {
		HeldLock held = new HeldLock(this.acquisition, turn, answer.content(), now, this.client.onLost());
		this.requested = null;
		this.phase = Phase.OVER;
		return new Granted(held, answer.lapsedBefore(turn.entry()));
	}

	private AcquisitionStep hold() {
		this.phase = Phase.OVER;
		return new Granted(Objects.requireNonNull(this.handedOver), List.of(), true);
	}

	// Denied by the holders in this JVM, or by those whom the first in the queue last
	// saw; failed if all that it met is a failure
	private AcquisitionStep neverAsked(ClockReading now) {
		String key = this.claim.id().key();
		List<LockHolder> here = this.client.queues()
			.holders(key)
			.stream()
			.map((holder) -> holder.toHolder(now))
			.toList();
		LastAnswer ahead = this.client.queues().asking(key).map(LockAcquisition::lastAnswer).orElse(this.lastAnswer);
		if (here.isEmpty() && ahead.failure() != null) {
			return new Failed(AcquisitionFailures.neverAsked(key, ahead.failure()), end());
		}
		return new Denied((!here.isEmpty()) ? here : ahead.holders(), end());
	}

	/**
	 * End the attempt.
	 * @return whether to clean up now; while a request is underway its end will tell
	 */
	private boolean end() {
		this.phase = Phase.OVER;
		return this.unknown && this.requested == null;
	}

	private long left(ClockReading now) {
		return this.terms.waitTimeout().toNanos() - (now.nanos() - this.begun.nanos());
	}

	/**
	 * Where the acquisition stands.
	 */
	private enum Phase {

		/** In the queue of this JVM. */
		QUEUED,

		/** About to ask, or asking. */
		ASKING,

		/** Likewise for the last time, without taking a place. */
		LAST,

		/** Until the claim is retried after a failure. */
		PAUSING,

		/** In the line of the store. */
		STANDING,

		/** About to hold what was handed over. */
		HANDED,

		/** In the line, and about to ask as its place says so. */
		CALLED,

		OVER

	}

	/**
	 * What the store said last.
	 *
	 * @param holders who held the lock
	 * @param failure how it failed, if it did
	 */
	record LastAnswer(List<LockHolder> holders, @Nullable LockStoreException failure) {

		private static final LastAnswer NONE = new LastAnswer(List.of(), null);

	}

}
