package io.mongolock.client;

import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.Test;

import io.mongolock.core.ClockReading;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Tokens}.
 */
class TokensTests {

	private static final ClockReading NOW = new ClockReading(0, 0);

	@Test
	void whenTheClockStandsStillThenEachTokenIsAnother() {
		Tokens tokens = new Tokens();
		Set<String> made = new HashSet<>();
		for (int i = 0; i < 1000; i++) {
			made.add(tokens.next(NOW));
		}
		assertThat(made).hasSize(1000).allMatch((token) -> token.matches("[0-9a-f]{32}"));
	}

	@Test
	void whenTwoClientsAreAtTheSameCountThenTheirTokensDiffer() {
		assertThat(new Tokens().next(NOW)).isNotEqualTo(new Tokens().next(NOW));
	}

}
