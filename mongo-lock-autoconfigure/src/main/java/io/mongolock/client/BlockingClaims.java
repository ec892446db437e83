package io.mongolock.client;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockUnavailableException;
import io.mongolock.core.HeldLock;
import io.mongolock.core.LockAcquisition.Denied;
import io.mongolock.core.LockAcquisition.Failed;
import io.mongolock.core.LockAcquisition.Granted;
import io.mongolock.core.LockAcquisition.Pause;
import io.mongolock.core.LockAcquisition.Step;

/**
 * Runs attempts on the thread that wants the lock. The first request leaves at once,
 * unless others of this JVM are ahead in line.
 */
final class BlockingClaims {

	private final Claims claims;

	BlockingClaims(Claims claims) {
		this.claims = claims;
	}

	/**
	 * Run an attempt to its end.
	 * @param attempt the attempt
	 * @return the lock
	 * @throws LockUnavailableException if others hold the lock when the wait is over, the
	 * thread is interrupted or the client stops
	 */
	HeldLock claim(BlockingAttempt attempt) {
		Step step = run(attempt);
		if (step instanceof Denied denied) {
			throw LockExceptions.held(attempt, denied.holders(), this.claims.waited(attempt));
		}
		return attempt.heldLock();
	}

	/**
	 * Run an attempt to its end.
	 * @param attempt the attempt
	 * @return the lock, or {@code null} if others hold it when the wait is over
	 * @throws LockUnavailableException if the thread is interrupted or the client stops
	 */
	@Nullable HeldLock tryClaim(BlockingAttempt attempt) {
		return (run(attempt) instanceof Granted) ? attempt.heldLock() : null;
	}

	private Step run(BlockingAttempt attempt) {
		boolean granted = false;
		try {
			throwIfDisturbed(attempt);
			Step step = (this.claims.join(attempt) || awaitTurn(attempt)) ? ask(attempt)
					: this.claims.neverAsked(attempt.key());
			if (step instanceof Failed failed) {
				throw failed.failure();
			}
			granted = step instanceof Granted;
			return step;
		}
		finally {
			if (!granted) {
				this.claims.ended(attempt);
			}
		}
	}

	/**
	 * Wait for the turn.
	 * @param attempt the attempt
	 * @return whether it has come
	 */
	private boolean awaitTurn(BlockingAttempt attempt) {
		long left = attempt.claiming().left(this.claims.now());
		while (!attempt.hasTurn() && left > 0) {
			throwIfDisturbed(attempt);
			attempt.park(left);
			left = attempt.claiming().left(this.claims.now());
		}
		return attempt.hasTurn();
	}

	private Step ask(BlockingAttempt attempt) {
		Step step = this.claims.ask(attempt);
		while (step instanceof Pause pause) {
			pause(attempt, pause.nanos());
			step = this.claims.ask(attempt);
		}
		return step;
	}

	private void pause(BlockingAttempt attempt, long nanos) {
		long until = this.claims.now().nanos() + nanos;
		long left = nanos;
		while (left > 0) {
			throwIfDisturbed(attempt);
			attempt.park(left);
			left = until - this.claims.now().nanos();
		}
		throwIfDisturbed(attempt);
	}

	private void throwIfDisturbed(BlockingAttempt attempt) {
		if (attempt.isStopped()) {
			throw LockExceptions.stopped(attempt.key(), this.claims.waited(attempt));
		}
		if (Thread.currentThread().isInterrupted()) {
			throw LockExceptions.interrupted(attempt, this.claims.waited(attempt));
		}
	}

}
