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
 * One hold of a lock, and how long its holder relies on it. That time is ttl minus
 * margin, from when the request left that granted or last renewed the lease. A lost or
 * released lease stays so. The only exception is a lease that ran out, if its holder then
 * {@link #found} that the lock was granted to nobody else.
 * <p>
 * When a lease is handed over, it ends, and another lease begins that counts from the
 * same renewal. Both share one entry in the store, which outlives its holders in this
 * JVM. So each answer of the store about the entry reaches its present holder, no matter
 * for which holder the store was asked.
 * <p>
 * Thread-safe: all state is one immutable value, which is replaced only as a whole and
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

	/** Whether a statement is underway that may remove the entry from the store. */
	private volatile boolean suspended;

	/** Decides nothing. */
	private volatile @Nullable Throwable renewalFailure;

	/** Decides nothing. */
	private volatile @Nullable ClockReading ranOutAt;

	/**
	 * Begin a lease.
	 * @param requested when the granted request left
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
	 * Why the lease was lost.
	 * @return the reason, or {@code null} if the lease was not lost
	 */
	public @Nullable LossReason lossReason() {
		return this.state.reason();
	}

	/**
	 * The holder is asked to release the lock. The request also applies to later holders
	 * to which the lock is handed over.
	 * @return the present or last holder, empty if the request was known already
	 */
	public Optional<Lease> releaseRequested(ReleaseRequest request) {
		synchronized (this.entry) {
			boolean isNew = !request.equals(this.entry.releaseRequest);
			this.entry.releaseRequest = request;
			return (isNew) ? Optional.of(this.entry.holder()) : Optional.empty();
		}
	}

	/**
	 * The last request to release the lock.
	 * @return the request, or {@code null} if there was none
	 */
	public @Nullable ReleaseRequest releaseRequest() {
		return this.entry.releaseRequest;
	}

	/**
	 * The holder says what it does. Has no effect once the entry was handed over.
	 */
	public void note(String note) {
		synchronized (this.entry) {
			if (this.entry.holder == this) {
				this.entry.note = note;
			}
		}
	}

	/**
	 * The note that each renewal has to write, also if an earlier one has written it.
	 * @return the note, or {@code null} if no holder of the entry ever had one
	 */
	public @Nullable String note() {
		return this.entry.note;
	}

	/**
	 * A renewal failed, and will be tried again.
	 * @param failure why it failed
	 */
	public void renewalFailed(Throwable failure) {
		this.renewalFailure = failure;
	}

	/**
	 * Whether the last renewal failed.
	 */
	public boolean hasRenewalFailed() {
		return this.renewalFailure != null;
	}

	/**
	 * Why the last renewal failed.
	 * @return the failure, or {@code null} if the renewal did not fail
	 */
	@Nullable Throwable renewalFailure() {
		return this.renewalFailure;
	}

	/**
	 * When this client noticed that the lease had run out, {@code null} if it has not.
	 */
	@Nullable ClockReading ranOutAt() {
		return this.ranOutAt;
	}

	/**
	 * Whether the lease is held. If the lease has run out, this call notices it.
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
	 * The share of the lease's reliable time that has passed.
	 * @return 0 right after a renewal, 1 when the time is over
	 */
	public double used(ClockReading now) {
		return Math.min(1, (double) now.elapsedSince(this.state.confirmed()) / this.reliableNanos);
	}

	/**
	 * Whether the store may still have the lease, provided that nobody has ended it.
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
	public ClockReading confirmed() {
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
	 * When the next renewal of the lease is due. Like the deadline, this counts from the
	 * request that granted or last renewed the lease, so a slow answer leaves less time.
	 * @param leases how many leases the client renews
	 * @return the monotonic time
	 */
	public long renewalDueAt(int leases) {
		return this.state.confirmed().nanos() + this.terms.renewInterval().nanos(leases);
	}

	/**
	 * The store confirmed a renewal. A renewal that is confirmed only after the lease has
	 * run out does not count.
	 */
	public boolean renewed(ClockReading requested, ClockReading now) {
		synchronized (this.entry) {
			this.entry.holder().confirm(requested, now);
		}
		return isHeld(now);
	}

	/**
	 * A statement of the holder has found the entry and renewed it. If the lease ran out,
	 * the next grant would have removed its entry. So the lock was granted to nobody
	 * else, and the lease is held again.
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
	 * The store no longer has the lease, so its present holder has lost it. Losing an
	 * idle lease affects no holder, but it can no longer be taken.
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
	 * A statement that may remove the entry from the store begins or is over. Meanwhile,
	 * answers about the entry do not count.
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
	 * A lease of the same entry for another holder in this JVM. It is not held before
	 * {@link #handOver}.
	 * @param terms the terms of the other holder; their ttl must not be longer than the
	 * entry's
	 */
	Lease next(long fence, LockTerms terms, Consumer<Lease> onLost) {
		return new Lease(this.entry, this.id, fence, terms, new State(Phase.RELEASED, this.state.confirmed(), null),
				onLost);
	}

	/**
	 * The holder is done and the client keeps the lease, so nobody holds it from here on.
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
	 * Whether the client keeps the lease.
	 */
	boolean isIdle() {
		return this.state.phase() == Phase.IDLE;
	}

	/**
	 * The holder hands the entry over, or an attempt takes the idle entry. From here on
	 * another holder in this JVM has it, counting from the same renewal.
	 * @return whether this lease was held or idle until then
	 */
	boolean handOver(Lease successor, ClockReading now) {
		synchronized (this.entry) {
			ClockReading confirmed = this.state.confirmed();
			boolean held = isReliable(this.state, now) && end();
			if (held) {
				successor.state = new State(Phase.HELD, confirmed, null);
				this.entry.holder = successor;
				this.entry.note = (this.entry.note != null) ? "" : null;
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
	 * The entry in the store. Guarded by its monitor.
	 */
	private static final class Entry {

		private @Nullable Lease holder;

		/** Decides nothing. */
		private volatile @Nullable ReleaseRequest releaseRequest;

		/** A note on the holder's work. Decides nothing. */
		private volatile @Nullable String note;

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
