package io.mongolock.documents;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LossReason;
import io.mongolock.store.KeyText;
import io.mongolock.store.LeaseControl;
import io.mongolock.store.LeaseEnd;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;

/**
 * A lock that its ticket keeps, as it stood when it was resumed. Knows until when the
 * lock can be relied on. Thread-safe.
 */
final class TicketHandle implements LockHandle, LeaseControl {

	/**
	 * The margin is this part of the ttl. Server clocks differ, so the holder gives up
	 * before the server does.
	 */
	private static final int MARGIN_SHARE = 5;

	private final LeaseProof proof;

	private final DocumentTickets tickets;

	private final LockClock clock;

	private final Duration ttl;

	private volatile long until;

	/** Whether a write is underway, or a transaction keeps it. */
	private volatile boolean suspended;

	private volatile boolean over;

	private volatile boolean closed;

	TicketHandle(LeaseProof proof, DocumentTickets tickets, LockClock clock, long requested, StoredLock lock,
			StoredHolder holder) {
		this.proof = proof;
		this.tickets = tickets;
		this.clock = clock;
		this.ttl = holder.ttl();
		this.until = reliable(requested, Duration.between(lock.now(), holder.renewedAt().plus(this.ttl)));
	}

	@Override
	public LeaseId lease() {
		return this.proof.lease();
	}

	@Override
	public @Nullable Object takeContent() {
		return null;
	}

	@Override
	public boolean hasContent() {
		return true;
	}

	@Override
	public void pause() {
		// This JVM does not renew it
		this.suspended = false;
	}

	@Override
	public void awaitRenewals() {
		// Only callers renew a ticket
	}

	@Override
	public Runnable suspend() {
		this.suspended = true;
		long began = this.clock.nanoTime();
		return () -> this.until = reliable(began, this.ttl);
	}

	@Override
	public void resume() {
		this.suspended = false;
	}

	@Override
	public boolean isTaken() {
		long margin = this.ttl.dividedBy(MARGIN_SHARE).toNanos();
		return !this.closed && !this.over && this.until + margin - this.clock.nanoTime() > 0;
	}

	private long reliable(long requested, Duration left) {
		return requested + left.minus(this.ttl.dividedBy(MARGIN_SHARE)).toNanos();
	}

	@Override
	public void end(LeaseEnd end) {
		this.over = true;
	}

	@Override
	public void assertMayCommit() {
		if (this.over) {
			throw DocumentTickets.notHeld(key());
		}
	}

	@Override
	public String key() {
		return this.proof.key();
	}

	@Override
	public long fence() {
		return this.proof.fence();
	}

	@Override
	public boolean isHeld() {
		return !remaining().isZero();
	}

	@Override
	public void assertHeld() {
		assertMayCommit();
		if (!isHeld()) {
			throw new LockLostException(key(), fence(), LossReason.DEADLINE, "Lock '" + KeyText.printable(key())
					+ "' (fence " + fence()
					+ ") may have another holder now, because no call with its ticket renewed the lock in time");
		}
	}

	@Override
	public Duration remaining() {
		return Duration.ofNanos((this.over) ? 0 : Math.max(0, this.until - this.clock.nanoTime()));
	}

	@Override
	public void renew() {
		if (this.suspended) {
			// The write under way renews the lock, and a request would wait for that
			// write
			return;
		}
		long began = this.clock.nanoTime();
		try {
			this.tickets.renew(this.proof);
		}
		catch (LockLostException ex) {
			end(LeaseEnd.LOST);
			throw ex;
		}
		this.until = reliable(began, this.ttl);
	}

	@Override
	public void close() {
		// The ticket keeps the lock, and this JVM does not hear of its release
		this.closed = true;
	}

	@Override
	public String toString() {
		return "lock '" + KeyText.printable(key()) + "' (fence " + fence() + ", from a ticket)";
	}

}
