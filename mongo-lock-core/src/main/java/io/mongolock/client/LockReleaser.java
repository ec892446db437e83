package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.mongolock.LockClock;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.client.DividedEnding.Sender;
import io.mongolock.core.ClockReading;
import io.mongolock.core.HeldLock;
import io.mongolock.core.ReleaseDecision;
import io.mongolock.core.ReleaseDecision.Judgement;
import io.mongolock.core.ReleaseDecision.ReleaseOutcome;
import io.mongolock.event.LockEvents;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.TimeLeft;

/**
 * Releases locks. The {@link io.mongolock.core.HoldState} of a lock decides what to ask
 * the store, and what the answer means. Thread-safe.
 */
final class LockReleaser {

	private static final Log logger = LogFactory.getLog(LockReleaser.class);

	private final LockStore store;

	private final LockClock clock;

	private final LockEvents events;

	private final ClientLifecycle phase;

	private final ReleaseSender sender;

	private final OrphanReleaser orphans;

	private final StopRequests requests;

	LockReleaser(LockStore store, LockClock clock, LockEvents events, ClientLifecycle phase, ReleaseSender sender,
			OrphanReleaser orphans, StopRequests requests) {
		this.store = store;
		this.clock = clock;
		this.events = events;
		this.phase = phase;
		this.sender = sender;
		this.orphans = orphans;
		this.requests = requests;
	}

	/**
	 * Release a lock with one request, unless the store has said that the lock is gone.
	 * If the store fails, the failure is logged, and the lock is released again in the
	 * background until its lease has run out. An interrupt of the thread does not prevent
	 * the release. A stop waits for the release if the caller has a permit of the
	 * lifecycle.
	 */
	ReleaseOutcome release(HeldLock heldLock) {
		return release(heldLock, heldLock.terms().operationTimeout());
	}

	/**
	 * Release a lock as {@link #release} does, but on a thread that also releases other
	 * locks. If the document is blocked, the first try lasts only a moment.
	 */
	ReleaseOutcome releaseOnSharedThread(HeldLock heldLock) {
		return release(heldLock, ClockReading.shorter(heldLock.terms().operationTimeout(), DividedEnding.PATIENCE));
	}

	private ReleaseOutcome release(HeldLock heldLock, Duration timeout) {
		ReleaseDecision releasing = heldLock.state().release(ClockReading.of(this.clock));
		Judgement end = (releasing.asks()) ? ask(heldLock, releasing, timeout) : releasing.end();
		if (end.cleansUp()) {
			cleanUp(heldLock);
		}
		return end.outcome();
	}

	/**
	 * Release a lock in the background, because its caller cannot release it.
	 */
	void releaseInBackground(HeldLock heldLock) {
		heldLock.state().waiveMinHold();
		heldLock.state().release(ClockReading.of(this.clock));
		cleanUp(heldLock);
	}

	/**
	 * Release locks that no caller holds, with one request. This does not wait for
	 * blocked documents, whose locks are released in the background.
	 * @param over is given each lock when no more is to be waited for
	 * @return locks that a stop of the client must release
	 */
	List<HeldLock> releaseTogether(List<HeldLock> all, Consumer<HeldLock> over) {
		DividedEnding<HeldLock> request = new DividedEnding<>(all, this::freeAllUnlessClosed,
				(released) -> released.forEach(over));
		try {
			this.phase.threads()
				.send(request,
						all.stream()
							.map((heldLock) -> heldLock.terms().operationTimeout())
							.reduce(DividedEnding.TIMEOUT, ClockReading::shorter));
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Idle leases could not be released yet", ex);
			List<HeldLock> left = request.left();
			if (!this.phase.isRenewing()) {
				// The background ends before the stop does
				return left;
			}
			left.forEach((heldLock) -> releaseInBackground(heldLock, over));
		}
		return List.of();
	}

	// A part may have waited for a thread until after the stop
	private void freeAllUnlessClosed(List<HeldLock> some, Duration timeout) {
		if (!this.phase.beginRequest()) {
			throw new IllegalStateException("this request was not sent, because the client has stopped");
		}
		try {
			freeAll(some, timeout);
		}
		finally {
			this.phase.endRequest();
		}
	}

	private void releaseInBackground(HeldLock heldLock, Consumer<HeldLock> over) {
		try {
			releaseInBackground(heldLock);
		}
		catch (RuntimeException | Error ex) {
			// The lease runs out
			logger.debug("An idle lease could not be released, so the lock stays taken until this lease runs out", ex);
		}
		finally {
			over.accept(heldLock);
		}
	}

	/**
	 * Clean up after a statement of the application has released a lock. If a claim of
	 * the same token is executed only now, no caller gets this lock.
	 */
	void cleanUpAfter(HeldLock heldLock) {
		if (heldLock.state().mayBeGrantedLate()) {
			cleanUp(heldLock);
		}
	}

	private void cleanUp(HeldLock heldLock) {
		this.orphans.begin(heldLock.state().cleanUp(ClockReading.of(this.clock)), heldLock.id(), heldLock.terms());
	}

	private Judgement ask(HeldLock heldLock, ReleaseDecision releasing, Duration timeout) {
		if (this.phase.isClosed()) {
			return releasing.failed();
		}
		boolean interrupted = Thread.interrupted();
		try {
			return releasing.answered(send(heldLock, releasing, timeout));
		}
		catch (RuntimeException ex) {
			this.events.releaseFailed(heldLock, ex);
			return releasing.failed();
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private boolean send(HeldLock heldLock, ReleaseDecision releasing, Duration timeout) {
		LeaseId id = heldLock.lease().id();
		if (releasing.keeps()) {
			return this.store.expireAll(Map.of(id, releasing.keptFor()), timeout) != 0;
		}
		return (releasing.needsProof()) ? this.store.releaseGrant(id, heldLock.grantFence(), timeout)
				: this.sender.release(id, timeout);
	}

	/**
	 * Release locks that a stop took from their holders, many with one request. This does
	 * not wait for blocked documents. No request begins after the end of the time.
	 */
	void releaseAll(List<HeldLock> left, TimeLeft time) {
		ClockReading now = ClockReading.of(this.clock);
		Map<Boolean, List<HeldLock>> free = left.stream()
			.collect(Collectors.partitioningBy((heldLock) -> heldLock.state().keptFor(now).isZero()));
		// Locks that must stay taken have requests of their own, which come first
		free.forEach((isFree, some) -> endAll(some, (isFree) ? this::freeAll : this::keepAll, time));
	}

	private void endAll(List<HeldLock> some, Sender<HeldLock> sender, TimeLeft time) {
		if (some.isEmpty()) {
			return;
		}
		if (time.isOver()) {
			this.events.releaseAtShutdownFailed(some, new LockStoreException(some.get(0).key(), Outcome.NOT_EXECUTED,
					"this request was not sent, because the time for the shutdown was over", null));
		}
		else {
			this.requests.send(some, sender, this.events::releaseAtShutdownFailed, time);
		}
	}

	private void keepAll(List<HeldLock> some, Duration timeout) {
		ClockReading now = ClockReading.of(this.clock);
		this.store.expireAll(
				some.stream().collect(Collectors.toMap(HeldLock::id, (heldLock) -> lasting(heldLock, now))), timeout);
	}

	private void freeAll(List<HeldLock> some, Duration timeout) {
		this.store.releaseAll(some.stream().map(HeldLock::id).toList(), timeout);
	}

	// The time of a lock that is sent together with others may be over by now
	private static Duration lasting(HeldLock heldLock, ClockReading now) {
		Duration keptFor = heldLock.state().keptFor(now);
		return (keptFor.isZero()) ? Duration.ofMillis(1) : keptFor;
	}

}
