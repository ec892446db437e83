package io.mongolock.faults.harness.history;

import java.time.Duration;

/**
 * What a run is forgiven, because its faults go beyond what a lease can promise: a holder
 * that was stopped while it worked, for instance.
 *
 * @param overlap how long two sections may overlap before their holder is told
 * @param toldLate how long after the next grant a holder may be told of its loss
 */
public record Allowance(Duration overlap, Duration toldLate) {

	/**
	 * Nothing is forgiven.
	 */
	public static final Allowance NONE = new Allowance(Duration.ZERO, Duration.ZERO);

}
