package io.mongolock.documents.autoconfigure;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.annotation.Lazy;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.ExponentialBackOff;

/**
 * Settings for documents of the application.
 *
 * @param optimistic how often an optimistic update is attempted, and how soon again
 * @param documentLocks locks on the application's own documents
 */
@Lazy // an application without documents does not need them
@ConfigurationProperties("mongo-lock")
public record MongoLockDocumentsProperties(@DefaultValue Optimistic optimistic,
		@DefaultValue DocumentLocks documentLocks) {

	/**
	 * How often an optimistic update is attempted, and how soon again. The time before an
	 * attempt is random, so that updates that collided once do not collide again.
	 *
	 * @param maxAttempts how many attempts an optimistic update may make
	 * @param delay longest random pause before the second attempt
	 * @param multiplier factor by which the longest random pause grows with each attempt
	 * @param maxDelay longest random pause before any attempt
	 */
	public record Optimistic(@DefaultValue("50") int maxAttempts, @DefaultValue("10ms") Duration delay,
			@DefaultValue("2") double multiplier, @DefaultValue("250ms") Duration maxDelay) {

		// Spring's jitter goes up and down, but never below the first interval
		BackOff backOff() {
			long half = Math.max(1, this.delay.toMillis() / 2);
			ExponentialBackOff backOff = new ExponentialBackOff(half, this.multiplier);
			backOff.setJitter(half);
			backOff.setMaxInterval(Math.max(half, this.maxDelay.toMillis()));
			backOff.setMaxAttempts(this.maxAttempts - 1);
			return backOff;
		}

	}

	/**
	 * Locks on the application's own documents.
	 *
	 * @param field name of the field in which a document keeps its lock
	 */
	public record DocumentLocks(@DefaultValue("lock") String field) {

	}

}
