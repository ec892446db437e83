package io.mongolock.core;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.mongolock.LossReason;
import io.mongolock.ReleaseRequest;
import io.mongolock.store.LeaseId;

/**
 * One hold of a lock and how long it is relied on: until ttl less margin after the
 * request left that granted or last renewed it. Once lost or released it stays so, unless
 * it ran out and the holder then {@link #found} it with nobody else granted.
 * <p>
 * A lease that is handed over ends, and another begins that counts from the same renewal:
 * what the store has is one entry, which outlives its holders of this JVM. So what the
 * store says of the entry, no matter for whom it was asked, reaches its holder at that
 * time.
 * <p>
 * Thread-safe: all state is one immutable value that is only ever replaced as a whole,
 * under the monitor of the entry.
 */
public final class Lease {

	private final LeaseId id;

	private final long fence;

	private final LockTerms terms;

	private final long reliableNanos;

	private final Consumer<Lease> onLost;

	private final Entry entry;

	private volatile State state;

	/** Whether a statement is underway that may take the entry out of the store. */
	private volatile boolean suspended;

	/** Decides nothing. */
	private volatile @Nullable Throwable renewalFailure;

	/** Decides nothing. */
	private volatile @Nullable ClockReading ranOutAt;

	/**
	 * Begin a lease.
	 * @param requested when the request left that was answered with the grant
	 * @param onLost is called once if the lease is lost, on the thread that notices; must
	 * neither block nor throw
	 */
	public Lease(LeaseId id, long fence, LockTerms terms, ClockReading requested, Consumer<Lease> onLost) {
		this(new Entry(), id, fence, terms, new State(Phase.HELD, requested, null), onLost);
		synchronized (this.entry) {
			this.entry.holder = this;
		}
	}

	private Lease(Entry entry, LeaseId id, long fence, LockTerms terms, State state, Consumer<Lease> onLost) {
		this.entry = entry;
		this.id = id;
		this.fence = fence;
		this.terms = terms;
		this.reliableNanos = terms.reliable().toNanos();
		this.onLost = onLost;
		this.state = state;
	}

	public LeaseId id() {
		return this.id;
	}

	public long fence() {
		return this.fence;
	}

	public LockTerms terms() {
		return this.terms;
	}

	/**
	 * How the lease was lost.
	 * @return the reason, or {@code null} if it was not
	 */
	public @Nullable LossReason lossReason() {
		return this.state.reason();
	}

	/**
	 * Somebody asks to release the lock. Counts for those who are handed it, too.
	 * @return who holds it, or was the last to; empty if the request was known
	 */
	public Optional<Lease> releaseRequested(ReleaseRequest request) {
		synchronized (this.entry) {
			boolean isNew = !request.equals(this.entry.releaseRequest);
			this.entry.releaseRequest = request;
			return (isNew) ? Optional.of(this.entry.holder()) : Optional.empty();
		}
	}

	/**
	 * Whether anybody asked to release the lock.
	 * @return the last request, or {@code null}
	 */
	public @Nullable ReleaseRequest releaseRequest() {
		return this.entry.releaseRequest;
	}

	/**
	 * The holder says what it does. Has no effect once another was handed the entry.
	 */
	public void note(String note) {
		synchronized (this.entry) {
			if (this.entry.holder == this) {
				this.entry.note = note;
			}
		}
	}

	/**
	 * What a renewal has to write. Until that is {@link #noted answered}, the store may
	 * have it or not.
	 * @return the note, empty if the store has it
	 */
	public Optional<String> newNote() {
		synchronized (this.entry) {
			if (this.entry.note.equals(this.entry.stored)) {
				return Optional.empty();
			}
			this.entry.stored = null;
			return Optional.of(this.entry.note);
		}
	}

	/**
	 * A renewal was answered.
	 * @param note the note that it has written, {@code null} if it wrote none
	 */
	public void noted(@Nullable String note) {
		synchronized (this.entry) {
			this.entry.stored = (note != null) ? note : this.entry.stored;
		}
	}

	/**
	 * The lease was not renewed, which is tried again.
	 * @param failure why not
	 */
	public void renewalFailed(Throwable failure) {
		this.renewalFailure = failure;
	}

	/**
	 * Whether the lease was not renewed the last time.
	 */
	public boolean hasRenewalFailed() {
		return this.renewalFailure != null;
	}

	/**
	 * Why the lease was not renewed the last time.
	 * @return the failure, or {@code null} if it was renewed
	 */
	@Nullable Throwable renewalFailure() {
		return this.renewalFailure;
	}

	/**
	 * When it was noticed that the lease had run out, if it had.
	 */
	@Nullable ClockReading ranOutAt() {
		return this.ranOutAt;
	}

	/**
	 * Whether the lease is held; notices that it has run out.
	 */
	public boolean isHeld(ClockReading now) {
		State current = this.state;
		if (current.phase() != Phase.HELD || isReliable(current, now)) {
			return current.phase() == Phase.HELD;
		}
		synchronized (this.entry) {
			// A renewal may have been confirmed in between, on another thread
			if (this.state.phase() != Phase.HELD || isReliable(this.state, now)) {
				return this.state.phase() == Phase.HELD;
			}
			this.ranOutAt = now;
			this.state = current.lost(LossReason.DEADLINE);
		}
		this.onLost.accept(this);
		return false;
	}

	/**
	 * How long the lease can be relied on without a renewal.
	 * @return the time, zero if it is not held
	 */
	public Duration remaining(ClockReading now) {
		State current = this.state;
		long left = this.reliableNanos - now.elapsedSince(current.confirmed());
		return (current.phase() != Phase.HELD || left <= 0) ? Duration.ZERO : Duration.ofNanos(left);
	}

	/**
	 * How much of the time that the lease can be relied on has passed.
	 * @return 0 right after a renewal, 1 when it is over
	 */
	public double used(ClockReading now) {
		return Math.min(1, (double) now.elapsedSince(this.state.confirmed()) / this.reliableNanos);
	}

	/**
	 * Whether the store may still have it, if nobody has ended it.
	 */
	public boolean mayStand(ClockReading now) {
		return now.elapsedSince(this.state.confirmed()) < this.reliableNanos + this.terms.margin().toNanos();
	}

	/**
	 * How long ago the request left that granted or last renewed it.
	 * @return nanoseconds
	 */
	long elapsed(ClockReading now) {
		return now.elapsedSince(this.state.confirmed());
	}

	/**
	 * When the request left that granted or last renewed it.
	 */
	ClockReading confirmed() {
		return this.state.confirmed();
	}

	/**
	 * When the lease runs out unless renewed.
	 * @return the monotonic time
	 */
	public long deadline() {
		return this.state.confirmed().nanos() + this.reliableNanos;
	}

	/**
	 * When the lease is to be renewed next: from the request that granted or last renewed
	 * it, as the deadline, so that an answer that took long leaves less time.
	 * @param leases how many leases the client renews
	 * @return the monotonic time
	 */
	public long renewalDueAt(int leases) {
		return this.state.confirmed().nanos() + this.terms.renewInterval().nanos(leases);
	}

	/**
	 * The store confirmed a renewal. One that is confirmed only after the lease has run
	 * out is no success.
	 */
	public boolean renewed(ClockReading requested, ClockReading now) {
		synchronized (this.entry) {
			this.entry.holder().confirm(requested, now);
		}
		return isHeld(now);
	}

	/**
	 * A statement of the holder has found the entry and renewed it. The entry of a lease
	 * that ran out is taken out by the next grant, so nobody was: it is held again.
	 */
	public boolean found(ClockReading requested, ClockReading now) {
		synchronized (this.entry) {
			boolean later = requested.nanos() - this.state.confirmed().nanos() > 0;
			if (later && (this.state.phase() == Phase.HELD || this.state.reason() == LossReason.DEADLINE)) {
				confirm(Phase.HELD, requested);
			}
		}
		return isHeld(now);
	}

	private void confirm(ClockReading requested, ClockReading now) {
		boolean later = requested.nanos() - this.state.confirmed().nanos() > 0;
		Phase phase = this.state.phase();
		if (later && (phase == Phase.HELD || phase == Phase.IDLE) && isReliable(this.state, now)) {
			confirm(phase, requested);
		}
	}

	private void confirm(Phase phase, ClockReading requested) {
		this.state = new State(phase, requested, null);
		this.renewalFailure = null;
	}

	/**
	 * The store has the lease no longer: its present holder has lost it. One that is idle
	 * is no loss of anybody's, and taken by nobody from here on.
	 */
	public void gone() {
		Lease holder;
		synchronized (this.entry) {
			holder = this.entry.holder();
			if (holder.suspended || !holder.markLost(LossReason.REFUSED)) {
				return;
			}
		}
		holder.onLost.accept(holder);
	}

	/**
	 * A statement begins, or is over, that may take the entry out of the store: what is
	 * said of the entry meanwhile does not count.
	 */
	void suspend(boolean suspended) {
		this.suspended = suspended;
	}

	boolean isSuspended() {
		return this.suspended;
	}

	/**
	 * The lease is lost, unless it had already been lost or released.
	 */
	public void lose(LossReason reason) {
		synchronized (this.entry) {
			if (!markLost(reason)) {
				return;
			}
		}
		this.onLost.accept(this);
	}

	private boolean markLost(LossReason reason) {
		boolean held = this.state.phase() == Phase.HELD;
		if (held) {
			this.state = this.state.lost(reason);
		}
		else if (this.state.phase() == Phase.IDLE) {
			this.state = new State(Phase.RELEASED, this.state.confirmed(), null);
		}
		return held;
	}

	/**
	 * The holder releases the lease.
	 * @return whether it was held until then
	 */
	public boolean release(ClockReading now) {
		if (!isHeld(now)) {
			return false;
		}
		synchronized (this.entry) {
			return end();
		}
	}

	/**
	 * A lease of the same entry for another of this JVM, not held before
	 * {@link #handOver}.
	 * @param terms how the other holds it; its ttl must not be longer than the entry's
	 */
	Lease next(long fence, LockTerms terms, Consumer<Lease> onLost) {
		return new Lease(this.entry, this.id, fence, terms, new State(Phase.RELEASED, this.state.confirmed(), null),
				onLost);
	}

	/**
	 * The holder is done, and the client keeps the lease: nobody holds it from here on.
	 * @return whether it was held until then
	 */
	boolean keepIdle(ClockReading now) {
		synchronized (this.entry) {
			boolean held = this.state.phase() == Phase.HELD && isReliable(this.state, now);
			if (held) {
				this.state = new State(Phase.IDLE, this.state.confirmed(), null);
			}
			return held;
		}
	}

	/**
	 * The holder hands the entry over, or somebody takes it that is idle: from here on
	 * another of this JVM holds it, counting from the same renewal.
	 * @return whether this lease was held, or idle, until then
	 */
	boolean handOver(Lease successor, ClockReading now) {
		synchronized (this.entry) {
			ClockReading confirmed = this.state.confirmed();
			boolean held = isReliable(this.state, now) && end();
			if (held) {
				successor.state = new State(Phase.HELD, confirmed, null);
				this.entry.holder = successor;
				this.entry.note = "";
			}
			return held;
		}
	}

	private boolean end() {
		boolean held = this.state.phase() == Phase.HELD || this.state.phase() == Phase.IDLE;
		if (held) {
			this.state = new State(Phase.RELEASED, this.state.confirmed(), null);
		}
		return held;
	}

	private boolean isReliable(State state, ClockReading now) {
		return now.elapsedSince(state.confirmed()) < this.reliableNanos;
	}

	/**
	 * What the store has. Guarded by its monitor.
	 */
	private static final class Entry {

		private @Nullable Lease holder;

		/** Decides nothing. */
		private volatile @Nullable ReleaseRequest releaseRequest;

		/** What its holder does. Decides nothing. */
		private String note = "";

		/** The note in the store, {@code null} if that is unknown. */
		private @Nullable String stored = "";

		private Lease holder() {
			return Objects.requireNonNull(this.holder);
		}

	}

	private enum Phase {

		HELD,

		/** Kept by the client, for the next claim of this JVM. */
		IDLE,

		LOST, RELEASED

	}

	private record State(Phase phase, ClockReading confirmed, @Nullable LossReason reason) {

		private State lost(LossReason reason) {
			return new State(Phase.LOST, this.confirmed, reason);
		}

	}

}
