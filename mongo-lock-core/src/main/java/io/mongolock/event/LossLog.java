package io.mongolock.event;

import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.LossReason;
import io.mongolock.core.Lease;
import io.mongolock.core.LockExceptions;

/**
 * Logs which locks were lost. If many locks are lost within a second, the first losses
 * are logged one by one, and the rest as a number. Thread-safe: the monitor guards all
 * state.
 */
final class LossLog {

	private static final long WINDOW = TimeUnit.SECONDS.toNanos(1);

	private static final int ONE_BY_ONE = 10;

	private final EventLog log;

	private final LockClock clock;

	private @Nullable Long begun;

	private int lost;

	private String last = "";

	LossLog(EventLog log, LockClock clock) {
		this.log = log;
		this.clock = clock;
	}

	synchronized void lost(Lease lease, LossReason reason) {
		retry();
		if (this.begun == null) {
			this.begun = this.clock.nanoTime();
		}
		if (++this.lost <= ONE_BY_ONE) {
			this.log.warn(LockExceptions.describeLoss(lease, reason));
		}
		else {
			this.last = LockExceptions.describeLoss(lease, reason);
			if (this.log.isDebugEnabled()) {
				this.log.debug(this.last);
			}
		}
	}

	/**
	 * Sum up if the second is over.
	 */
	synchronized boolean retry() {
		if (this.begun != null && this.clock.nanoTime() - this.begun >= WINDOW) {
			sumUp();
		}
		return this.lost > ONE_BY_ONE;
	}

	synchronized void sumUp() {
		if (this.lost > ONE_BY_ONE) {
			this.log.warn((this.lost - ONE_BY_ONE) + " more locks were lost within a second. The last of these losses: "
					+ this.last);
		}
		this.begun = null;
		this.lost = 0;
	}

}
