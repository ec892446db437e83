package io.mongolock.mongodb;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

import org.springframework.util.Assert;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.BackOffExecution;
import org.springframework.util.backoff.ExponentialBackOff;

/**
 * Waits a random time between zero and a bound that grows with each attempt, so that
 * those who collided once do not collide again. Immutable.
 */
public final class FullJitterBackOff implements BackOff {

	private final ExponentialBackOff bounds;

	/**
	 * Create a new back-off.
	 * @param maxAttempts how often to try in all, at least 1
	 * @param delay longest time before the second attempt
	 * @param multiplier what the longest time grows by with each attempt, at least 1
	 * @param maxDelay where it stops growing
	 */
	public FullJitterBackOff(int maxAttempts, Duration delay, double multiplier, Duration maxDelay) {
		Assert.isTrue(maxAttempts >= 1, () -> maxAttempts + " attempts are none: at least 1");
		Assert.isTrue(!delay.isNegative(), () -> "A delay of " + delay + " is negative");
		Assert.isTrue(maxDelay.compareTo(delay) >= 0,
				() -> "A longest delay of " + maxDelay + " is shorter than the first, " + delay);
		this.bounds = new ExponentialBackOff(delay.toMillis(), multiplier);
		this.bounds.setMaxInterval(maxDelay.toMillis());
		this.bounds.setMaxAttempts(maxAttempts - 1);
	}

	@Override
	public BackOffExecution start() {
		BackOffExecution execution = this.bounds.start();
		return () -> {
			long bound = execution.nextBackOff();
			return (bound != BackOffExecution.STOP) ? ThreadLocalRandom.current().nextLong(bound + 1) : bound;
		};
	}

}
