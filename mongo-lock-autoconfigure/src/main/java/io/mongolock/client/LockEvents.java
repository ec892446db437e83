package io.mongolock.client;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.mongolock.LockClock;
import io.mongolock.LockException;
import io.mongolock.LockHandle;
import io.mongolock.LockHolder;
import io.mongolock.LockListener;
import io.mongolock.LossReason;
import io.mongolock.core.HeldLock;
import io.mongolock.core.Lease;
import io.mongolock.core.ReleaseOutcome;
import io.mongolock.store.KeyText;

/**
 * Says what happens to locks: to the listeners and in the log. Thread-safe; none of its
 * methods blocks.
 * <p>
 * There are three lanes, none of which waits for another: losses go ahead of everything
 * else and are never dropped, as their holders have to know in time; all other events
 * wait in a bounded queue; and warnings are written by a thread of their own, so that
 * neither the watch over the leases nor a renewal nor a listener waits for a log appender
 * that blocks.
 */
final class LockEvents {

	private static final Log logger = LogFactory.getLog(LockEvents.class);

	/** So that many losses at once are published in a fraction of the margin. */
	private static final int LOSSES_AT_ONCE = 32;

	private static final int CAPACITY = 10_000;

	private static final int MAX_NAMES = 10;

	private final EventLane losses = new EventLane(ClientThreads.daemons("mongo-lock-losses"), LOSSES_AT_ONCE,
			Integer.MAX_VALUE, (none) -> {
			});

	private final EventLane events = new EventLane(ClientThreads.daemons("mongo-lock-events"), 1, CAPACITY,
			this::droppedEvents);

	private final EventLane lines = new EventLane(ClientThreads.daemons("mongo-lock-log"), 1, CAPACITY,
			LockEvents::droppedLines);

	private final List<LockListener> listeners;

	private final LockClock clock;

	LockEvents(List<LockListener> listeners, LockClock clock) {
		this.listeners = List.copyOf(listeners);
		this.clock = clock;
	}

	/**
	 * A lock was granted.
	 * @param heldLock the lock
	 * @param lapsed whose leases had run out
	 */
	void acquired(HeldLock heldLock, List<LockHolder> lapsed) {
		debug("Acquired", heldLock);
		LockHandle handle = observe(heldLock.lease());
		publish((listener) -> listener.onAcquired(handle));
		for (LockHolder previous : lapsed) {
			warn("Lock '" + KeyText.printable(heldLock.key()) + "' was taken over from " + previous.owner()
					+ ", whose lease had run out: neither a renewal nor a release of it had reached the store in time "
					+ "(fence " + previous.fence() + ", now " + heldLock.fence() + ")");
			publish((listener) -> listener.onTakenOver(handle, previous));
		}
	}

	/**
	 * A lock was lost. What a stop takes away is logged by {@link #lostAtShutdown}.
	 * @param heldLock the lock
	 * @param reason how
	 */
	void lost(HeldLock heldLock, LossReason reason) {
		LockHandle handle = observe(heldLock.lease());
		publish(this.losses, (listener) -> listener.onLost(handle, reason));
		if (reason != LossReason.SHUTDOWN) {
			warn(LockExceptions.describeLoss(heldLock.lease(), reason));
		}
	}

	/**
	 * A stop took locks away from those who held them.
	 * @param lost the locks
	 */
	void lostAtShutdown(List<HeldLock> lost) {
		if (lost.size() == 1) {
			warn(LockExceptions.describeLoss(lost.get(0).lease(), LossReason.SHUTDOWN));
		}
		else if (!lost.isEmpty()) {
			warn(lost.size() + " locks were lost, as this application shut down while they were held: "
					+ names(lost.stream().map(HeldLock::lease).toList()));
		}
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
			case LOST -> lostAtRelease(heldLock);
		}
	}

	private void released(HeldLock heldLock) {
		debug("Released", heldLock);
		LockHandle handle = observe(heldLock.lease());
		publish((listener) -> listener.onReleased(handle));
	}

	private void expiredUncontested(HeldLock heldLock) {
		warn("Lock '" + KeyText.printable(heldLock.key()) + "' (fence " + heldLock.fence()
				+ ") was not granted to anyone else before its release, although its lease had run out");
		LockHandle handle = observe(heldLock.lease());
		publish((listener) -> listener.onExpiredUncontested(handle));
	}

	private void leftToExpire(HeldLock heldLock) {
		warn("Lock '" + KeyText.printable(heldLock.key())
				+ "' is not released, as nobody knows whether the transaction "
				+ "that used it was committed; its lease of " + heldLock.terms().ttl().toMillis()
				+ "ms runs out by itself");
	}

	private void lostAtRelease(HeldLock heldLock) {
		if (heldLock.lossReason() == null) {
			lost(heldLock, LossReason.REFUSED);
		}
	}

	/**
	 * The store failed on a release, which is tried again in the background.
	 * @param heldLock the lock
	 * @param failure how
	 */
	void releaseFailed(HeldLock heldLock, RuntimeException failure) {
		warn("Release of lock '" + KeyText.printable(heldLock.key()) + "' failed and is tried again in the background; "
				+ "otherwise its lease of " + heldLock.terms().ttl().toMillis() + "ms runs out by itself: "
				+ failure.getMessage());
		debug("Release failed", failure);
		publishReleaseFailed(heldLock, failure);
	}

	/**
	 * Locks could not be released at a stop, and nobody will try again.
	 * @param left the locks
	 * @param failure why not
	 */
	void releaseAtShutdownFailed(List<HeldLock> left, RuntimeException failure) {
		warn("Release of " + left.size() + " locks at shutdown failed; their leases run out by themselves: "
				+ names(left.stream().map(HeldLock::lease).toList()) + ": " + failure.getMessage());
		debug("Release at shutdown failed", failure);
		left.forEach((heldLock) -> publishReleaseFailed(heldLock, failure));
	}

	private void publishReleaseFailed(HeldLock heldLock, RuntimeException failure) {
		LockHandle handle = observe(heldLock.lease());
		publish((listener) -> listener.onReleaseFailed(handle, failure));
	}

	/**
	 * Leases could not be renewed, which is tried again.
	 * @param leases the leases
	 * @param failure why not
	 */
	void renewalFailed(List<Lease> leases, Throwable failure) {
		String message = "Renewal of " + ((leases.size() != 1) ? leases.size() + " locks " : "lock ") + names(leases)
				+ " failed and is tried again until the lease runs out: " + failure.getMessage();
		if (failure instanceof LockException) {
			warn(message);
			debug("Renewal failed", failure);
		}
		else {
			this.lines.add(() -> logger.error(message, failure));
		}
		for (Lease lease : leases) {
			LockHandle handle = observe(lease);
			publish((listener) -> listener.onRenewalFailed(handle, failure));
		}
	}

	/**
	 * The watch over the leases failed, and goes on.
	 * @param failure how
	 */
	void watchFailed(Throwable failure) {
		this.lines.add(() -> logger.error("The watch over the leases failed and goes on", failure));
	}

	/**
	 * Publish an event that is no loss to every listener. Returns at once.
	 * @param event what to publish
	 */
	void publish(Consumer<LockListener> event) {
		publish(this.events, event);
	}

	/**
	 * Wait until what was said before is in the log.
	 * @param timeout how long at most
	 */
	void flushLog(Duration timeout) {
		CountDownLatch written = new CountDownLatch(1);
		this.lines.add(written::countDown);
		try {
			written.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void publish(EventLane lane, Consumer<LockListener> event) {
		if (!this.listeners.isEmpty()) {
			lane.add(() -> this.listeners.forEach((listener) -> notify(listener, event)));
		}
	}

	private void notify(LockListener listener, Consumer<LockListener> event) {
		try {
			event.accept(listener);
		}
		catch (RuntimeException | Error ex) {
			this.lines.add(() -> logger.error("Listener " + listener + " failed; the lock itself is not affected", ex));
		}
	}

	private void droppedEvents(long count) {
		warn(count + " events were not published, as the listeners take too long: only the latest " + CAPACITY
				+ " are kept; losses are never among those dropped");
	}

	private static void droppedLines(long count) {
		logger.warn(
				count + " warnings were not logged, as the log was blocked: only the latest " + CAPACITY + " are kept");
	}

	private void warn(String message) {
		this.lines.add(() -> logger.warn(message));
	}

	private void debug(String message, Throwable failure) {
		this.lines.add(() -> logger.debug(message, failure));
	}

	private static void debug(String what, HeldLock heldLock) {
		if (logger.isDebugEnabled()) {
			logger.debug(what + " lock '" + KeyText.printable(heldLock.key()) + "' (fence " + heldLock.fence() + ")");
		}
	}

	private LockHandle observe(Lease lease) {
		return new ReadOnlyLockHandle(lease, this.clock);
	}

	private static String names(Collection<Lease> leases) {
		String first = leases.stream()
			.limit(MAX_NAMES)
			.map((lease) -> "'" + KeyText.printable(lease.id().key()) + "'")
			.collect(Collectors.joining(", "));
		return (leases.size() > MAX_NAMES) ? first + " and " + (leases.size() - MAX_NAMES) + " more" : first;
	}

}
