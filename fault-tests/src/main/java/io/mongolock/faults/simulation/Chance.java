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
	 * Which of some happens that exclude each other.
	 * @param probabilities how probable each is
	 * @return its index, negative if none does
	 */
	int which(double... probabilities);

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
			public int which(double... probabilities) {
				double drawn = random.nextDouble();
				for (int index = 0; index < probabilities.length; index++) {
					drawn -= probabilities[index];
					if (drawn < 0) {
						return index;
					}
				}
				return -1;
			}

			@Override
			public long between(long from, long to) {
				return random.nextLong(from, to);
			}

		};
	}

}
