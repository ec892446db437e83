package io.mongolock.client;

import java.lang.ref.Reference;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHandle;
import io.mongolock.LockHolder;
import io.mongolock.LossReason;
import io.mongolock.ReleaseRequest;
import io.mongolock.core.ClockReading;
import io.mongolock.core.HeldLock;
import io.mongolock.core.LockExceptions;
import io.mongolock.store.KeyText;
import io.mongolock.store.LeaseControl;
import io.mongolock.store.LeaseEnd;
import io.mongolock.store.LeaseId;

/**
 * One handle on a {@link HeldLock}.
 */
final class LeaseHandle implements LockHandle, LeaseControl {

	private final HeldLock heldLock;

	private final HoldRegistry holds;

	private final AtomicBoolean closed = new AtomicBoolean();

	/** Whether a statement under this handle has ended the lease. */
	private volatile boolean ended;

	private @Nullable Runnable endOfWatch;

	/** The thread that works under this handle and closes it afterwards. */
	private @Nullable Thread worker;

	LeaseHandle(HeldLock heldLock, HoldRegistry holds) {
		this.heldLock = heldLock;
		this.holds = holds;
	}

	HeldLock heldLock() {
		return this.heldLock;
	}

	/**
	 * Note that the current thread works under this handle and closes it afterwards.
	 */
	void work() {
		this.worker = Thread.currentThread();
	}

	/**
	 * Whether the current thread works under this handle. The handle must be open, and as
	 * far as is known, others have not ended its lock.
	 */
	boolean isWorkedUnder(HoldRegistry holds) {
		return this.worker == Thread.currentThread() && isFor(holds, key());
	}

	/**
	 * Set the action that runs when this handle is closed.
	 * @param endOfWatch the action; must not throw
	 */
	void onClose(Runnable endOfWatch) {
		this.endOfWatch = endOfWatch;
	}

	/**
	 * Whether this is an open handle on a client's lock for a key.
	 */
	boolean isFor(HoldRegistry holds, String key) {
		return this.holds == holds && key().equals(key) && !this.closed.get()
				&& !this.heldLock.state().isEndedByOthers();
	}

	@Override
	public LeaseId lease() {
		return this.heldLock.id();
	}

	@Override
	public @Nullable Object takeContent() {
		return this.heldLock.takeContent();
	}

	@Override
	public boolean hasContent() {
		return this.heldLock.hasContent();
	}

	@Override
	public void pause() {
		this.holds.pauseRenewals(this.heldLock);
	}

	@Override
	public void awaitRenewals() {
		this.holds.awaitRenewals(this.heldLock);
	}

	@Override
	public Runnable suspend() {
		ClockReading began = now();
		this.holds.suspend(this.heldLock);
		return () -> this.heldLock.found(began, now());
	}

	@Override
	public void resume() {
		this.holds.resume(this.heldLock);
	}

	@Override
	public boolean isTaken() {
		return this.heldLock.lease().isHeld(now()) || this.heldLock.lossReason() == LossReason.DEADLINE
				&& !this.heldLock.state().hasEnded() && this.heldLock.lease().mayStand(now());
	}

	@Override
	public void end(LeaseEnd end) {
		this.ended = true;
		this.holds.endedByOthers(this.heldLock, end);
	}

	@Override
	public String key() {
		return this.heldLock.key();
	}

	@Override
	public long fence() {
		return this.heldLock.fence();
	}

	@Override
	public boolean isHeld() {
		return !this.closed.get() && this.heldLock.lease().isHeld(now());
	}

	@Override
	public void assertHeld() {
		if (this.closed.get()) {
			throw LockExceptions.closed(key());
		}
		this.heldLock.state().assertHeld(now());
	}

	@Override
	public Duration remaining() {
		return (this.closed.get()) ? Duration.ZERO : this.heldLock.lease().remaining(now());
	}

	@Override
	public Optional<ReleaseRequest> releaseRequested() {
		return Optional.ofNullable(this.heldLock.lease().releaseRequest());
	}

	@Override
	public void note(String note) {
		String shown = KeyText.printable(note);
		int end = Math.min(shown.length(), LockHolder.MAX_NOTE);
		boolean isSplit = end < shown.length() && Character.isLowSurrogate(shown.charAt(end));
		this.heldLock.lease().note(shown.substring(0, (isSplit) ? end - 1 : end));
	}

	@Override
	public void renew() {
		assertHeld();
		if (this.heldLock.state().isSuspended()) {
			// The write that is underway ends or renews the lease, and a request would
			// wait for this write
			return;
		}
		if (!this.holds.renew(this.heldLock)) {
			throw LockExceptions.lost(this.heldLock.lease());
		}
	}

	@Override
	public void close() {
		if (this.closed.compareAndSet(false, true)) {
			try {
				// The work under this handle takes effect with the commit
				TransactionLocks.keep(this.holds, this.heldLock);
			}
			finally {
				endWatch();
				this.holds.unshare(this.heldLock);
			}
			if (!this.ended) {
				this.heldLock.state().assertNotEndedWithin();
			}
		}
	}

	private void endWatch() {
		Runnable endOfWatch = this.endOfWatch;
		if (endOfWatch != null) {
			endOfWatch.run();
			// The handle must not be collected before this point, because it would count
			// as a leak and be released once more
			Reference.reachabilityFence(this);
		}
	}

	@Override
	public void assertMayCommit() {
		if (!this.closed.get()) {
			this.heldLock.state().assertMayCommit(now());
		}
	}

	@Override
	public String toString() {
		return "lock '" + KeyText.printable(key()) + "' (fence " + fence() + ((isHeld()) ? ", held)" : ", not held)");
	}

	private ClockReading now() {
		return this.holds.now();
	}

}
