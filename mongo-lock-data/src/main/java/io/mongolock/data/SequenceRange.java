package io.mongolock.data;

import java.util.stream.LongStream;

/**
 * Numbers of a sequence that follow one another.
 *
 * @param first the first of them
 * @param last the last of them
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
