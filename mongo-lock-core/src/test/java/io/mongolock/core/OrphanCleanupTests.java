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
		assertThat(cleanup.first(at(0))).isZero();
		List<Long> times = new ArrayList<>();
		long now = 0;
		for (long pause = cleanup.answered(at(now)); pause >= 0; pause = cleanup.answered(at(now))) {
			now += pause / 1_000_000;
			times.add(now);
		}
		assertThat(times).containsExactly(1_000L, 2_000L, 4_000L, 8_000L, 16_000L, 32_000L);
	}

	@Test
	void aReleaseInDoubtIsOverOnceAnswered() {
		OrphanCleanup cleanup = new OrphanCleanup(at(0), Duration.ofSeconds(32), false);
		assertThat(cleanup.failed(at(0))).isPositive();
		assertThat(cleanup.answered(at(1_000))).isNegative();
	}

	@Test
	void aLeaseThatHasToRunOutIsReleasedOnceAfterwards() {
		OrphanCleanup cleanup = OrphanCleanup.afterExpiry(at(0), Duration.ofSeconds(32));
		assertThat(cleanup.first(at(1_000))).isEqualTo(31_000_000_000L);
		assertThat(cleanup.answered(at(32_000))).isNegative();
	}

	@Test
	void aReleaseIsRepeatedAsRenewalsAreWhileTheStoreFails() {
		OrphanCleanup cleanup = new OrphanCleanup(at(0), Duration.ofSeconds(30), false);
		assertThat(cleanup.first(at(0))).isZero();
		List<Long> times = new ArrayList<>();
		long now = 0;
		for (long pause = cleanup.failed(at(now)); pause >= 0; pause = cleanup.failed(at(now))) {
			now += pause / 1_000_000;
			times.add(now);
		}
		assertThat(times).hasSize(30).startsWith(1_000L, 2_000L).endsWith(29_000L, 30_000L);
	}

	@Test
	void aShortLeaseIsReleasedAgainInShortTime() {
		OrphanCleanup cleanup = new OrphanCleanup(at(0), Duration.ofSeconds(1), false);
		assertThat(cleanup.failed(at(0))).isEqualTo(62_500_000);
	}

	@Test
	void aRequestToKeepALockTakenIsRepeatedWhileTheStoreFails() {
		OrphanCleanup cleanup = OrphanCleanup.keeping(at(0), Duration.ofSeconds(20), Duration.ofSeconds(30), false);
		assertThat(cleanup.failed(at(15_000))).isEqualTo(1_000_000_000);
		assertThat(cleanup.failed(at(19_500))).isEqualTo(500_000_000);
	}

	@Test
	void afterAFaultTheDistancesAreThoseThatAreLeft() {
		OrphanCleanup cleanup = new OrphanCleanup(at(0), Duration.ofSeconds(32), true);
		assertThat(cleanup.failed(at(5_000))).isEqualTo(1_000_000_000);
		assertThat(cleanup.answered(at(6_000))).isEqualTo(2_000_000_000);
		assertThat(cleanup.answered(at(8_000))).isEqualTo(8_000_000_000L);
		assertThat(cleanup.answered(at(33_000))).isZero();
		assertThat(cleanup.answered(at(33_000))).isNegative();
	}

	@Test
	void aReleaseThatFailsAfterTheTtlIsTriedOnceMore() {
		OrphanCleanup cleanup = new OrphanCleanup(at(0), Duration.ofSeconds(32), true);
		assertThat(cleanup.failed(at(33_000))).isZero();
		assertThat(cleanup.failed(at(34_000))).isNegative();
	}

	private static ClockReading at(long millis) {
		return new ClockReading(millis * 1_000_000, millis);
	}

}
