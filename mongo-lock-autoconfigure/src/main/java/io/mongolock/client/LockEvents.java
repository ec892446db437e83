package io.mongolock.client;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockHolder;
import io.mongolock.LockListener;
import io.mongolock.LossReason;
import io.mongolock.core.HeldLock;
import io.mongolock.core.ReleaseOutcome;
import io.mongolock.store.KeyText;

/**
 * Says what happens to locks: in the log, and to the listeners, in order, on one daemon
 * thread that exists while there is something to publish. Thread-safe.
 */
final class LockEvents {

	private static final Log logger = LogFactory.getLog(LockEvents.class);

	private final List<LockListener> listeners;

	private final LockClock clock;

	private final ExecutorService publisher;

	LockEvents(List<LockListener> listeners, LockClock clock) {
		this.listeners = List.copyOf(listeners);
		this.clock = clock;
		ThreadPoolExecutor executor = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				ClientThreads.daemons("mongo-lock-events"));
		executor.allowCoreThreadTimeOut(true);
		this.publisher = executor;
	}

	/**
	 * A lock was granted.
	 * @param heldLock the lock
	 * @param lapsed whose leases had run out
	 */
	void acquired(HeldLock heldLock, List<LockHolder> lapsed) {
		log("Acquired", heldLock);
		LockHandle handle = observe(heldLock);
		publish((listener) -> listener.onAcquired(handle));
		for (LockHolder previous : lapsed) {
			logger.warn("Lock '" + KeyText.printable(heldLock.key()) + "' was taken over from " + previous.owner()
					+ ", who neither renewed nor released it (fence " + previous.fence() + ", now " + heldLock.fence()
					+ ")");
			publish((listener) -> listener.onTakenOver(handle, previous));
		}
	}

	/**
	 * A lock was lost.
	 * @param heldLock the lock
	 * @param reason how
	 */
	void lost(HeldLock heldLock, @Nullable LossReason reason) {
		LossReason known = (reason != null) ? reason : LossReason.DEADLINE;
		logger.warn(LockExceptions.describeLoss(heldLock, known));
		LockHandle handle = observe(heldLock);
		publish((listener) -> listener.onLost(handle, known));
	}

	/**
	 * The holder gave a lock back.
	 * @param heldLock the lock
	 * @param outcome how that ended
	 */
	void ended(HeldLock heldLock, ReleaseOutcome outcome) {
		switch (outcome) {
			case RELEASED -> released(heldLock);
			case EXPIRED_UNCONTESTED -> expiredUncontested(heldLock);
			case LEFT_TO_EXPIRE -> leftToExpire(heldLock);
			case LOST -> {
				if (heldLock.lossReason() == null) {
					lost(heldLock, LossReason.REFUSED);
				}
			}
		}
	}

	private void released(HeldLock heldLock) {
		log("Released", heldLock);
		LockHandle handle = observe(heldLock);
		publish((listener) -> listener.onReleased(handle));
	}

	private void expiredUncontested(HeldLock heldLock) {
		logger.warn("Lock '" + KeyText.printable(heldLock.key()) + "' (fence " + heldLock.fence()
				+ ") was not granted to anyone else before its release, although its lease had run out");
		LockHandle handle = observe(heldLock);
		publish((listener) -> listener.onExpiredUncontested(handle));
	}

	private static void leftToExpire(HeldLock heldLock) {
		logger.warn("Lock '" + KeyText.printable(heldLock.key())
				+ "' is not released, as nobody knows whether the transaction "
				+ "that used it was committed; its lease of " + heldLock.terms().ttl().toMillis()
				+ "ms runs out by itself");
	}

	/**
	 * The store failed on a release.
	 * @param heldLock the lock
	 * @param failure how
	 */
	void releaseFailed(HeldLock heldLock, RuntimeException failure) {
		logger.warn("Release of lock '" + KeyText.printable(heldLock.key())
				+ "' failed and is tried again in the background; " + "otherwise its lease of "
				+ heldLock.terms().ttl().toMillis() + "ms runs out by itself: " + failure.getMessage());
		logger.debug("Release failed", failure);
	}

	/**
	 * Tell every listener. Returns at once.
	 * @param event what to tell
	 */
	void publish(Consumer<LockListener> event) {
		if (!this.listeners.isEmpty()) {
			this.publisher.execute(() -> this.listeners.forEach((listener) -> tell(listener, event)));
		}
	}

	private void tell(LockListener listener, Consumer<LockListener> event) {
		try {
			event.accept(listener);
		}
		catch (RuntimeException | Error ex) {
			logger.error("Listener " + listener + " failed; the lock itself is not affected", ex);
		}
	}

	private LockHandle observe(HeldLock heldLock) {
		return new ReadOnlyLockHandle(heldLock, this.clock);
	}

	private static void log(String what, HeldLock heldLock) {
		if (logger.isDebugEnabled()) {
			logger.debug(what + " lock '" + KeyText.printable(heldLock.key()) + "' (fence " + heldLock.fence() + ")");
		}
	}

}
