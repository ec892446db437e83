package io.mongolock.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Supplier;

import io.mongolock.LockHandle;
import io.mongolock.client.AsyncAttempt.Phase;
import io.mongolock.core.LockAcquisition.Denied;
import io.mongolock.core.LockAcquisition.Failed;
import io.mongolock.core.LockAcquisition.Granted;
import io.mongolock.core.LockAcquisition.Pause;
import io.mongolock.core.LockAcquisition.Step;

/**
 * Runs attempts without a thread of their own: requests on those of the client, results
 * on the common pool, as what the caller attached to them may block.
 */
final class AsyncClaims {

	private final Claims claims;

	private final HeldLocks heldLocks;

	private final Supplier<ClientThreads> threads;

	AsyncClaims(Claims claims, HeldLocks heldLocks, Supplier<ClientThreads> threads) {
		this.claims = claims;
		this.heldLocks = heldLocks;
		this.threads = threads;
	}

	/**
	 * Run an attempt.
	 * @param attempt the attempt
	 * @return its end
	 */
	CompletableFuture<LockHandle> claim(AsyncAttempt attempt) {
		attempt.onTurn(() -> ask(attempt, Phase.IN_LINE));
		attempt.result().whenComplete((handle, failure) -> {
			if (failure != null) {
				giveUpWaiting(attempt);
			}
		});
		if (this.claims.join(attempt)) {
			attempt.turn();
		}
		else {
			long left = Math.max(0, attempt.claiming().left(this.claims.now()));
			this.threads.get().runAfter(left, () -> endOfLine(attempt));
		}
		if (!this.claims.isRunning()) {
			// Stopped while it joined: nobody else may have seen it
			attempt.stop();
		}
		return attempt.result();
	}

	private void ask(AsyncAttempt attempt, Phase from) {
		this.threads.get().run(() -> {
			if (attempt.move(from, Phase.ASKING)) {
				askAndContinue(attempt);
			}
		});
	}

	private void askAndContinue(AsyncAttempt attempt) {
		try {
			next(attempt, this.claims.ask(attempt));
		}
		catch (RuntimeException ex) {
			this.claims.ended(attempt);
			attempt.fail(ex);
		}
	}

	private void next(AsyncAttempt attempt, Step step) {
		if (step instanceof Pause pause && !attempt.result().isDone()) {
			attempt.move(Phase.ASKING, Phase.PAUSING);
			// Cancelled before it paused: nobody else will end it
			if (attempt.result().isDone()) {
				giveUpWaiting(attempt);
			}
			this.threads.get().runAfter(pause.nanos(), () -> ask(attempt, Phase.PAUSING));
			return;
		}
		attempt.move(Phase.ASKING, Phase.OVER);
		if (step instanceof Granted) {
			handOut(attempt, new LeaseHandle(attempt.heldLock(), this.heldLocks));
			return;
		}
		this.claims.ended(attempt);
		fail(attempt, step);
	}

	private void fail(AsyncAttempt attempt, Step step) {
		if (step instanceof Failed failed) {
			attempt.fail(failed.failure());
		}
		else if (step instanceof Denied denied) {
			attempt.fail(LockExceptions.held(attempt, denied.holders(), this.claims.waited(attempt)));
		}
	}

	private static void handOut(AsyncAttempt attempt, LockHandle handle) {
		ForkJoinPool.commonPool().execute(() -> {
			if (!attempt.result().complete(handle)) {
				handle.close();
			}
		});
	}

	private void endOfLine(AsyncAttempt attempt) {
		if (attempt.move(Phase.IN_LINE, Phase.OVER)) {
			fail(attempt, this.claims.neverAsked(attempt.key()));
			this.claims.ended(attempt);
		}
	}

	private void giveUpWaiting(AsyncAttempt attempt) {
		if (attempt.move(Phase.IN_LINE, Phase.OVER) || attempt.move(Phase.PAUSING, Phase.OVER)) {
			this.claims.ended(attempt);
		}
	}

}
