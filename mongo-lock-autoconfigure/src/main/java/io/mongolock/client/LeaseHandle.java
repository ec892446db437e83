package io.mongolock.client;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.OnLost;
import io.mongolock.core.ClockReading;
import io.mongolock.core.HeldLock;
import io.mongolock.store.LeaseId;
import io.mongolock.store.Leased;

/**
 * One grip on a {@link HeldLock}.
 */
final class LeaseHandle implements LockHandle, Leased {

	private static final Log logger = LogFactory.getLog(LeaseHandle.class);

	private final HeldLock heldLock;

	private final HeldLocks heldLocks;

	private final AtomicBoolean closed = new AtomicBoolean();

	LeaseHandle(HeldLock heldLock, HeldLocks heldLocks) {
		this.heldLock = heldLock;
		this.heldLocks = heldLocks;
	}

	HeldLock heldLock() {
		return this.heldLock;
	}

	/**
	 * Whether this is an open grip on a client's lock for a key.
	 * @param heldLocks what the client holds
	 * @param key the key
	 * @return whether it is
	 */
	boolean isFor(HeldLocks heldLocks, String key) {
		return this.heldLocks == heldLocks && key().equals(key) && !this.closed.get();
	}

	/**
	 * A further grip on the same lock.
	 * @param limit how many the further claim would let hold the lock together
	 * @return a handle
	 * @throws LockLostException if the lock was lost
	 * @throws IllegalStateException if the lock is held together with others and the
	 * further claim does not allow that
	 */
	LeaseHandle share(int limit) {
		assertHeld();
		if (limit < this.heldLock.limit()) {
			throw new IllegalStateException("Lock '" + key() + "' is held with limit " + this.heldLock.limit()
					+ " and asked for again within with limit " + limit
					+ "; release it first, or ask for the stricter limit at once");
		}
		if (!this.heldLock.share()) {
			throw closed();
		}
		return new LeaseHandle(this.heldLock, this.heldLocks);
	}

	@Override
	public LeaseId lease() {
		return this.heldLock.id();
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
			throw closed();
		}
		if (!this.heldLock.lease().isHeld(now())) {
			throw lost();
		}
	}

	@Override
	public Duration remaining() {
		return (this.closed.get()) ? Duration.ZERO : this.heldLock.lease().remaining(now());
	}

	@Override
	public void renew() {
		assertHeld();
		if (!this.heldLocks.renew(this.heldLock)) {
			throw lost();
		}
	}

	@Override
	public void close() {
		if (this.closed.compareAndSet(false, true) && this.heldLock.unshare()) {
			this.heldLocks.release(this.heldLock);
		}
	}

	/**
	 * Check that what was done under the lock may be committed.
	 * @throws LockLostException if the lock was lost, unless the request says to ignore
	 * that
	 */
	void assertMayCommit() {
		if (this.heldLock.request().onLost() != OnLost.IGNORE && !this.closed.get()
				&& !this.heldLock.lease().isHeld(now())) {
			throw lost();
		}
	}

	/**
	 * Close after the fact, when nobody can act on a loss any more; it was logged and
	 * told when it happened.
	 */
	void closeQuietly() {
		try {
			close();
		}
		catch (LockLostException ex) {
			logger.warn("Found after the end of the transaction: " + ex.getMessage());
		}
	}

	/**
	 * Have nothing given back, whichever handle is closed last: the lock is free when its
	 * lease has run out.
	 */
	void letExpire() {
		this.heldLock.letExpire();
	}

	@Override
	public String toString() {
		return "lock '" + key() + "' (fence " + fence() + ((isHeld()) ? ", held)" : ", not held)");
	}

	private IllegalStateException closed() {
		return new IllegalStateException("The handle of lock '" + key() + "' was closed");
	}

	private LockLostException lost() {
		return LockExceptions.lost(this.heldLock);
	}

	private ClockReading now() {
		return this.heldLocks.now();
	}

}
