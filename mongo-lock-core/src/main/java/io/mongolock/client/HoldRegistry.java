package io.mongolock.client;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Stream;

import io.mongolock.LockClock;
import io.mongolock.LossReason;
import io.mongolock.OnLost;
import io.mongolock.core.ClientQueues;
import io.mongolock.core.ClockReading;
import io.mongolock.core.HandOver;
import io.mongolock.core.HeldLock;
import io.mongolock.core.LockExceptions;
import io.mongolock.core.ReleaseDecision.ReleaseOutcome;
import io.mongolock.event.LockEvents;
import io.mongolock.store.LeaseEnd;
import io.mongolock.store.TimeLeft;

/**
 * The locks that this client holds, from the grant to the release. Thread-safe.
 * <p>
 * When nobody relies on a hold any more, its lease rests with this client if it is to
 * linger, else it is handed to the next attempt of this JVM, else it ends in the store.
 * Before that others may have ended it, as a statement on a document does, or it may be
 * lost: then its holder is notified, and its release, if one follows, finds nothing. What
 * is still held when a client stops is cut off by {@link #cutOffAll}. Whatever ends a
 * hold has the next attempt ask.
 */
final class HoldRegistry {

	private final LockClock clock;

	private final ClientQueues queues;

	private final ClientLifecycle phase;

	private final LockReleaser releaser;

	private final LockEvents events;

	private final HandOver handOver;

	private final ClientRuntime runtime;

	/** One for each end that somebody waits for. */
	private final Semaphore ends = new Semaphore(0);

	private volatile boolean awaited;

	private final Set<HeldLock> held = ConcurrentHashMap.newKeySet();

	HoldRegistry(LockClock clock, ClientQueues queues, ClientLifecycle phase, LockReleaser releaser, LockEvents events,
			HandOver handOver, ClientRuntime runtime) {
		this.clock = clock;
		this.queues = queues;
		this.phase = phase;
		this.releaser = releaser;
		this.events = events;
		this.handOver = handOver;
		this.runtime = runtime;
	}

	/**
	 * A lock was granted: keep it.
	 */
	void granted(HeldLock heldLock) {
		register(heldLock);
		if (this.phase.isClosed()) {
			// The answer came after the stop, when nothing is sent any more
			this.held.remove(heldLock);
			heldLock.state().cutOff(now());
		}
	}

	private void register(HeldLock heldLock) {
		this.held.add(heldLock);
		try {
			this.phase.loop().register(heldLock.lease());
		}
		catch (RuntimeException | Error ex) {
			unregister(heldLock);
			throw ex;
		}
	}

	private void unregister(HeldLock heldLock) {
		this.held.remove(heldLock);
		this.phase.loop().unregister(heldLock.lease());
		signalEnd();
	}

	private void signalEnd() {
		if (this.awaited) {
			this.ends.release();
		}
	}

	/**
	 * Renew a lease now.
	 */
	boolean renew(HeldLock heldLock) {
		if (!this.phase.beginRequest()) {
			return false;
		}
		try {
			boolean renewed = this.phase.loop().renew(heldLock);
			if (!this.phase.isRenewing()) {
				// It is about to be cut off, which says the same
				heldLock.lease().lose(LossReason.SHUTDOWN);
			}
			return renewed;
		}
		finally {
			this.phase.endRequest();
		}
	}

	/**
	 * Renew all leases of a key now.
	 */
	void renew(String key) {
		this.held.stream().filter((heldLock) -> heldLock.key().equals(key)).forEach(this::renew);
	}

	/**
	 * A lock cannot be handed to its caller: nobody relies on it.
	 * @param failure why; what else goes wrong is added to it
	 */
	void takeBack(HeldLock heldLock, Throwable failure) {
		try {
			if (heldLock.state().remove()) {
				heldLock.state().waiveMinHold();
				release(heldLock);
			}
		}
		catch (RuntimeException | Error ex) {
			failure.addSuppressed(ex);
		}
	}

	/**
	 * A lock was handed over to somebody who had given up at that moment: the next one in
	 * the queue has it, or it is released in the background.
	 */
	void declined(HeldLock heldLock) {
		if (!heldLock.state().remove()) {
			return;
		}
		heldLock.state().waiveMinHold();
		// Nobody has heard of this hold, so nobody hears of its end
		boolean handed = handToNext(heldLock, () -> {
		});
		if (!handed) {
			// However long it waits for a thread, it is renewed for nobody
			watchOnly(heldLock);
			this.phase.threads().cleanUpAfter(0, () -> endInStore(heldLock, this.releaser::releaseOnSharedThread));
		}
	}

	/**
	 * Somebody relies on a lock no longer; the last one hands it over or releases it.
	 * @throws io.mongolock.LockLostException if the lock had been lost, unless the
	 * request says to ignore that; of one whose deadline passed only the last one knows
	 */
	void unshare(HeldLock heldLock) {
		if (heldLock.state().remove()) {
			release(heldLock);
		}
		else if (heldLock.state().isGone() && heldLock.request().onLost() != OnLost.IGNORE) {
			// The last one may close much later, on behalf of somebody else
			throw LockExceptions.lost(heldLock.lease());
		}
	}

	/**
	 * A handle was never closed: nobody relies on it any longer, nor can hear of a loss.
	 */
	void leaked(HeldLock heldLock) {
		if (!heldLock.state().remove()) {
			return;
		}
		if (!restOrHandToNext(heldLock)) {
			endInStore(heldLock, (same) -> publish(same, this.releaser.releaseOnSharedThread(same)));
		}
	}

	/**
	 * Something begins, or goes on after a statement, that a renewal would disturb.
	 */
	void pauseRenewals(HeldLock heldLock) {
		if (heldLock.state().statementOver()) {
			release(heldLock);
		}
		else {
			watchOnly(heldLock);
		}
	}

	private void watchOnly(HeldLock heldLock) {
		this.phase.loop().watchOnly(heldLock.lease());
	}

	/**
	 * Wait until no renewal is underway that began before they were paused.
	 */
	void awaitRenewals(HeldLock heldLock) {
		this.phase.loop().awaitRenewals(heldLock.lease());
	}

	/**
	 * A statement begins that may end a lock.
	 */
	void suspend(HeldLock heldLock) {
		heldLock.state().statementBegins();
		watchOnly(heldLock);
	}

	/**
	 * The statement is over and has not ended the lock.
	 */
	void resume(HeldLock heldLock) {
		if (heldLock.state().statementOver()) {
			release(heldLock);
		}
		else if (this.held.contains(heldLock)) {
			this.phase.loop().registerAgain(heldLock.lease());
		}
	}

	/**
	 * A lock was ended by others.
	 */
	void endedByOthers(HeldLock heldLock, LeaseEnd end) {
		if (end == LeaseEnd.LOST) {
			boolean unused = heldLock.state().statementOver();
			heldLock.lease().gone();
			if (unused) {
				// Nobody is left to hear of the end
				endInStore(heldLock, this::releaseAndPublish);
			}
			return;
		}
		boolean held = heldLock.state().endByOthers(now());
		unregister(heldLock);
		if (end == LeaseEnd.UNKNOWN) {
			this.events.ended(heldLock, ReleaseOutcome.LEFT_TO_EXPIRE);
		}
		else if (end == LeaseEnd.RELEASED) {
			this.events.ended(heldLock, (held) ? ReleaseOutcome.RELEASED : ReleaseOutcome.EXPIRED_UNCONTESTED);
			this.releaser.cleanUpAfter(heldLock);
		}
		else {
			this.events.passedOn(heldLock);
		}
		this.queues.wakeNext(heldLock);
	}

	/**
	 * A lock was broken on purpose: who holds it here has lost it.
	 */
	void broken(String key, long fence) {
		// Among them what is about to be registered, or ran out and may be found again
		Stream
			.concat(this.queues.idle().broken(key, fence).stream(),
					this.held.stream()
						.filter((heldLock) -> heldLock.key().equals(key) && heldLock.grantFence() == fence))
			.forEach((heldLock) -> heldLock.lease().gone());
	}

	/**
	 * A lock was lost: let the next one ask, and publish it. Called once per lock, on
	 * whatever thread notices.
	 */
	void lost(HeldLock heldLock) {
		this.queues.wakeNext(heldLock);
		LossReason reason = heldLock.lossReason();
		this.events.lost(heldLock, (reason != null) ? reason : LossReason.DEADLINE);
		signalEnd();
	}

	/**
	 * Wait until nobody relies on a lock any more. One that is lost is waited for no
	 * longer.
	 * @param own those that end only after this
	 */
	void awaitUnused(Set<HeldLock> own, TimeLeft time) {
		this.awaited = true;
		try {
			boolean inTime = true;
			while (inTime && isUsed(own)) {
				inTime = this.runtime.tryAcquire(this.ends, 1, time.left().toNanos());
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			this.awaited = false;
		}
	}

	private boolean isUsed(Set<HeldLock> own) {
		return this.held.stream().anyMatch((heldLock) -> heldLock.lossReason() == null && !own.contains(heldLock));
	}

	/**
	 * Release what is idle.
	 */
	void releaseIdle(TimeLeft time) {
		releaseIdleAnd(List.of(), time);
	}

	private void releaseIdleAnd(List<HeldLock> left, TimeLeft time) {
		List<HeldLock> idle = this.queues.idle().takeAll();
		try {
			this.releaser.releaseAll(Stream.concat(idle.stream(), left.stream()).toList(), time);
		}
		finally {
			// Or nobody here could ask for them after another start
			idle.forEach(this.queues::wakeNext);
		}
	}

	/**
	 * Cut off all that is held: it is lost, and stays taken for its margin, as work may
	 * go on, or for its minimum hold. Idle leases are released along with it.
	 */
	void cutOffAll(TimeLeft time) {
		List<HeldLock> all = this.held.stream()
			.sorted(Comparator.comparing(HeldLock::key).thenComparing(HeldLock::fence))
			.toList();
		all.forEach(this.held::remove);
		List<HeldLock> left = all.stream().filter((heldLock) -> heldLock.state().cutOff(now())).toList();
		this.events.cutOff(all.stream().filter((heldLock) -> heldLock.lossReason() == LossReason.SHUTDOWN).toList());
		releaseIdleAnd(left, time);
	}

	int size() {
		return this.held.size();
	}

	ClockReading now() {
		return ClockReading.of(this.clock);
	}

	private void release(HeldLock heldLock) {
		if (restOrHandToNext(heldLock)) {
			return;
		}
		ReleaseOutcome outcome = endInStore(heldLock, this::releaseAndPublish);
		if (failsCall(heldLock, outcome)) {
			throw LockExceptions.lost(heldLock.lease());
		}
	}

	private boolean restOrHandToNext(HeldLock heldLock) {
		return keepIdle(heldLock) || handToNext(heldLock, () -> this.events.ended(heldLock, ReleaseOutcome.RELEASED));
	}

	private static boolean failsCall(HeldLock heldLock, ReleaseOutcome outcome) {
		return switch (outcome) {
			case LOST -> heldLock.request().onLost() != OnLost.IGNORE;
			// Work that was interrupted is not whole, even if nobody overlapped with it
			case EXPIRED_UNCONTESTED ->
				heldLock.request().onLost() == OnLost.INTERRUPT && heldLock.lossReason() != null;
			case RELEASED, LEFT_TO_EXPIRE -> false;
		};
	}

	private ReleaseOutcome releaseAndPublish(HeldLock heldLock) {
		return publish(heldLock, this.releaser.release(heldLock));
	}

	private ReleaseOutcome publish(HeldLock heldLock, ReleaseOutcome outcome) {
		this.events.ended(heldLock, outcome);
		return outcome;
	}

	private boolean keepIdle(HeldLock heldLock) {
		return heldLock.lingers() && insteadOfRelease(heldLock, () -> {
			boolean rests = this.queues.idle()
				.keepIdle(heldLock, now(), () -> this.events.ended(heldLock, ReleaseOutcome.RELEASED));
			if (rests) {
				unregister(heldLock);
			}
			return rests;
		});
	}

	private boolean handToNext(HeldLock heldLock, Runnable handed) {
		return this.handOver.mayPass(heldLock) && insteadOfRelease(heldLock, () -> this.handOver.pass(heldLock,
				this.queues, now(), (successor) -> replace(heldLock, successor), handed));
	}

	private boolean insteadOfRelease(HeldLock heldLock, BooleanSupplier keepsLease) {
		if (!this.phase.beginClaim()) {
			return false;
		}
		try {
			return keepsLease.getAsBoolean();
		}
		catch (RuntimeException | Error ex) {
			// Nobody relies on it: unless its lease is kept all the same, it runs out
			unregister(heldLock);
			this.queues.notKept(heldLock);
			throw ex;
		}
		finally {
			this.phase.endRequest();
		}
	}

	private void replace(HeldLock heldLock, HeldLock successor) {
		try {
			register(successor);
			unregister(heldLock);
		}
		catch (RuntimeException | Error ex) {
			unregister(successor);
			// Not under the monitor of the one who was to have it, as it may find it lost
			this.phase.threads().cleanUpAfter(0, () -> this.releaser.releaseInBackground(successor));
			throw ex;
		}
	}

	private ReleaseOutcome endInStore(HeldLock heldLock, Function<HeldLock, ReleaseOutcome> release) {
		// A stop that has waited until it is not used waits for its release, too
		boolean underway = this.phase.beginRequest();
		try {
			unregister(heldLock);
			if (heldLock.lingers()) {
				this.queues.idle().released(heldLock, now());
			}
			return release.apply(heldLock);
		}
		finally {
			if (underway) {
				this.phase.endRequest();
			}
			this.queues.wakeNext(heldLock);
		}
	}

}
