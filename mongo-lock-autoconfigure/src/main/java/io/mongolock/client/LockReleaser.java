package io.mongolock.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.mongolock.LockClock;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.core.ClockReading;
import io.mongolock.core.HeldLock;
import io.mongolock.core.ReleaseDecision;
import io.mongolock.core.ReleaseDecision.Judgement;
import io.mongolock.core.ReleaseDecision.ReleaseOutcome;
import io.mongolock.event.LockEvents;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;

/**
 * Releases locks: what it asks the store, and how it takes the answer, is decided by
 * their {@link io.mongolock.core.HoldEnd}. Thread-safe.
 */
final class LockReleaser {

	private static final int CHUNK = 500;

	/** No request is granted less. */
	private static final long MIN_NANOS = 1_000_000;

	private final LockStore store;

	private final LockClock clock;

	private final LockEvents events;

	private final ClientLifecycle lifecycle;

	private final OrphanReleaser orphans;

	LockReleaser(LockStore store, LockClock clock, LockEvents events, ClientLifecycle lifecycle,
			OrphanReleaser orphans) {
		this.store = store;
		this.clock = clock;
		this.events = events;
		this.lifecycle = lifecycle;
		this.orphans = orphans;
	}

	/**
	 * Release a lock, with one request unless the store has said that it is gone. Trouble
	 * with the store is logged, and the lock released again in the background until its
	 * lease has run out. An interrupt of the thread does not keep it from that.
	 */
	ReleaseOutcome release(HeldLock heldLock) {
		ReleaseDecision releasing = heldLock.ending().release(ClockReading.of(this.clock));
		Judgement end = (releasing.asks()) ? ask(heldLock, releasing) : releasing.end();
		if (end.cleansUp()) {
			cleanUp(heldLock);
		}
		return end.outcome();
	}

	/**
	 * Release a lock in the background, because its caller cannot.
	 */
	void giveUp(HeldLock heldLock) {
		heldLock.ending().waiveMinHold();
		heldLock.ending().release(ClockReading.of(this.clock));
		cleanUp(heldLock);
	}

	/**
	 * A statement of the application has released a lock. A claim of its token that is
	 * executed only now would be granted to nobody.
	 */
	void cleanUpAfter(HeldLock heldLock) {
		if (heldLock.ending().mayBeGrantedLate()) {
			cleanUp(heldLock);
		}
	}

	private void cleanUp(HeldLock heldLock) {
		this.orphans.begin(heldLock.ending().cleanUp(ClockReading.of(this.clock)), heldLock.id(), heldLock.terms());
	}

	private Judgement ask(HeldLock heldLock, ReleaseDecision releasing) {
		Duration timeout = heldLock.lease().terms().operationTimeout();
		if (!this.lifecycle.beginRequest()) {
			return releasing.failed();
		}
		Runnable interrupt = ClientThreads.holdBackInterrupt();
		try {
			return releasing.answered(send(heldLock, releasing, timeout));
		}
		catch (RuntimeException ex) {
			this.events.releaseFailed(heldLock, ex);
			return releasing.failed();
		}
		finally {
			this.lifecycle.endRequest();
			interrupt.run();
		}
	}

	private boolean send(HeldLock heldLock, ReleaseDecision releasing, Duration timeout) {
		LeaseId id = heldLock.lease().id();
		if (releasing.keeps()) {
			return this.store.expireAll(Map.of(id, releasing.keptFor()), timeout) != 0;
		}
		return (releasing.needsProof()) ? this.store.releaseGrant(id, heldLock.grantFence(), timeout)
				: this.orphans.release(id, timeout);
	}

	/**
	 * Release locks that a stop took from their holders, many with one request and
	 * without a second try. Not one begins after the end.
	 * @param until the end, on the monotonic clock
	 */
	void releaseAll(List<HeldLock> left, long until) {
		Runnable interrupt = ClientThreads.holdBackInterrupt();
		try {
			List<List<HeldLock>> chunks = chunks(left);
			for (int i = 0; i < chunks.size(); i++) {
				long nanos = until - this.clock.nanoTime();
				if (nanos < MIN_NANOS) {
					List<HeldLock> rest = chunks.subList(i, chunks.size()).stream().flatMap(List::stream).toList();
					this.events.releaseAtShutdownFailed(rest, new LockStoreException(rest.get(0).key(),
							Outcome.NOT_EXECUTED, "the time for the shutdown was over before", null));
					break;
				}
				// One that is blocked must not take the time of all that follow
				int requests = chunks.size() - i;
				releaseChunk(chunks.get(i), Duration.ofNanos(Math.min(nanos, 2 * nanos / requests)));
			}
		}
		finally {
			interrupt.run();
		}
	}

	// Those that have to stay taken have requests of their own, first
	private List<List<HeldLock>> chunks(List<HeldLock> left) {
		ClockReading now = ClockReading.of(this.clock);
		Map<Boolean, List<HeldLock>> free = left.stream()
			.collect(Collectors.partitioningBy((heldLock) -> heldLock.ending().keptFor(now).isZero()));
		List<List<HeldLock>> chunks = new ArrayList<>();
		for (List<HeldLock> alike : free.values()) {
			for (int from = 0; from < alike.size(); from += CHUNK) {
				chunks.add(alike.subList(from, Math.min(from + CHUNK, alike.size())));
			}
		}
		return chunks;
	}

	private void releaseChunk(List<HeldLock> chunk, Duration timeout) {
		ClockReading now = ClockReading.of(this.clock);
		try {
			if (chunk.stream().allMatch((heldLock) -> heldLock.ending().keptFor(now).isZero())) {
				this.store.releaseAll(chunk.stream().map(HeldLock::id).toList(), timeout);
			}
			else {
				this.store.expireAll(
						chunk.stream().collect(Collectors.toMap(HeldLock::id, (heldLock) -> lasting(heldLock, now))),
						timeout);
			}
		}
		catch (RuntimeException ex) {
			this.events.releaseAtShutdownFailed(chunk, ex);
		}
	}

	// The time of one that goes along may be over by now
	private static Duration lasting(HeldLock heldLock, ClockReading now) {
		Duration keptFor = heldLock.ending().keptFor(now);
		return (keptFor.isZero()) ? Duration.ofMillis(1) : keptFor;
	}

}
