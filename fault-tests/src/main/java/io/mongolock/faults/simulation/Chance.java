package io.mongolock.faults.simulation;

import java.util.SplittableRandom;

/**
 * What decides wherever a history may go on in several ways.
 */
interface Chance {

	/**
	 * Whether something happens that is this probable, more than 0.
	 */
	boolean happens(double probability);

	/**
	 * A number from the first to less than the second, which is greater.
	 */
	long between(long from, long to);

	static Chance of(SplittableRandom random) {
		return new Chance() {

			@Override
			public boolean happens(double probability) {
				return random.nextDouble() < probability;
			}

			@Override
			public long between(long from, long to) {
				return random.nextLong(from, to);
			}

		};
	}

}
