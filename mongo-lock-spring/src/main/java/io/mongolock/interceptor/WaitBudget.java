package io.mongolock.interceptor;

import java.time.Duration;

import io.mongolock.LockClock;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.core.ConfiguredSettings;

/**
 * The time that a call may still wait for each of its locks: the wait of each counts from
 * the beginning of the call, not from when its turn has come.
 *
 * @param begun when the call began, as the clock has it
 */
record WaitBudget(ConfiguredSettings configured, LockClock clock, long begun) {

	WaitBudget(ConfiguredSettings configured, LockClock clock) {
		this(configured, clock, clock.nanoTime());
	}

	/**
	 * A request with what is left of its wait; with nothing left it asks once.
	 */
	LockRequest left(LockRequest request) {
		Duration waited = Duration.ofNanos(this.clock.nanoTime() - this.begun);
		Duration left = this.configured.terms(request).waitTimeout().minus(waited);
		return request
			.with(LockSettings.builder().waitTimeout(Duration.ofMillis(Math.max(0, left.toMillis()))).build());
	}

}
