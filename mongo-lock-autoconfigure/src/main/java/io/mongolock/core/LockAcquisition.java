package io.mongolock.core;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHolder;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.core.AcquisitionStep.Ask;
import io.mongolock.core.AcquisitionStep.Cancelled;
import io.mongolock.core.AcquisitionStep.Denied;
import io.mongolock.core.AcquisitionStep.End;
import io.mongolock.core.AcquisitionStep.Failed;
import io.mongolock.core.AcquisitionStep.Granted;
import io.mongolock.core.AcquisitionStep.GrantedTooLate;
import io.mongolock.core.AcquisitionStep.TooLate;
import io.mongolock.core.AcquisitionStep.Wait;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.KeyText;
import io.mongolock.store.StoredHolder;

/**
 * The whole life of one attempt at a lock, under one token: stands in the local queue,
 * asks the store when its turn has come, and ends with a grant or without. Whoever runs
 * it feeds it what happens and does what the returned {@link AcquisitionStep} says. Knows
 * no thread, clock or driver.
 * <p>
 * A request whose outcome is unknown is retried under the same token, which the store
 * answers with the same grant. Where a request may still be executed after the end, or
 * was granted after it, the step says that the token has to be cleaned up.
 * <p>
 * Thread-safe: each event is one step under the monitor; the turn is passed on outside of
 * it.
 */
public final class LockAcquisition implements LocalWaitQueues.Member {

	private final Client client;

	private final LockRequest request;

	private volatile Claim claim;

	private final ResolvedLockSettings terms;

	private final ClockReading begun;

	private @Nullable Caller caller;

	private Phase phase = Phase.QUEUED;

	/** When the phase is over unless something happens before, in nanoseconds. */
	private long until;

	/** When the request left that is underway, if one is. */
	private @Nullable ClockReading requested;

	private boolean unknown;

	/** Whether a request has ended, so that the next one repeats it. */
	private boolean repeated;

	/** What another of this JVM handed over. */
	private @Nullable HeldLock handedOver;

	/** For others in the queue, who want to say what they wait for. */
	private volatile LastAnswer lastAnswer = new LastAnswer(List.of(), null);

	/**
	 * Create an attempt, to be begun by {@link #begin}.
	 * @param client what it shares with the others of this JVM
	 * @param request what was asked for
	 * @param claim what to ask of the store; the fences it reserves are asked for only if
	 * others of this JVM want the lock, too
	 * @param terms how long to wait and to hold
	 * @param begun when the wait began
	 */
	public LockAcquisition(Client client, LockRequest request, Claim claim, ResolvedLockSettings terms,
			ClockReading begun) {
		this.client = client;
		this.request = request;
		this.claim = claim;
		this.terms = terms;
		this.begun = begun;
		this.until = begun.nanos() + terms.waitTimeout().toNanos();
	}

	public LockRequest request() {
		return this.request;
	}

	/**
	 * What to ask of the store.
	 * @return the claim, as the first of its token until a request has ended
	 */
	public synchronized Claim claim() {
		return (this.repeated) ? this.claim : this.claim.asFirst();
	}

	public String key() {
		return this.claim.id().key();
	}

	public ResolvedLockSettings terms() {
		return this.terms;
	}

	public ClockReading begun() {
		return this.begun;
	}

	@Override
	public int limit() {
		return this.claim.limit();
	}

	/**
	 * Who held the lock when the store last answered.
	 * @return the holders
	 */
	public List<LockHolder> holders() {
		return this.lastAnswer.holders();
	}

	/**
	 * How to clean up the token when a step says so.
	 * @param now the time
	 * @return the clean-up
	 */
	public synchronized OrphanCleanup cleanUp(ClockReading now) {
		return new OrphanCleanup(now, this.terms.ttl(), this.unknown);
	}

	/**
	 * Whether a request of this attempt may still be executed.
	 * @return whether a clean-up has to go on after its first answer
	 */
	synchronized boolean unknown() {
		return this.unknown;
	}

	/**
	 * When {@link #timer} is due unless something happens before.
	 * @param now the time
	 * @return nanoseconds, zero or more; negative if the attempt has ended
	 */
	public synchronized long dueIn(ClockReading now) {
		return (this.phase != Phase.OVER) ? Math.max(0, this.until - now.nanos()) : -1;
	}

	/**
	 * Join the queue. The first event.
	 * @param caller is notified of the turn and of a stop
	 * @param now the time
	 * @return what to do next
	 */
	public AcquisitionStep begin(Caller caller, ClockReading now) {
		this.caller = caller;
		boolean first = (this.terms.waitTimeout().isZero()) ? this.client.queues().joinOnce(key(), this)
				: this.client.queues().join(key(), this);
		if (!first) {
			return timer(now);
		}
		synchronized (this) {
			// Nobody to hand it to. That stays so: a late duplicate of the first request
			// may be what is granted
			this.claim = this.claim.withReserve(0);
			return turn(now);
		}
	}

	/**
	 * The turn to ask has come, or to hold what was handed over.
	 * @param now the time
	 * @return what to do next
	 */
	public synchronized AcquisitionStep turn(ClockReading now) {
		return switch (this.phase) {
			case QUEUED -> ask(now);
			case HANDED -> hold();
			default -> new TooLate(false);
		};
	}

	/**
	 * Another of this JVM hands its lock over, unless this attempt has ended. The turn is
	 * to be passed on in either case.
	 * @param from what the other holds
	 * @param now the time
	 * @param register is given what this one holds; must not block
	 * @return whether this one holds it now
	 */
	boolean takeOver(HeldLock from, ClockReading now, Consumer<HeldLock> register) {
		LockAcquisition next = null;
		boolean taken = false;
		synchronized (this) {
			HeldLock held = (this.phase == Phase.QUEUED) ? from.handOver(this, now) : null;
			if (held != null) {
				// Should this throw, the attempt goes on
				register.accept(held);
				next = this.client.queues().handedOver(key(), from, this, held);
				this.handedOver = held;
				this.phase = Phase.HANDED;
				taken = true;
			}
			else if (this.phase == Phase.OVER) {
				next = this.client.queues().left(key(), this);
			}
		}
		passTurn(next);
		return taken;
	}

	/**
	 * The time until {@link #dueIn} has passed, or less.
	 * @param now the time
	 * @return what to do next
	 */
	public AcquisitionStep timer(ClockReading now) {
		return leaveIfOver(decideOnTimer(now));
	}

	/**
	 * The request leaves.
	 * @param now the time
	 * @return whether it is still wanted; if so, {@link #answered} or {@link #failed}
	 * must follow
	 */
	public synchronized boolean send(ClockReading now) {
		boolean wanted = this.phase == Phase.ASKING;
		if (wanted) {
			this.requested = now;
		}
		return wanted;
	}

	/**
	 * The store answered.
	 * @param answer the lock after the claim
	 * @param now the time
	 * @return what to do next
	 */
	public AcquisitionStep answered(ClaimAnswer answer, ClockReading now) {
		return leaveIfOver(decideOnAnswer(answer, now));
	}

	/**
	 * The store failed.
	 * @param failure how
	 * @param now the time
	 * @return what to do next
	 */
	public AcquisitionStep failed(LockStoreException failure, ClockReading now) {
		return leaveIfOver(decideOnFailure(failure, now));
	}

	/**
	 * Whoever wanted the lock no longer does.
	 * @return {@link Cancelled}, or {@link TooLate} if the attempt had ended before
	 */
	public AcquisitionStep cancel() {
		return leaveIfOver(decideOnCancel());
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

	private synchronized AcquisitionStep decideOnTimer(ClockReading now) {
		if (this.phase == Phase.OVER) {
			return new TooLate(false);
		}
		long left = this.until - now.nanos();
		if (left > 0) {
			return new Wait(left);
		}
		return switch (this.phase) {
			case QUEUED -> neverAsked(now);
			case PAUSING -> ask(now);
			case HANDED -> hold();
			default -> unanswered();
		};
	}

	private synchronized AcquisitionStep decideOnAnswer(ClaimAnswer answer, ClockReading now) {
		this.repeated = true;
		ClockReading requested = Objects.requireNonNull(this.requested, "Answered before the request was sent");
		Optional<StoredHolder> holder = answer.grantTo(this.claim.id().leaseToken());
		if (this.phase == Phase.OVER) {
			this.requested = null;
			return (holder.isPresent()) ? new GrantedTooLate() : new TooLate(this.unknown);
		}
		if (holder.isPresent() && now.elapsedSince(requested) < this.terms.reliable().toNanos()) {
			return granted(new Grant(this.request, this.claim.id(), this.terms, holder.get(), requested,
					answer.lapsedBefore(holder.get()), this.claim.reserve(), this.unknown));
		}
		if (holder.isPresent()) {
			return decideOnFailure(answeredTooLate(now.elapsedSince(requested)), now);
		}
		this.requested = null;
		this.lastAnswer = new LastAnswer(answer.liveHolders(), null);
		return (left(now) > 0) ? pause(now) : new Denied(holders(), end());
	}

	private synchronized AcquisitionStep decideOnFailure(LockStoreException failure, ClockReading now) {
		this.repeated = true;
		this.requested = null;
		this.unknown |= failure.getOutcome() == Outcome.UNKNOWN;
		if (this.phase == Phase.OVER) {
			return new TooLate(this.unknown);
		}
		this.lastAnswer = new LastAnswer(holders(), failure);
		boolean again = failure.getOutcome() != Outcome.REFUSED && left(now) > 0;
		return (again) ? pause(now) : new Failed(failure, end());
	}

	private synchronized AcquisitionStep decideOnCancel() {
		return (this.phase == Phase.OVER) ? new TooLate(false) : new Cancelled(end(), this.handedOver);
	}

	private AcquisitionStep ask(ClockReading now) {
		this.phase = Phase.ASKING;
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

	private AcquisitionStep granted(Grant grant) {
		// Should this throw, the attempt is not over: whoever runs it cancels it
		HeldLock held = this.client.holding().apply(grant);
		this.requested = null;
		this.phase = Phase.OVER;
		return new Granted(held, grant.lapsed());
	}

	private AcquisitionStep hold() {
		this.phase = Phase.OVER;
		return new Granted(Objects.requireNonNull(this.handedOver), List.of());
	}

	// Denied by the holders in this JVM, or by those whom the first in the queue last
	// saw; failed if all that it met is a failure
	private AcquisitionStep neverAsked(ClockReading now) {
		List<LockHolder> here = this.client.queues()
			.holders(key())
			.stream()
			.map((holder) -> holder.toHolder(now))
			.toList();
		LastAnswer ahead = this.client.queues()
			.asking(key())
			.map((asking) -> asking.lastAnswer)
			.orElse(this.lastAnswer);
		LockStoreException failure = ahead.failure();
		if (here.isEmpty() && failure != null) {
			return new Failed(new LockStoreException(key(), Outcome.NOT_EXECUTED,
					"Lock '" + KeyText.printable(key())
							+ "' was not asked for, as the claim ahead of it in this application fails: "
							+ failure.getMessage(),
					failure), end());
		}
		return new Denied((!here.isEmpty()) ? here : ahead.holders(), end());
	}

	private AcquisitionStep unanswered() {
		boolean sent = this.requested != null;
		return new Failed(new LockStoreException(key(), (sent || this.unknown) ? Outcome.UNKNOWN : Outcome.NOT_EXECUTED,
				"The store " + ((sent) ? "has not answered" : "could not be asked") + " for lock '"
						+ KeyText.printable(key()) + "' within wait-timeout + operation-timeout = "
						+ this.terms.waitTimeout().toMillis() + "ms + " + this.terms.operationTimeout().toMillis()
						+ "ms" + ((sent) ? "" : ": all threads for requests are busy"),
				this.lastAnswer.failure()), end());
	}

	private LockStoreException answeredTooLate(long nanos) {
		return new LockStoreException(key(), Outcome.UNKNOWN,
				"The store granted lock '" + KeyText.printable(key()) + "' but its answer took " + nanos / 1_000_000
						+ "ms, longer than a lease of " + this.terms.ttl().toMillis() + "ms can be relied on",
				null);
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

	private AcquisitionStep leaveIfOver(AcquisitionStep step) {
		LockAcquisition next = null;
		if (step instanceof Granted granted && granted.held() != this.handedOver) {
			next = this.client.queues().granted(key(), this, granted.held());
		}
		else if (step instanceof End) {
			next = this.client.queues().left(key(), this);
		}
		passTurn(next);
		return step;
	}

	/**
	 * Pass the turn on.
	 * @param next whose turn it is, if anyone's
	 */
	public static void passTurn(@Nullable LockAcquisition next) {
		Caller caller = (next != null) ? next.caller : null;
		if (caller != null) {
			caller.turn();
		}
	}

	/**
	 * Somebody who wants a lock and runs the attempt at it.
	 */
	public interface Caller {

		/**
		 * The turn has come to ask, or to hold: {@link LockAcquisition#turn} is to
		 * follow. Called once at most, by any thread. Must neither block nor throw.
		 */
		void turn();

		/**
		 * The client stops: {@link LockAcquisition#cancel} is to follow. Called by any
		 * thread. Must neither block nor throw.
		 */
		void stop();

	}

	/**
	 * What the attempts of one client share.
	 *
	 * @param queues who waits and holds
	 * @param holding makes a grant a held lock; must not block
	 * @param random gives a number from zero to below its argument
	 */
	public record Client(LocalWaitQueues<LockAcquisition, HeldLock> queues, Function<Grant, HeldLock> holding,
			LongUnaryOperator random) {

	}

	private enum Phase {

		QUEUED, ASKING, PAUSING, HANDED, OVER

	}

	private record LastAnswer(List<LockHolder> holders, @Nullable LockStoreException failure) {

	}

}
