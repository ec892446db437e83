package io.mongolock.data;

import org.springframework.util.Assert;

/**
 * The settings of one sequence.
 *
 * @param block how many numbers an instance reserves with one request, at least 1
 * @param start the lowest number that is given out, at least 1
 */
public record SequenceSettings(int block, long start) {

	/**
	 * One request per number; the first number is 1.
	 */
	public static final SequenceSettings DEFAULT = new SequenceSettings(1, 1);

	public SequenceSettings {
		Assert.isTrue(block >= 1, () -> "The block of a sequence is " + block + ", but must be at least 1");
		Assert.isTrue(start >= 1, () -> "The start of a sequence is " + start + ", but must be at least 1");
	}

}
