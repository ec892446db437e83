package io.mongolock.client;

import java.time.Duration;
import java.util.List;

import io.mongolock.LockClock;
import io.mongolock.LockHolder;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.client.Claiming.Granted;
import io.mongolock.client.Claiming.Step;
import io.mongolock.renewal.Moment;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LockStore;

/**
 * What blocking and asynchronous claims share: the place in the local line, the request
 * to the store, and the end. Safe for use by several threads.
 */
final class Claims {

	private final LockStore store;

	private final LockClock clock;

	private final LocalLines<Attempt, Holding> lines;

	private final ClientLifecycle lifecycle;

	private final Holdings holdings;

	private final Releases releases;

	Claims(LockStore store, LockClock clock, LocalLines<Attempt, Holding> lines, ClientLifecycle lifecycle,
			Holdings holdings, Releases releases) {
		this.store = store;
		this.clock = clock;
		this.lines = lines;
		this.lifecycle = lifecycle;
		this.holdings = holdings;
		this.releases = releases;
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
			throw Messages.stopped(attempt.key(), waited(attempt));
		}
		try {
			Step step = request(attempt);
			if (step instanceof Granted granted) {
				attempt.hold(this.holdings.granted(attempt, granted));
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
			this.releases.cleanUp(attempt.claim().id(), attempt.terms(), true);
		}
	}

	/**
	 * Whom an attempt waits for that never had its turn.
	 * @param key the key
	 * @return the holders in this JVM, or those whom the first in line last saw
	 */
	List<LockHolder> ahead(String key) {
		List<LockHolder> here = this.lines.holders(key)
			.stream()
			.map((holding) -> holding.toHolder(this.clock))
			.toList();
		return (!here.isEmpty()) ? here : this.lines.asking(key).map(Attempt::seen).orElse(List.of());
	}

	boolean isRunning() {
		return this.lifecycle.isRunning();
	}

	Duration waited(Attempt attempt) {
		return Duration.ofNanos(now().nanos() - attempt.begun().nanos());
	}

	Moment now() {
		return Moment.of(this.clock);
	}

	private Step request(Attempt attempt) {
		Moment requested = now();
		try {
			ClaimAnswer answer = this.store.acquire(attempt.claim(), attempt.terms().operationTimeout());
			Step step = attempt.claiming().answered(answer, requested, now());
			attempt.see(attempt.claiming().holders());
			return step;
		}
		catch (LockStoreException ex) {
			return attempt.claiming().failed(ex, now());
		}
		catch (IllegalArgumentException ex) {
			// Refused before anything was sent, for instance a key too long with its
			// prefix
			throw ex;
		}
		catch (RuntimeException ex) {
			return attempt.claiming()
				.failed(new LockStoreException(attempt.key(), Outcome.UNKNOWN,
						"The store failed on lock '" + attempt.key() + "': " + ex, ex), now());
		}
	}

}
