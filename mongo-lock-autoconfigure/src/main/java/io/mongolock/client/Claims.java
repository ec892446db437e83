package io.mongolock.client;

import java.time.Duration;
import java.util.List;

import io.mongolock.LockClock;
import io.mongolock.LockHolder;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.client.Attempt.LastAnswer;
import io.mongolock.core.ClockReading;
import io.mongolock.core.HeldLock;
import io.mongolock.core.LocalWaitQueues;
import io.mongolock.core.LockAcquisition.Denied;
import io.mongolock.core.LockAcquisition.Failed;
import io.mongolock.core.LockAcquisition.Granted;
import io.mongolock.core.LockAcquisition.Step;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LockStore;

/**
 * What blocking and asynchronous claims share: the place in the local line, the request
 * to the store, and the end. Thread-safe.
 */
final class Claims {

	private final LockStore store;

	private final StoreClockWatch storeClock;

	private final LockClock clock;

	private final LocalWaitQueues<Attempt, HeldLock> lines;

	private final ClientLifecycle lifecycle;

	private final HeldLocks heldLocks;

	private final LockReleaser releaser;

	Claims(LockStore store, StoreClockWatch storeClock, LockClock clock, LocalWaitQueues<Attempt, HeldLock> lines,
			ClientLifecycle lifecycle, HeldLocks heldLocks, LockReleaser releaser) {
		this.store = store;
		this.storeClock = storeClock;
		this.clock = clock;
		this.lines = lines;
		this.lifecycle = lifecycle;
		this.heldLocks = heldLocks;
		this.releaser = releaser;
	}

	/**
	 * Stand in the local line.
	 * @param attempt the attempt
	 * @return whether it may ask at once
	 */
	boolean join(Attempt attempt) {
		return this.lines.join(attempt.key(), attempt);
	}

	/**
	 * Ask the store once. A grant is kept before this returns.
	 * @param attempt the attempt, whose turn it is
	 * @return what to do next
	 * @throws io.mongolock.LockUnavailableException if the client stops
	 */
	Step ask(Attempt attempt) {
		if (!this.lifecycle.beginClaim()) {
			throw LockExceptions.stopped(attempt.key(), waited(attempt));
		}
		try {
			Step step = request(attempt);
			if (step instanceof Granted granted) {
				attempt.hold(this.heldLocks.granted(attempt, granted));
			}
			return step;
		}
		finally {
			this.lifecycle.endClaim();
		}
	}

	/**
	 * The attempt ended without the lock.
	 * @param attempt the attempt
	 */
	void ended(Attempt attempt) {
		Attempt.letAsk(this.lines.left(attempt.key(), attempt));
		if (attempt.claiming().unknown()) {
			this.releaser.cleanUp(attempt.claim().id(), attempt.terms(), true);
		}
	}

	/**
	 * What becomes of an attempt whose wait is over and that never had its turn.
	 * @param key the key
	 * @return denied by the holders in this JVM, or by those whom the first in line last
	 * saw; failed if all that it met is a failure of the store
	 */
	Step neverAsked(String key) {
		List<LockHolder> here = this.lines.holders(key).stream().map((heldLock) -> heldLock.toHolder(now())).toList();
		LastAnswer ahead = this.lines.asking(key).map(Attempt::sight).orElse(new LastAnswer(List.of(), null));
		if (here.isEmpty() && ahead.failure() != null) {
			return new Failed(LockExceptions.failedAhead(key, ahead.failure()));
		}
		return new Denied((!here.isEmpty()) ? here : ahead.holders());
	}

	boolean isRunning() {
		return this.lifecycle.isRunning();
	}

	Duration waited(Attempt attempt) {
		return Duration.ofNanos(now().nanos() - attempt.begun().nanos());
	}

	ClockReading now() {
		return ClockReading.of(this.clock);
	}

	private Step request(Attempt attempt) {
		ClockReading requested = now();
		try {
			ClaimAnswer answer = this.store.acquire(attempt.claim(), attempt.terms().operationTimeout());
			ClockReading answered = now();
			this.storeClock.observe(answer.now(), requested, answered, attempt.terms().margin());
			Step step = attempt.claiming().answered(answer, requested, answered);
			attempt.see(new LastAnswer(attempt.claiming().holders(), null));
			return step;
		}
		catch (LockStoreException ex) {
			return failed(attempt, ex);
		}
		catch (IllegalArgumentException ex) {
			// Refused before anything was sent, for instance a key too long with its
			// prefix
			throw ex;
		}
		catch (RuntimeException ex) {
			return failed(attempt, new LockStoreException(attempt.key(), Outcome.UNKNOWN,
					"The store failed on lock '" + attempt.key() + "': " + ex, ex));
		}
	}

	private Step failed(Attempt attempt, LockStoreException failure) {
		attempt.see(new LastAnswer(attempt.sight().holders(), failure));
		return attempt.claiming().failed(failure, now());
	}

}
