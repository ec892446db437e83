package io.mongolock.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.core.ClockReading;
import io.mongolock.core.LockAcquisition;
import io.mongolock.core.ResolvedLockSettings;
import io.mongolock.store.Claim;

/**
 * An {@link Attempt} that occupies a thread only while it asks the store. Its phase is
 * guarded by its own monitor: whoever moves it out of a waiting phase runs what follows.
 */
final class AsyncAttempt extends Attempt {

	private final CompletableFuture<LockHandle> result = new CompletableFuture<>();

	private Phase phase = Phase.IN_LINE;

	private @Nullable Runnable onTurn;

	AsyncAttempt(LockRequest request, ResolvedLockSettings terms, Claim claim, LockAcquisition claiming,
			ClockReading begun) {
		super(request, terms, claim, claiming, begun);
	}

	CompletableFuture<LockHandle> result() {
		return this.result;
	}

	/**
	 * What to do when the turn comes; to be set before the attempt stands in line.
	 * @param onTurn must not block
	 */
	void onTurn(Runnable onTurn) {
		this.onTurn = onTurn;
	}

	@Override
	void turn() {
		if (this.onTurn != null) {
			this.onTurn.run();
		}
	}

	@Override
	void stop() {
		fail(LockExceptions.stopped(key(), Duration.ZERO));
	}

	/**
	 * End without the lock. What the caller attached runs on the common pool, as it may
	 * block.
	 * @param failure why
	 */
	void fail(RuntimeException failure) {
		ForkJoinPool.commonPool().execute(() -> this.result.completeExceptionally(failure));
	}

	/**
	 * Move on.
	 * @param from the phase to leave
	 * @param to the phase to enter
	 * @return whether this call did it
	 */
	synchronized boolean move(Phase from, Phase to) {
		boolean moves = this.phase == from;
		if (moves) {
			this.phase = to;
		}
		return moves;
	}

	/**
	 * Where the attempt stands.
	 */
	enum Phase {

		IN_LINE, ASKING, PAUSING, OVER

	}

}
