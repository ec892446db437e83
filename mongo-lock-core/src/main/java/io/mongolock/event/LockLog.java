package io.mongolock.event;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.apache.commons.logging.Log;

import io.mongolock.LockClock;
import io.mongolock.LockDeadlock;
import io.mongolock.LockException;
import io.mongolock.LockHolder;
import io.mongolock.LockListener;
import io.mongolock.LockRequest;
import io.mongolock.LossReason;
import io.mongolock.core.HeldLock;
import io.mongolock.core.Lease;
import io.mongolock.core.LockExceptions;
import io.mongolock.store.KeyText;

/**
 * The log of what happens to locks. It decides which lines are logged at which level. A
 * thread of its own writes the lines. So the watch over the leases, renewals and
 * listeners never wait for a log appender that blocks. Only the lines about each grant
 * and release, at DEBUG, are written by the caller's thread. Thread-safe.
 */
final class LockLog {

	private static final int CAPACITY = 10_000;

	private static final int MAX_KEYS = 3;

	/**
	 * The maximum number of names, so that names made up at runtime do not fill the
	 * memory.
	 */
	private static final int MAX_NAMES = 1_000;

	private final Log logger;

	private final EventLog log;

	private final LossLog losses;

	/** Names of locks whose first skip was logged at INFO. */
	private final Set<String> skipped = ConcurrentHashMap.newKeySet();

	LockLog(Log logger, Function<String, ThreadFactory> threads, LockClock clock) {
		this.logger = logger;
		this.log = new EventLog(logger, threads.apply("mongo-lock-log"), CAPACITY);
		this.losses = new LossLog(this.log, clock);
	}

	void acquired(HeldLock heldLock) {
		debug("Acquired", heldLock, "");
	}

	void released(HeldLock heldLock, Duration keptFor) {
		debug("Released", heldLock,
				(keptFor.isZero()) ? "" : ", which stays taken for " + keptFor.toMillis() + "ms more");
	}

	private void debug(String what, HeldLock heldLock, String more) {
		if (this.logger.isDebugEnabled()) {
			this.logger.debug(
					what + " lock '" + KeyText.printable(heldLock.key()) + "' (fence " + heldLock.fence() + ")" + more);
		}
	}

	/**
	 * A request was skipped. The first skip of each name is logged at INFO, because users
	 * may wonder why nothing happened. All other skips are logged at DEBUG.
	 */
	void skipped(LockRequest request, List<LockHolder> holders) {
		String name = (request.name() != null) ? request.name() : "";
		if (this.skipped.size() < MAX_NAMES && this.skipped.add(name)) {
			this.log.info(describeSkip(request, holders) + ". Further skips of "
					+ ((name.isEmpty()) ? "locks without a name" : "locks named '" + KeyText.printable(name) + "'")
					+ " are logged at DEBUG");
		}
		else if (this.log.isDebugEnabled()) {
			this.log.debug(describeSkip(request, holders));
		}
	}

	private static String describeSkip(LockRequest request, List<LockHolder> holders) {
		return "The work under lock '" + KeyText.printable(request.key()) + "' was skipped, because the lock "
				+ LockExceptions.whoHolds(holders);
	}

	void takenOver(HeldLock heldLock, LockHolder previous) {
		this.log.warn("Lock '" + KeyText.printable(heldLock.key()) + "' was taken over from " + previous.owner()
				+ ". The earlier lease had run out, because no renewal or release had reached the store in time. The "
				+ "earlier fence was " + previous.fence() + ", and the new fence is " + heldLock.fence());
	}

	void deadlocked(LockDeadlock deadlock) {
		this.log.warn("A deadlock of " + deadlock.waits().size() + " calls lasts until one of them gives up: "
				+ LockExceptions.describe(deadlock)
				+ ". Take these locks in the same order everywhere, or with one call");
	}

	void broken(String key, LockHolder holder) {
		this.log.info("Lock '" + KeyText.printable(key) + "' was released by force. The lock was held by "
				+ holder.owner() + " (fence " + holder.fence() + ")");
	}

	void lost(HeldLock heldLock, LossReason reason) {
		this.losses.lost(heldLock.lease(), reason);
	}

	void cutOff(List<HeldLock> lost) {
		if (lost.size() == 1) {
			lost(lost.get(0), LossReason.SHUTDOWN);
		}
		else if (!lost.isEmpty()) {
			this.log.warn(lost.size() + " locks were lost, because this application shut down while they were held: "
					+ names(lost.stream().map(HeldLock::lease).toList()));
		}
	}

	void expiredUncontested(HeldLock heldLock) {
		this.log.warn("The lease of lock '" + KeyText.printable(heldLock.key()) + "' (fence " + heldLock.fence()
				+ ") ran out, but no other call got the lock before the release");
	}

	void leftToExpire(HeldLock heldLock, Duration lease) {
		this.log.warn("Lock '" + KeyText.printable(heldLock.key())
				+ "' is not released, because the outcome of a save or commit under this lock is unknown. The lock "
				+ "stays taken until its lease of " + lease.toMillis() + "ms runs out");
	}

	void releaseFailed(HeldLock heldLock, RuntimeException failure) {
		this.log.warn("The release of lock '" + KeyText.printable(heldLock.key()) + "' failed: " + failure.getMessage()
				+ ". The client tries again in the background. If all tries fail, the lock stays taken until its lease "
				+ "of " + heldLock.ttl().toMillis() + "ms runs out");
		this.log.debug("Release failed", failure);
	}

	void releaseAtShutdownFailed(List<HeldLock> left, RuntimeException failure) {
		this.log.warn("The release of " + ((left.size() != 1) ? left.size() + " locks" : "1 lock")
				+ " at shutdown failed: " + failure.getMessage() + ". If a lock was not released, it stays taken until "
				+ "its lease runs out. These locks may be affected: "
				+ names(left.stream().map(HeldLock::lease).toList()));
		this.log.debug("Release at shutdown failed", failure);
	}

	void renewalFailed(List<Lease> leases, Throwable failure, boolean news) {
		String message = "The renewal of " + ((leases.size() != 1) ? leases.size() + " locks " : "lock ")
				+ names(leases) + " failed and is tried again until the lease runs out: " + failure.getMessage();
		if (!news) {
			this.log.debug(message, failure);
		}
		else if (failure instanceof LockException) {
			this.log.warn(message);
			this.log.debug("Renewal failed", failure);
		}
		else {
			this.log.error(message, failure);
		}
	}

	void renewedAgain(List<Lease> leases) {
		this.log.info("The renewal of " + ((leases.size() != 1) ? leases.size() + " locks " : "lock ") + names(leases)
				+ " succeeds again");
	}

	void watchFailed(Throwable failure) {
		this.log.error("An error occurred while the client watched its leases. The client goes on", failure);
	}

	void listenerFailed(LockListener listener, Throwable failure) {
		this.log.error("Listener " + listener.getClass().getName() + " failed. The lock itself is not affected",
				failure);
	}

	void eventsDropped(long count, int capacity) {
		this.log.warn(((count != 1) ? count + " events were" : "1 event was")
				+ " not published, because the listeners take too long. Only the latest " + capacity
				+ " events are kept, but losses are never dropped");
	}

	/**
	 * Write the lines that wait because no thread could be started, or because they are
	 * summed up.
	 */
	boolean retry() {
		return this.losses.retry() | this.log.retry();
	}

	/**
	 * Wait until the earlier lines are in the log.
	 */
	void flush(Duration timeout) {
		this.losses.sumUp();
		this.log.flush(timeout);
	}

	private static String names(Collection<Lease> leases) {
		String first = leases.stream()
			.limit(MAX_KEYS)
			.map((lease) -> "'" + KeyText.printable(lease.id().key()) + "'")
			.collect(Collectors.joining(", "));
		return (leases.size() > MAX_KEYS) ? first + " and " + (leases.size() - MAX_KEYS) + " more" : first;
	}

}
