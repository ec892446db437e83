package io.mongolock.faults.harness.history;

import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Spread}.
 */
class SpreadTests {

	@Test
	void percentilesAreValuesThatOccurred() {
		assertThat(Spread.of(LongStream.rangeClosed(1, 1000).map((value) -> 1001 - value)))
			.isEqualTo(new Spread(1000, 1, 500, 990, 1000));
		assertThat(Spread.of(LongStream.of(7))).isEqualTo(new Spread(1, 7, 7, 7, 7));
	}

	@Test
	void nothingIsZero() {
		assertThat(Spread.of(LongStream.empty())).isEqualTo(new Spread(0, 0, 0, 0, 0));
	}

}
