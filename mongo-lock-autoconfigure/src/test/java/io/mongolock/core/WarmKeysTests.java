package io.mongolock.core;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link WarmKeys}.
 */
class WarmKeysTests {

	private static final Duration LINGER = Duration.ofSeconds(2);

	private final WarmKeys keys = new WarmKeys();

	private long now;

	@Test
	void aKeyIsWarmIfItIsTakenAgainWithinTheLinger() {
		assertThat(use()).isFalse();
		assertThat(use()).isTrue();
		this.now += 2001;
		assertThat(use()).isFalse();
		assertThat(use()).isTrue();
	}

	@Test
	void eachRecallMakesItTakeFourTimesAsOften() {
		use();
		this.keys.recalled("k", true);
		assertThat(usesUntilWarm()).isEqualTo(4);
		this.keys.recalled("k", true);
		assertThat(usesUntilWarm()).isEqualTo(16);
		for (int i = 0; i < 10; i++) {
			this.keys.recalled("k", true);
		}
		assertThat(usesUntilWarm()).isEqualTo(WarmKeys.MAX_CLAIMS);
	}

	@Test
	void aRecallOfWhatServedNobodyMakesItTakeTheMost() {
		use();
		this.keys.recalled("k", false);
		assertThat(usesUntilWarm()).isEqualTo(WarmKeys.MAX_CLAIMS);
	}

	@Test
	void everyMinuteHalvesIt() {
		use();
		this.keys.recalled("k", false);
		this.now += 59_000;
		use();
		assertThat(usesUntilWarm()).isEqualTo(WarmKeys.MAX_CLAIMS / 2);
		this.now += 180_000;
		use();
		assertThat(usesUntilWarm()).isEqualTo(WarmKeys.MAX_CLAIMS / 16);
	}

	@Test
	void recallsAddToWhatTimeHasLeft() {
		use();
		this.keys.recalled("k", false);
		this.now += 5 * 60_000;
		use();
		this.keys.recalled("k", true);
		assertThat(usesUntilWarm()).isEqualTo(4 * WarmKeys.MAX_CLAIMS / 32);
		this.now += 3600_000;
		use();
		assertThat(usesUntilWarm()).isOne();
	}

	@Test
	void eachClaimThatAnIdleLeaseServedMakesUpForOneOfThem() {
		use();
		this.keys.recalled("k", true);
		this.keys.recalled("k", true);
		this.keys.released("k", at(this.now), 14);
		assertThat(usesUntilWarm()).isEqualTo(2);
		this.keys.released("k", at(this.now), 100);
		assertThat(usesUntilWarm()).isOne();
	}

	@Test
	void onlyTheLastKeysAreKnown() {
		use();
		for (int i = 0; i < WarmKeys.MAX_KEYS; i++) {
			this.keys.released("k" + i, at(this.now), 0);
		}
		assertThat(use()).isFalse();
		assertThat(this.keys.claims("k" + (WarmKeys.MAX_KEYS - 1), LINGER, at(this.now))).isTrue();
	}

	private int usesUntilWarm() {
		int uses = 1;
		while (!use()) {
			uses++;
		}
		return uses;
	}

	private boolean use() {
		boolean warm = this.keys.claims("k", LINGER, at(this.now));
		this.keys.released("k", at(this.now + 1), 0);
		this.now += 2;
		return warm;
	}

	private static ClockReading at(long millis) {
		return new ClockReading(millis * 1_000_000, millis);
	}

}
