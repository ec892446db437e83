package io.mongolock.core;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DurationPrinter}.
 */
class DurationPrinterTests {

	@ParameterizedTest
	@CsvSource({ "PT0S, 0ms", "PT0.1S, 100ms", "PT1.5S, 1500ms", "PT30S, 30s", "PT90S, 90s", "PT30M, 30m", "PT36H, 36h",
			"PT168H, 7d", "PT-5S, -5s" })
	void printsTheLargestUnitThatItIsAWholeNumberOf(Duration duration, String text) {
		assertThat(DurationPrinter.print(duration)).isEqualTo(text);
	}

	@ParameterizedTest
	@CsvSource({ "100, true", "' 5 ', true", "+5, true", "-5, true", "0, false", "00, false", "5s, false",
			"PT5S, false", "'', false" })
	void aNumberLacksItsUnitUnlessItIsZero(String text, boolean lacks) {
		assertThat(DurationPrinter.lacksUnit(text)).isEqualTo(lacks);
	}

}
