package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.mongolock.LockClock;
import io.mongolock.core.ClockReading;
import io.mongolock.core.Division;
import io.mongolock.core.RecentReleases;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.ReleaseAnswer;

/**
 * Sends the releases of this client that need no proof, and repeats
 * {@link RecentReleases} that a failover may have undone. If others wait for a lock, its
 * release is also confirmed, because only then does the store notify them. A release does
 * not wait for its confirmation. Confirmations run in the background, one request at a
 * time, and the next request covers all releases before it. A stop does not wait, either,
 * because a confirmation takes and releases nothing. Thread-safe.
 */
final class ReleaseSender {

	private static final Log logger = LogFactory.getLog(ReleaseSender.class);

	private static final long REPEAT_PAUSE = 1_000_000_000;

	private final LockStore store;

	private final LockClock clock;

	private final ClientLifecycle phase;

	private final RecentReleases releases = new RecentReleases();

	/** The releases that must still be repeated. */
	private final Set<LeaseId> toRepeat = ConcurrentHashMap.newKeySet();

	/**
	 * The number of the latest repetition, which goes on until all releases are repeated.
	 */
	private final AtomicInteger repeats = new AtomicInteger();

	/** How many primaries were elected since this client was created. */
	private final AtomicInteger elections = new AtomicInteger();

	ReleaseSender(LockStore store, LockClock clock, ClientLifecycle phase) {
		this.store = store;
		this.clock = clock;
		this.phase = phase;
	}

	/**
	 * Release a lock. If a failover may have undone the release after its answer, the
	 * lock is released once more.
	 */
	boolean release(LeaseId id, Duration timeout) {
		int before = this.elections.get();
		ReleaseAnswer answer = this.store.release(id, timeout);
		// This comes after the answer. If a repetition overtook the release, the release
		// would find nothing, as if the lock had been lost
		this.releases.add(id, now());
		if (answer.awaited()) {
			// This is needed even if the release ended nothing, because an earlier
			// release without an answer may have ended the lock
			this.phase.threads().confirm(this.store);
		}
		if (this.elections.get() != before) {
			// The answer may have come from the old primary
			repeatInBackground();
		}
		return answer.ended();
	}

	/**
	 * Repeat releases, because another primary was elected. The first repetition is for
	 * releases that only the old primary may know. A second one is for releases that were
	 * still sent to the old primary. Does not block. A client that does not run has
	 * released nothing, and starts no thread for this.
	 */
	void primaryChanged() {
		this.elections.incrementAndGet();
		repeatInBackground();
	}

	private void repeatInBackground() {
		if (this.phase.isRenewing()) {
			ClockReading changed = now();
			this.phase.threads().repeat(() -> repeat(changed, this.repeats.incrementAndGet()));
		}
	}

	private void repeat(ClockReading changed, int number) {
		this.toRepeat.addAll(this.releases.all(now()));
		List<LeaseId> released = List.copyOf(this.toRepeat);
		AtomicInteger freed = new AtomicInteger();
		Division.batches(released, Division.MAX_BATCH).forEach((some) -> repeat(some, freed));
		if (freed.get() > 0) {
			logger.info(((freed.get() != 1) ? freed + " locks were" : "1 lock was")
					+ " released again, because a failover had undone the release");
		}
		// Repeat once more for releases that were still sent to the old primary, and
		// until all are answered
		boolean again = now().elapsedSince(changed) < REPEAT_PAUSE || !this.toRepeat.isEmpty();
		if (again && number == this.repeats.get()) {
			this.phase.threads().cleanUpAfter(REPEAT_PAUSE, () -> repeat(changed, number));
		}
	}

	private void repeat(List<LeaseId> ids, AtomicInteger freed) {
		DividedEnding<LeaseId> request = new DividedEnding<>(ids,
				(some, timeout) -> freed.addAndGet(releaseAgain(some, timeout)), this.toRepeat::removeAll);
		try {
			this.phase.threads().send(request, DividedEnding.TIMEOUT);
		}
		catch (RuntimeException ex) {
			logger.debug("Could not repeat the releases of the last few seconds. The client tries again", ex);
		}
	}

	private int releaseAgain(List<LeaseId> ids, Duration timeout) {
		if (!this.phase.beginRequest()) {
			return 0;
		}
		try {
			return this.store.releaseAll(ids, timeout);
		}
		finally {
			this.phase.endRequest();
		}
	}

	private ClockReading now() {
		return ClockReading.of(this.clock);
	}

}
