package io.mongolock.data;

import java.util.stream.LongStream;

/**
 * Consecutive numbers of a sequence.
 *
 * @param first the first number
 * @param last the last number
 */
public record SequenceRange(long first, long last) {

	/**
	 * How many numbers there are.
	 * @return the number of numbers
	 */
	public long size() {
		return this.last - this.first + 1;
	}

	/**
	 * All numbers, the lowest first.
	 * @return the numbers
	 */
	public LongStream stream() {
		return LongStream.rangeClosed(this.first, this.last);
	}

}
