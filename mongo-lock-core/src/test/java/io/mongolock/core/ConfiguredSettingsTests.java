package io.mongolock.core;

import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.mongolock.InvalidLockSettingsException;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.OnUnavailable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ConfiguredSettings}.
 */
class ConfiguredSettingsTests {

	private final ConfiguredSettings configured = new ConfiguredSettings(ttl(20), Map.of("n", ttl(40)),
			Duration.ofDays(7));

	@Test
	void theRequestWinsThenItsNameThenTheGlobalSettings() {
		assertThat(this.configured.terms(LockRequest.of("k")).ttl()).hasSeconds(20);
		assertThat(this.configured.terms(LockRequest.builder("k").name("other").build()).ttl()).hasSeconds(20);
		assertThat(this.configured.terms(LockRequest.builder("k").name("n").build()).ttl()).hasSeconds(40);
		assertThat(this.configured.terms(LockRequest.builder("k").name("n").ttl(Duration.ofSeconds(60)).build()).ttl())
			.hasSeconds(60);
	}

	@Test
	void whenARequestSkipsAnUnavailableLockThenOnlyItsOwnOrItsNamesWaitTimeoutCounts() {
		ConfiguredSettings waiting = new ConfiguredSettings(waitTimeout(5),
				Map.of("n", waitTimeout(3), "other", ttl(20)));
		LockRequest.Builder skipping = LockRequest.builder("k").onUnavailable(OnUnavailable.SKIP);
		assertThat(waiting.terms(LockRequest.of("k")).waitTimeout()).hasSeconds(5);
		assertThat(waiting.terms(skipping.build()).waitTimeout()).isZero();
		assertThat(waiting.terms(skipping.name("other").build()).waitTimeout()).isZero();
		assertThat(waiting.terms(skipping.name("n").build()).waitTimeout()).hasSeconds(3);
		assertThat(waiting.terms(skipping.waitTimeout(Duration.ofSeconds(1)).build()).waitTimeout()).hasSeconds(1);
		assertThat(ConfiguredSettings.NONE.terms(LockRequest.builder("k").onUnavailable(OnUnavailable.SKIP).build()))
			.returns(Duration.ZERO, LockTerms::waitTimeout);
	}

	@Test
	void termsOfThoseWhoSayNothingAreMadeOnceForEachNameThatHasSettings() {
		LockSettings nothing = LockSettings.builder().build();
		LockTerms all = this.configured.terms();
		assertThat(this.configured.terms(LockRequest.of("k"))).isSameAs(all);
		assertThat(this.configured.terms("other", nothing)).isSameAs(all);
		LockTerms named = this.configured.terms("n", nothing);
		assertThat(this.configured.terms(LockRequest.builder("k").name("n").build())).isSameAs(named).isNotEqualTo(all);
		assertThat(this.configured.terms("n", ttl(60))).isNotEqualTo(named);
	}

	@Test
	void aTtlOfMoreThanHalfTheRetentionIsRefused() {
		LockRequest longest = LockRequest.builder("k").ttl(Duration.ofHours(84)).build();
		LockRequest longer = LockRequest.builder("k").ttl(Duration.ofHours(84).plusMillis(1)).build();
		assertThat(this.configured.terms(longest).ttl()).hasHours(84);
		assertThatExceptionOfType(InvalidLockSettingsException.class).isThrownBy(() -> this.configured.terms(longer))
			.withMessageContaining("at most half of mongo-lock.ttl-index.retention (7d)");
		assertThat(ConfiguredSettings.NONE.terms(longer).ttl()).isGreaterThan(Duration.ofHours(84));
	}

	@Test
	void aMinimumHoldOfMoreThanHalfTheRetentionIsRefusedAndOneLongerThanTheTtlIsNot() {
		LockRequest longest = LockRequest.builder("k").minHold(Duration.ofHours(84)).build();
		LockRequest longer = LockRequest.builder("k").minHold(Duration.ofHours(84).plusMillis(1)).build();
		assertThat(this.configured.terms(longest).minHold()).hasHours(84);
		assertThatExceptionOfType(InvalidLockSettingsException.class).isThrownBy(() -> this.configured.terms(longer))
			.withMessageContaining("min-hold")
			.withMessageContaining("at most half of mongo-lock.ttl-index.retention (7d)");
		assertThat(this.configured.terms(LockRequest.of("k")).minHold()).isZero();
	}

	@Test
	void theLimitIsThatOfTheRequestThenOfItsNameThenOne() {
		ConfiguredSettings configured = new ConfiguredSettings(LockSettings.NONE,
				Map.of("api", LockSettings.builder().limit(5).build()));
		assertThat(configured.limit(LockRequest.of("k"))).isOne();
		assertThat(configured.limit(LockRequest.builder("k").shared().build())).isEqualTo(LockRequest.UNLIMITED);
		assertThat(configured.limit(LockRequest.builder("k").name("api").build())).isEqualTo(5);
		assertThat(configured.limit(LockRequest.builder("k").name("api").limit(1).build())).isOne();
	}

	@Test
	void aLimitBelowOneAndASharedRequestWithALimitByNameAreRefused() {
		ConfiguredSettings configured = new ConfiguredSettings(LockSettings.NONE, Map.of("api",
				LockSettings.builder().limit(5).build(), "none", LockSettings.builder().limit(0).build()));
		assertThatExceptionOfType(InvalidLockSettingsException.class)
			.isThrownBy(() -> configured.limit(LockRequest.builder("k").name("none").build()))
			.withMessage("limit 0 must be at least 1");
		assertThatExceptionOfType(InvalidLockSettingsException.class)
			.isThrownBy(() -> configured.limit(LockRequest.builder("k").name("api").shared().build()))
			.withMessageStartingWith("limit 5 is set for the name of the lock, but the request is shared, and shared "
					+ "requests have no limit");
	}

	private static LockSettings waitTimeout(int seconds) {
		return LockSettings.builder().waitTimeout(Duration.ofSeconds(seconds)).build();
	}

	private static LockSettings ttl(int seconds) {
		return LockSettings.builder().ttl(Duration.ofSeconds(seconds)).build();
	}

}
