package io.mongolock.mongodb;

import java.util.stream.LongStream;

/**
 * Numbers of a sequence that follow one another.
 *
 * @param first the first of them
 * @param last the last of them
 */
public record SequenceRange(long first, long last) {

	static SequenceRange endingAt(long last, long size) {
		return new SequenceRange(last - size + 1, last);
	}

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

	SequenceRange head(long size) {
		return new SequenceRange(this.first, this.first + size - 1);
	}

	/**
	 * The part that is higher than a number, perhaps nothing.
	 */
	SequenceRange above(long number) {
		return (number < this.first) ? this : new SequenceRange(Math.min(number, this.last) + 1, this.last);
	}

}
