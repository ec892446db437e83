package io.mongolock.linger;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.core.Attempt;
import io.mongolock.core.ClockReading;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.Recall;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LingerPolicy}.
 */
class LingerPolicyTests {

	private static final Duration LINGER = Duration.ofSeconds(2);

	private final LingerPolicy keys = new LingerPolicy();

	private long now = -TimeUnit.DAYS.toMillis(1);

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
		assertThat(usesUntilWarm()).isEqualTo(LingerPolicy.MAX_CLAIMS);
	}

	@Test
	void aRecallOfWhatServedNobodyMakesItTakeTheMost() {
		use();
		this.keys.recalled("k", false);
		assertThat(usesUntilWarm()).isEqualTo(1024);
	}

	@Test
	void eachMinuteWithoutARecallHalvesIt() {
		use();
		this.keys.recalled("k", false);
		this.now += 59_990;
		use();
		this.keys.recalled("k", false);
		assertThat(this.keys.claims("k", LINGER, at(this.now))).isFalse();
		this.now += 59_990;
		use();
		assertThat(usesUntilWarm()).isEqualTo(512);
		this.now += 180_000;
		use();
		assertThat(usesUntilWarm()).isEqualTo(64);
		this.now += 35 * 60_000;
		use();
		assertThat(usesUntilWarm()).isOne();
	}

	@Test
	void aRecallAndClaimsThatAnIdleLeaseServedAddToWhatTimeHasLeft() {
		use();
		this.keys.recalled("k", false);
		this.now += 3 * 60_000;
		this.keys.released("k", at(this.now), served(120));
		assertThat(usesUntilWarm()).isEqualTo(8);
		this.keys.recalled("k", true);
		assertThat(usesUntilWarm()).isEqualTo(32);
	}

	@Test
	void aRecallOfAnUnknownKeyChangesNothing() {
		this.keys.recalled("k", false);
		use();
		assertThat(usesUntilWarm()).isOne();
	}

	@Test
	void eachClaimThatAnIdleLeaseServedMakesUpForOneOfThem() {
		use();
		this.keys.recalled("k", true);
		this.keys.recalled("k", true);
		this.keys.released("k", at(this.now), served(14));
		assertThat(usesUntilWarm()).isEqualTo(2);
		this.keys.released("k", at(this.now), served(100));
		assertThat(usesUntilWarm()).isOne();
	}

	@Test
	void aRecallOfTheLastLeaseThatTheStoreShowsCountsOnce() {
		this.keys.released("k", at(this.now), served(1));
		assertThat(this.keys.wasRecalled("k", "another")).isFalse();
		assertThat(this.keys.wasRecalled("other", "used")).isFalse();
		assertThat(this.keys.wasRecalled("k", "used")).isTrue();
		assertThat(this.keys.wasRecalled("k", "used")).as("no news").isFalse();
		assertThat(usesUntilWarm()).isEqualTo(4);
		this.keys.released("k", at(this.now), recall("unused"));
		assertThat(this.keys.wasRecalled("k", "unused")).isTrue();
		assertThat(usesUntilWarm()).isEqualTo(1024);
	}

	@Test
	void onlyTheLastKeysAreKnown() {
		use();
		for (int i = 0; i < LingerPolicy.MAX_KEYS; i++) {
			this.keys.released("k" + i, at(this.now), null);
		}
		assertThat(use()).isFalse();
		assertThat(this.keys.claims("k" + (LingerPolicy.MAX_KEYS - 1), LINGER, at(this.now))).isTrue();
	}

	@Test
	void aKeyThatIsUsedStaysKnownHoweverManyOthersAre() {
		use();
		for (int i = 0; i < 2 * LingerPolicy.MAX_KEYS; i++) {
			this.keys.released("k" + i, at(this.now), null);
			if (i % 1000 == 0) {
				use();
			}
		}
		assertThat(use()).isTrue();
	}

	private static Recall served(int claims) {
		Recall recall = recall("used");
		IntStream.range(0, claims).forEach((i) -> recall.serve());
		return recall;
	}

	private static Recall recall(String token) {
		return new Recall(Attempt.of(LockRequest.of("k"), token, new LockOwner("app", "1", "host", 42, ""), "main",
				ConfiguredSettings.NONE, at(0)));
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
		this.keys.released("k", at(this.now + 1), null);
		this.now += 2;
		return warm;
	}

	private static ClockReading at(long millis) {
		return new ClockReading(millis * 1_000_000, millis);
	}

}
