package io.mongolock.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OrphanCleanup}.
 */
class OrphanCleanupTests {

	@Test
	void aTokenThatMayBeGrantedLateIsReleasedUntilOneTtlHasPassed() {
		OrphanCleanup cleanup = new OrphanCleanup(at(0), Duration.ofSeconds(32), true);
		List<Long> times = new ArrayList<>();
		long now = 0;
		for (long pause = cleanup.next(at(now)); pause >= 0; pause = cleanup.next(at(now))) {
			cleanup.answered();
			now += pause / 1_000_000;
			times.add(now);
		}
		assertThat(times).containsExactly(1_000L, 2_000L, 4_000L, 8_000L, 16_000L, 32_000L);
	}

	@Test
	void aReleaseInDoubtIsOverOnceAnswered() {
		OrphanCleanup cleanup = new OrphanCleanup(at(0), Duration.ofSeconds(32), false);
		assertThat(cleanup.next(at(0))).isPositive();
		cleanup.answered();
		assertThat(cleanup.next(at(1_000))).isNegative();
	}

	@Test
	void whatIsOverdueIsDoneAtOnce() {
		OrphanCleanup cleanup = new OrphanCleanup(at(0), Duration.ofSeconds(32), true);
		assertThat(cleanup.next(at(5_000))).isZero();
	}

	private static ClockReading at(long millis) {
		return new ClockReading(millis * 1_000_000, millis);
	}

}
