package io.mongolock.sample.orders;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A payment to an order.
 *
 * @param amount in cents
 * @param takes how long the work takes, for trying out what happens meanwhile; as
 * configured if left out
 */
public record Payment(long amount, @Nullable Duration takes) {

	/** What a payment must be, for those who send another. */
	public static final String RULE = "The amount must be from 1 to 100000000 cents, and 'takes', if given, at most "
			+ "120 seconds";

	private static final long MOST = 1_000_000_00;

	private static final Duration MAX_DURATION = Duration.ofMinutes(2);

	/**
	 * Whether it can be taken.
	 * @return whether amount and duration are within bounds
	 */
	public boolean isValid() {
		return this.amount > 0 && this.amount <= MOST
				&& (this.takes == null || (!this.takes.isNegative() && this.takes.compareTo(MAX_DURATION) <= 0));
	}

}
