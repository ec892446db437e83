package io.mongolock.core;

import org.junit.jupiter.api.Test;

import io.mongolock.store.LeaseId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RecentReleases}.
 */
class RecentReleasesTests {

	private final RecentReleases releases = new RecentReleases();

	@Test
	void releasesOfTheLastThirtySecondsAreToBeRepeatedAfterEachElection() {
		this.releases.add(id(1), at(0));
		this.releases.add(id(2), at(20_000));
		assertThat(this.releases.all(at(30_000))).containsExactly(id(1), id(2));
		assertThat(this.releases.all(at(30_001))).containsExactly(id(2));
		assertThat(this.releases.all(at(50_001))).isEmpty();
	}

	@Test
	void aTokenThatWasReleasedTwiceIsToBeRepeatedOnce() {
		this.releases.add(id(1), at(0));
		this.releases.add(id(2), at(1));
		this.releases.add(id(1), at(2));
		assertThat(this.releases.all(at(3))).containsExactly(id(1), id(2));
	}

	@Test
	void theLatestAreKept() {
		for (int i = 0; i <= RecentReleases.MAX_RELEASES; i++) {
			this.releases.add(id(i), at(0));
		}
		assertThat(this.releases.all(at(1))).hasSize(RecentReleases.MAX_RELEASES)
			.doesNotContain(id(0))
			.endsWith(id(RecentReleases.MAX_RELEASES));
	}

	private static LeaseId id(int number) {
		return new LeaseId("k" + number, "t" + number);
	}

	private static ClockReading at(long millis) {
		return new ClockReading(millis * 1_000_000, millis);
	}

}
