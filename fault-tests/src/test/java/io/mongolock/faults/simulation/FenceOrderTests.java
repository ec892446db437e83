package io.mongolock.faults.simulation;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link FenceOrder}.
 */
class FenceOrderTests {

	private final FenceOrder fences = new FenceOrder();

	@Test
	void aSemaphoreThatHandsOnAnOlderBlockAfterAYoungerGrantIsFound() {
		this.fences.add("k", 643_520, 1_000_000, "one");
		this.fences.add("k", 647_616, 2_000_000, "two");
		this.fences.add("k", 643_521, 3_000_000, "the next of one");
		assertThatExceptionOfType(Violation.class).isThrownBy(this.fences::check)
			.withMessageContaining("fence 643521 given to the next of one at 3ms after fence 647616 given to two");
	}

	@Test
	void aFenceGivenTwiceIsFound() {
		this.fences.add("k", 1, 0, "one");
		this.fences.add("k", 1, 1, "two");
		assertThatExceptionOfType(Violation.class).isThrownBy(this.fences::check);
	}

	@Test
	void fencesThatRiseWithTimeAreRightThoughAddedInAnotherOrder() {
		this.fences.add("k", 2, 20, "two");
		this.fences.add("other", 1, 15, "another");
		this.fences.add("k", 1, 10, "one");
		assertThatNoException().isThrownBy(this.fences::check);
	}

}
