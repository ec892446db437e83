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
 * When no caller uses a hold any more, its lease stays idle with this client if the lock
 * lingers. Otherwise the hold is handed to the next attempt of this JVM, or it ends in
 * the store. Before that, others may have ended the hold, as a statement on a document
 * does. Or the hold may be lost: then its holder is notified, and a later release may
 * find nothing. {@link #cutOffAll} cuts off the locks that are still held when the client
 * stops. After every end of a hold, the next attempt asks the store.
 */
final class HoldRegistry {

	private final LockClock clock;

	private final ClientQueues queues;

	private final ClientLifecycle phase;

	private final LockReleaser releaser;

	private final LockEvents events;

	private final HandOver handOver;

	private final ClientRuntime runtime;

	/** Gets a permit for each end of a hold while a thread waits for such ends. */
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
	 * Keep a lock that was granted.
	 */
	void granted(HeldLock heldLock) {
		register(heldLock);
		if (this.phase.isClosed()) {
			// The answer came after the stop, so no request is sent any more
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
				// The stop is about to cut off the lock, which is the same loss
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
	 * End the use of a lock that cannot be given to its caller. If there is no other use,
	 * the lock is released.
	 * @param failure the reason; further failures are added to it
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
	 * End a hold that was handed over to an attempt at the moment when this attempt gave
	 * up. The next attempt in the queue gets the lock, or it is released in the
	 * background.
	 */
	void declined(HeldLock heldLock) {
		if (!heldLock.state().remove()) {
			return;
		}
		heldLock.state().waiveMinHold();
		// No event has told of this hold, so no event tells of its end
		boolean handed = handToNext(heldLock, () -> {
		});
		if (!handed) {
			// The lock has no holder, so it is not renewed while it waits for a thread
			watchOnly(heldLock);
			this.phase.threads().cleanUpAfter(0, () -> endInStore(heldLock, this.releaser::releaseOnSharedThread));
		}
	}

	/**
	 * End one use of a lock. The last use hands the lock over or releases it.
	 * @throws io.mongolock.LockLostException if the lock had been lost, unless the
	 * request says to ignore that; if only the deadline of the lock has passed, only the
	 * last use throws this
	 */
	void unshare(HeldLock heldLock) {
		if (heldLock.state().remove()) {
			release(heldLock);
		}
		else if (heldLock.state().isGone() && heldLock.request().onLost() != OnLost.IGNORE) {
			// The last use may end much later, on behalf of another caller
			throw LockExceptions.lost(heldLock.lease());
		}
	}

	/**
	 * End the use of a lock whose handle was never closed. No caller can learn of a loss
	 * any more.
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
	 * Pause renewals, because they would disturb work that begins, or that goes on after
	 * a statement.
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
	 * Wait for renewals that began before the pause.
	 */
	void awaitRenewals(HeldLock heldLock) {
		this.phase.loop().awaitRenewals(heldLock.lease());
	}

	/**
	 * Pause renewals, because a statement begins that may end the lock.
	 */
	void suspend(HeldLock heldLock) {
		heldLock.state().statementBegins();
		watchOnly(heldLock);
	}

	/**
	 * Resume renewals after a statement that has not ended the lock.
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
	 * Note that others have ended a lock.
	 */
	void endedByOthers(HeldLock heldLock, LeaseEnd end) {
		if (end == LeaseEnd.LOST) {
			boolean unused = heldLock.state().statementOver();
			heldLock.lease().gone();
			if (unused) {
				// No caller is left who could learn of the end
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
	 * Take the lock from its holder in this client, because the lock was broken on
	 * purpose.
	 */
	void broken(String key, long fence) {
		// This includes holds that are about to be registered, and holds that ran out and
		// may be found again
		Stream
			.concat(this.queues.holders(key).stream(),
					this.held.stream().filter((heldLock) -> heldLock.key().equals(key)))
			.filter((heldLock) -> heldLock.grantFence() == fence)
			.forEach((heldLock) -> heldLock.lease().gone());
		this.queues.linger().wanted(key);
	}

	/**
	 * Let the next attempt ask for a lock that was lost, and publish the loss. This is
	 * called once per lock, on the thread that notices the loss.
	 */
	void lost(HeldLock heldLock) {
		this.queues.wakeNext(heldLock);
		LossReason reason = heldLock.lossReason();
		this.events.lost(heldLock, (reason != null) ? reason : LossReason.DEADLINE);
		signalEnd();
	}

	/**
	 * Wait until no lock is in use any more. Lost locks do not count.
	 * @param own locks that end only after this call, so they do not count, either
	 */
	void awaitUnused(Set<HeldLock> own, TimeLeft time) {
		this.awaited = true;
		try {
			boolean inTime = true;
			while (inTime && isUsed(own)) {
				inTime = this.runtime.await(this.ends, 1, time.left().toNanos());
			}
		}
		finally {
			this.awaited = false;
		}
	}

	private boolean isUsed(Set<HeldLock> own) {
		return this.held.stream().anyMatch((heldLock) -> heldLock.lossReason() == null && !own.contains(heldLock));
	}

	/**
	 * Release all idle leases.
	 */
	void releaseIdle(TimeLeft time) {
		releaseIdleAnd(List.of(), time);
	}

	private void releaseIdleAnd(List<HeldLock> left, TimeLeft time) {
		List<HeldLock> idle = this.queues.linger().stop();
		try {
			this.releaser.releaseAll(Stream.concat(idle.stream(), left.stream()).toList(), time);
		}
		finally {
			// Otherwise, no attempt of this client could ask for these locks after
			// another start
			idle.forEach(this.queues::wakeNext);
		}
	}

	/**
	 * Cut off all locks that are held. They are lost, and stay taken for their margin,
	 * because the work may go on, or for their minimum hold. Idle leases are released
	 * together with them.
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
			// Interrupted work is incomplete, even if it overlapped with no other holder
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
			boolean kept = this.queues.linger()
				.keep(heldLock, now(), () -> this.events.ended(heldLock, ReleaseOutcome.RELEASED));
			if (kept) {
				unregister(heldLock);
			}
			return kept;
		});
	}

	private boolean handToNext(HeldLock heldLock, Runnable handed) {
		return this.handOver.mayPass(heldLock) && insteadOfRelease(heldLock, () -> this.handOver.pass(heldLock,
				this.queues, now(), (successor) -> replace(heldLock, successor), handed));
	}

	/**
	 * Hand a lease that was idle to the next attempt.
	 * @return whether there is one that it suits; otherwise it must be released
	 */
	boolean handOn(HeldLock idle) {
		return insteadOfRelease(idle, () -> this.queues.pass(idle, now(), this::register, () -> {
		}));
	}

	/**
	 * Release leases that were idle, with one request.
	 * @return leases that are not released yet, because the client stops
	 */
	List<HeldLock> releaseIdle(List<HeldLock> idle) {
		if (!this.phase.beginRequest()) {
			return idle;
		}
		try {
			return this.releaser.releaseTogether(idle, this.queues::wakeNext);
		}
		finally {
			this.phase.endRequest();
		}
	}

	private boolean insteadOfRelease(HeldLock heldLock, BooleanSupplier keepsLease) {
		if (!this.phase.beginClaim()) {
			return false;
		}
		try {
			return keepsLease.getAsBoolean();
		}
		catch (RuntimeException | Error ex) {
			// The lock has no holder, so its lease runs out, unless the lease is kept
			// nevertheless
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
			// The release may find the lock lost, so it must not run under the monitor of
			// the attempt that was to get the lock
			this.phase.threads().cleanUpAfter(0, () -> this.releaser.releaseInBackground(successor));
			throw ex;
		}
	}

	private ReleaseOutcome endInStore(HeldLock heldLock, Function<HeldLock, ReleaseOutcome> release) {
		// A stop that has waited for the end of the use also waits for the release
		boolean underway = this.phase.beginRequest();
		try {
			unregister(heldLock);
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
