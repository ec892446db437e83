package io.mongolock.event;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.LockException;
import io.mongolock.LockHandle;
import io.mongolock.LockHolder;
import io.mongolock.LockListener;
import io.mongolock.LockPlace;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.LossReason;
import io.mongolock.OnUnavailable;
import io.mongolock.ReleaseRequest;
import io.mongolock.core.ClockReading;
import io.mongolock.core.HeldLock;
import io.mongolock.core.Lease;
import io.mongolock.core.LockAcquisition;
import io.mongolock.core.LockExceptions;
import io.mongolock.core.ReleaseOutcome;
import io.mongolock.event.LockInstrumentation.ClaimEnd;
import io.mongolock.event.LockInstrumentation.Scope;
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
public final class LockEvents {

	private static final Log logger = LogFactory.getLog(LockEvents.class);

	/** So that many losses at once are published in a fraction of the margin. */
	private static final int LOSSES_AT_ONCE = 32;

	private static final int CAPACITY = 10_000;

	private static final int MAX_NAMES = 10;

	private final EventLane losses;

	private final EventLane events;

	private final EventLog log;

	private final SkipLog skips;

	private final List<LockListener> listeners;

	private final List<LockInstrumentation> instruments;

	private final LockClock clock;

	/**
	 * Create new events.
	 * @param listeners who is notified
	 * @param clock the clocks that listeners see locks by
	 * @param threads creates the threads of a name, which are daemons
	 */
	public LockEvents(List<LockListener> listeners, LockClock clock, Function<String, ThreadFactory> threads) {
		this.listeners = listeners.stream().filter((listener) -> !(listener instanceof LockInstrumentation)).toList();
		this.instruments = listeners.stream()
			.filter(LockInstrumentation.class::isInstance)
			.map(LockInstrumentation.class::cast)
			.toList();
		this.clock = clock;
		this.losses = new EventLane(threads.apply("mongo-lock-losses"), LOSSES_AT_ONCE, Integer.MAX_VALUE, (none) -> {
		});
		this.events = new EventLane(threads.apply("mongo-lock-events"), 1, CAPACITY, this::dropped);
		this.log = new EventLog(logger, threads.apply("mongo-lock-log"), CAPACITY);
		this.skips = new SkipLog(this.log);
	}

	/**
	 * A claim took a place in line.
	 * @param request what was asked for
	 * @param place the place
	 */
	public void waiting(LockRequest request, LockPlace place) {
		publish((listener) -> listener.onWaiting(request, place));
	}

	/**
	 * A claim begins, on the thread that wants the lock.
	 * @param acquisition the claim
	 */
	public void claiming(LockAcquisition acquisition) {
		measure((instrument) -> instrument.claiming(acquisition, acquisition.request()));
	}

	/**
	 * A claim asks the store, on the current thread.
	 * @param acquisition the claim
	 * @return is to be closed after the answer
	 */
	public Scope asking(LockAcquisition acquisition) {
		return open((instrument) -> instrument.asking(acquisition));
	}

	/**
	 * A claim has to wait.
	 * @param acquisition the claim
	 */
	public void queued(LockAcquisition acquisition) {
		measure((instrument) -> instrument.queued(acquisition));
	}

	/**
	 * A claim that waits is woken.
	 * @param acquisition the claim
	 */
	public void woken(LockAcquisition acquisition) {
		measure((instrument) -> instrument.woken(acquisition));
	}

	/**
	 * Somebody begins to work under a lock, on the current thread.
	 * @param heldLock the lock
	 * @return is to be closed at the end of the work
	 */
	public Scope working(HeldLock heldLock) {
		return open((instrument) -> instrument.working(observe(heldLock.lease())));
	}

	/**
	 * A lock was granted.
	 * @param acquisition the claim
	 * @param heldLock the lock
	 * @param lapsed whose leases had run out
	 */
	public void acquired(LockAcquisition acquisition, HeldLock heldLock, List<LockHolder> lapsed) {
		debug("Acquired", heldLock);
		LockHandle handle = observe(heldLock.lease());
		measure((instrument) -> instrument.granted(acquisition, heldLock.request(), handle));
		ended(acquisition, ClaimEnd.GRANTED);
		if (heldLock.isHandedOver()) {
			measure((instrument) -> instrument.handedOver(heldLock.request(),
					heldLock.heldFor(ClockReading.of(this.clock))));
		}
		publishToThoseWhoHear((listener) -> listener.onAcquired(handle));
		for (LockHolder previous : lapsed) {
			this.log.warn("Lock '" + KeyText.printable(heldLock.key()) + "' was taken over from " + previous.owner()
					+ ", whose lease had run out: neither a renewal nor a release of it had reached the store in time "
					+ "(fence " + previous.fence() + ", now " + heldLock.fence() + ")");
			publish((listener) -> listener.onTakenOver(handle, previous));
			measure((instrument) -> instrument.takenOver(heldLock.request()));
		}
	}

	/**
	 * A lock was broken on purpose.
	 * @param key its key
	 * @param holder who was thrown out
	 */
	public void broken(String key, LockHolder holder) {
		this.log.info("Lock '" + KeyText.printable(key) + "' was broken on purpose; it was held by " + holder.owner()
				+ " (fence " + holder.fence() + ")");
		publish((listener) -> listener.onBroken(key, holder));
	}

	/**
	 * Others held a lock at the end of the wait.
	 * @param acquisition the claim
	 * @param holders who they are
	 */
	public void denied(LockAcquisition acquisition, List<LockHolder> holders) {
		LockRequest request = acquisition.request();
		boolean skips = request.onUnavailable() == OnUnavailable.SKIP;
		Duration waited = since(acquisition.begun());
		ClaimEnd denied = (acquisition.terms().waitTimeout().isZero()) ? ClaimEnd.DENIED : ClaimEnd.TIMEOUT;
		ended(acquisition, (skips) ? ClaimEnd.SKIPPED : denied);
		if (skips) {
			publish((listener) -> listener.onSkipped(request, holders, waited));
			this.skips.skipped(request, holders);
		}
		else {
			publish((listener) -> listener.onUnavailable(request, holders, waited));
		}
	}

	/**
	 * A claim ended.
	 * @param acquisition the claim
	 * @param end how it ended
	 */
	public void ended(LockAcquisition acquisition, ClaimEnd end) {
		ended(acquisition, end, null);
	}

	/**
	 * A claim ended, as the store failed.
	 * @param acquisition the claim
	 * @param failure how
	 */
	public void failed(LockAcquisition acquisition, LockStoreException failure) {
		ended(acquisition, ClaimEnd.FAILED, failure);
	}

	private void ended(LockAcquisition acquisition, ClaimEnd end, @Nullable LockStoreException failure) {
		measure((instrument) -> instrument.claimed(acquisition, acquisition.request(), end, failure,
				since(acquisition.begun())));
	}

	/**
	 * A claim that was woken to ask again has its answer.
	 * @param request what was asked for
	 * @param granted whether it was woken for good
	 * @param woken when it was woken
	 */
	public void wokenUp(LockRequest request, boolean granted, ClockReading woken) {
		measure((instrument) -> instrument.wokenUp(request, granted, since(woken)));
	}

	/**
	 * A lock was lost. What a stop takes away is logged by {@link #lostAtShutdown}.
	 * @param heldLock the lock
	 * @param reason how
	 */
	public void lost(HeldLock heldLock, LossReason reason) {
		LockHandle handle = observe(heldLock.lease());
		publish(this.losses, (listener) -> listener.onLost(handle, reason));
		measure((instrument) -> instrument.lost(handle, heldLock.request(), reason));
		if (reason != LossReason.SHUTDOWN) {
			this.log.warn(LockExceptions.describeLoss(heldLock.lease(), reason));
		}
	}

	/**
	 * A stop took locks away from those who held them.
	 * @param lost the locks
	 */
	public void lostAtShutdown(List<HeldLock> lost) {
		if (lost.size() == 1) {
			this.log.warn(LockExceptions.describeLoss(lost.get(0).lease(), LossReason.SHUTDOWN));
		}
		else if (!lost.isEmpty()) {
			this.log.warn(lost.size() + " locks were lost, as this application shut down while they were held: "
					+ names(lost.stream().map(HeldLock::lease).toList()));
		}
	}

	/**
	 * The holder gave a lock back.
	 * @param heldLock the lock
	 * @param outcome how that ended
	 */
	public void ended(HeldLock heldLock, ReleaseOutcome outcome) {
		if (outcome == ReleaseOutcome.LOST && heldLock.lossReason() == null) {
			lost(heldLock, LossReason.REFUSED);
		}
		measure((instrument) -> instrument.ended(observe(heldLock.lease()), heldLock.request(), outcome,
				heldLock.heldFor(ClockReading.of(this.clock))));
		switch (outcome) {
			case RELEASED -> released(heldLock);
			case EXPIRED_UNCONTESTED -> expiredUncontested(heldLock);
			case LEFT_TO_EXPIRE -> leftToExpire(heldLock);
			case LOST -> {
				// Was said when it happened
			}
		}
	}

	private void released(HeldLock heldLock) {
		Duration keptFor = heldLock.keptFor(ClockReading.of(this.clock));
		debug((keptFor.isZero()) ? "Released" : "Released, to stay taken for " + keptFor.toMillis() + "ms more,",
				heldLock);
		LockHandle handle = observe(heldLock.lease());
		publishToThoseWhoHear((listener) -> listener.onReleased(handle, keptFor));
	}

	private void expiredUncontested(HeldLock heldLock) {
		this.log.warn("Lock '" + KeyText.printable(heldLock.key()) + "' (fence " + heldLock.fence()
				+ ") was not granted to anyone else before its release, although its lease had run out");
		LockHandle handle = observe(heldLock.lease());
		publish((listener) -> listener.onExpiredUncontested(handle));
	}

	private void leftToExpire(HeldLock heldLock) {
		Duration keptFor = heldLock.keptFor(ClockReading.of(this.clock));
		Duration lease = (keptFor.isZero()) ? heldLock.ttl() : keptFor;
		this.log.warn("Lock '" + KeyText.printable(heldLock.key())
				+ "' is not released, as nobody knows whether the transaction "
				+ "that used it was committed; its lease of " + lease.toMillis() + "ms runs out by itself");
	}

	/**
	 * The store failed on a release, which is tried again in the background.
	 * @param heldLock the lock
	 * @param failure how
	 */
	public void releaseFailed(HeldLock heldLock, RuntimeException failure) {
		this.log.warn("Release of lock '" + KeyText.printable(heldLock.key())
				+ "' failed and is tried again in the background; " + "otherwise its lease of "
				+ heldLock.ttl().toMillis() + "ms runs out by itself: " + failure.getMessage());
		this.log.debug("Release failed", failure);
		publishReleaseFailed(heldLock, failure);
	}

	/**
	 * Locks could not be released at a stop, and nobody will try again.
	 * @param left the locks
	 * @param failure why not
	 */
	public void releaseAtShutdownFailed(List<HeldLock> left, RuntimeException failure) {
		this.log.warn("Release of " + ((left.size() != 1) ? left.size() + " locks" : "1 lock")
				+ " at shutdown failed; what is not released runs out by itself: "
				+ names(left.stream().map(HeldLock::lease).toList()) + ": " + failure.getMessage());
		this.log.debug("Release at shutdown failed", failure);
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
	public void renewalFailed(List<Lease> leases, Throwable failure) {
		String message = "Renewal of " + ((leases.size() != 1) ? leases.size() + " locks " : "lock ") + names(leases)
				+ " failed and is tried again until the lease runs out: " + failure.getMessage();
		if (failure instanceof LockException) {
			this.log.warn(message);
			this.log.debug("Renewal failed", failure);
		}
		else {
			this.log.error(message, failure);
		}
		for (Lease lease : leases) {
			LockHandle handle = observe(lease);
			publish((listener) -> listener.onRenewalFailed(handle, failure));
		}
	}

	/**
	 * Somebody asks to release a lock.
	 * @param lease the lease
	 * @param request who, and why
	 */
	public void releaseRequested(Lease lease, ReleaseRequest request) {
		LockHandle handle = observe(lease);
		publish((listener) -> listener.onReleaseRequested(handle, request));
	}

	/**
	 * The watch over the leases failed, and goes on.
	 * @param failure how
	 */
	public void watchFailed(Throwable failure) {
		this.log.error("The watch over the leases failed and goes on", failure);
	}

	/**
	 * Publish an event that is no loss to every listener. Returns at once.
	 * @param event what to publish
	 */
	public void publish(Consumer<LockListener> event) {
		publish(this.events, event);
	}

	/**
	 * Wait until what was said before is in the log.
	 * @param timeout how long at most
	 */
	public void flushLog(Duration timeout) {
		this.log.flush(timeout);
	}

	/**
	 * Leases were renewed, or could not be.
	 * @param leases the leases as they were before
	 * @param found how many the store has, or negative if it did not answer
	 * @param requested when it was asked
	 */
	public void renewed(List<Lease> leases, int found, ClockReading requested) {
		measure((instrument) -> {
			instrument.renewed(leases.size(), found >= 0, since(requested));
			if (found == leases.size()) {
				leases.forEach((lease) -> instrument.renewed(observe(lease)));
			}
		});
	}

	/**
	 * Leases are about to be renewed.
	 * @param leases the leases
	 * @param now the time
	 */
	public void renewing(List<Lease> leases, ClockReading now) {
		measure((instrument) -> leases.forEach((lease) -> instrument.marginLeft(lease.remaining(now))));
	}

	/**
	 * The store told its time.
	 * @param ahead how far it is ahead of the wall clock of this machine, about
	 */
	void storeClock(Duration ahead) {
		measure((instrument) -> instrument.storeClock(ahead));
	}

	private Duration since(ClockReading before) {
		return Duration.ofNanos(this.clock.nanoTime() - before.nanos());
	}

	private void measure(Consumer<LockInstrumentation> measurement) {
		this.instruments.forEach((instrument) -> notify(instrument, measurement));
	}

	private Scope open(Function<LockInstrumentation, Scope> opening) {
		Scope scope = Scope.NONE;
		for (LockInstrumentation instrument : this.instruments) {
			Scope outer = scope;
			try {
				Scope inner = opening.apply(instrument);
				scope = (inner == Scope.NONE) ? outer : () -> close(instrument, inner, outer);
			}
			catch (RuntimeException | Error ex) {
				failed(instrument, ex);
			}
		}
		return scope;
	}

	private void close(LockInstrumentation instrument, Scope inner, Scope outer) {
		notify(instrument, (closed) -> inner.close());
		outer.close();
	}

	// To wake the thread that publishes costs more than all else that is done here
	private void publishToThoseWhoHear(Consumer<LockListener> event) {
		publish(this.events,
				this.listeners.stream()
					.filter((listener) -> !(listener instanceof SelectiveListener one) || one.hearsGrantsAndReleases())
					.toList(),
				event);
	}

	private void publish(EventLane lane, Consumer<LockListener> event) {
		publish(lane, this.listeners, event);
	}

	private void publish(EventLane lane, List<LockListener> listeners, Consumer<LockListener> event) {
		if (!listeners.isEmpty()) {
			lane.add(() -> listeners.forEach((listener) -> notify(listener, event)));
		}
	}

	private <L extends LockListener> void notify(L listener, Consumer<? super L> event) {
		try {
			event.accept(listener);
		}
		catch (RuntimeException | Error ex) {
			failed(listener, ex);
		}
	}

	private void failed(LockListener listener, Throwable failure) {
		this.log.error("Listener " + listener + " failed; the lock itself is not affected", failure);
	}

	private void dropped(long count) {
		this.log.warn(((count != 1) ? count + " events were" : "1 event was")
				+ " not published, as the listeners take too long: only the latest " + CAPACITY
				+ " are kept; losses are never among those dropped");
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
