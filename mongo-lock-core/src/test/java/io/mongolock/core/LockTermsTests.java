package io.mongolock.core;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.mongolock.InvalidLockSettingsException;
import io.mongolock.LockSettings;
import io.mongolock.core.LockTerms.RenewalInterval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockTerms} and {@link LockSettings}.
 */
class LockTermsTests {

	@Test
	void withoutSettingsTheDefaultsAreThoseOfTheDocumentation() {
		assertThat(LockTerms.of(LockSettings.NONE))
			.isEqualTo(new LockTerms(Duration.ofSeconds(30), Duration.ofSeconds(6),
					new RenewalInterval(Duration.ofSeconds(1), Duration.ofSeconds(8)), Duration.ofSeconds(3),
					Duration.ofSeconds(5), Duration.ofMillis(100), true, Duration.ZERO, Duration.ZERO));
	}

	@ParameterizedTest
	@CsvSource({ "100, 20, 26, 27", "1000, 200, 266, 267", "10000, 2000, 2666, 2667", "20000, 4000, 5333, 3000",
			"30000, 6000, 8000, 3000", "35000, 7000, 9333, 3000", "60000, 12000, 16000, 3000",
			"86400000, 17280000, 23040000, 3000" })
	void whateverTheTtlTheDerivedTermsKeepTheInequalities(long ttl, long margin, long renewInterval,
			long operationTimeout) {
		LockTerms terms = LockTerms.of(LockSettings.builder().ttl(Duration.ofMillis(ttl)).build());
		assertThat(terms.margin()).hasMillis(margin);
		assertThat(terms.renewInterval().longest()).hasMillis(renewInterval);
		assertThat(terms.renewInterval().shortest())
			.hasMillis(Math.min(renewInterval, Math.max(1_000, Math.min(ttl - margin - 23_000, 10_000))));
		assertThat(terms.operationTimeout()).hasMillis(operationTimeout);
	}

	@Test
	void everyTtlHasDefaultsThatAreAccepted() {
		for (long ttl = 100; ttl < 20_000; ttl++) {
			LockTerms.of(LockSettings.builder().ttl(Duration.ofMillis(ttl)).build());
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					PT0.099S | | | | | | ttl 99ms must be at least 100ms
					PT-1S | | | | | | ttl -1000ms must be at least 100ms
					PT1.0001S | | | | | | ttl PT1.0001S must be whole milliseconds
					PT240001H | | | | | | must be at most 10000 days
					PT10S | PT10S | | | | | margin 10000ms must be at least 10ms shorter than the ttl (10000ms)
					PT10S | PT0S | | | | | margin 0ms must be at least 1ms
					PT30S | | PT8.001S | | | | renew-interval 8001ms must be at most (ttl - margin) / 3 = (30000ms - 6000ms) / 3 = 8000ms
					PT30S | | | PT8.001S | | | operation-timeout 8001ms must be at most (ttl - margin - renew-interval) / 2 = (30000ms - 6000ms - 8000ms) / 2 = 8000ms
					| | | | PT-0.001S | | wait-timeout -1ms must be at least 0ms
					| | | | | PT0S | retry-interval 0ms must be at least 1ms
					""")
	void settingsOutOfRangeAreRefusedWithTheNumbers(Duration ttl, Duration margin, Duration renewInterval,
			Duration operationTimeout, Duration waitTimeout, Duration retryInterval, String message) {
		LockSettings settings = LockSettings.builder()
			.ttl(ttl)
			.margin(margin)
			.renewInterval(renewInterval)
			.operationTimeout(operationTimeout)
			.waitTimeout(waitTimeout)
			.retryInterval(retryInterval)
			.build();
		assertThatExceptionOfType(InvalidLockSettingsException.class).isThrownBy(() -> LockTerms.of(settings))
			.withMessageContaining(message);
	}

	@Test
	void theLargestDurationIsRefusedAndNotOverflown() {
		LockSettings settings = LockSettings.builder().waitTimeout(Duration.ofSeconds(Long.MAX_VALUE)).build();
		assertThatExceptionOfType(InvalidLockSettingsException.class).isThrownBy(() -> LockTerms.of(settings))
			.withMessageContaining("wait-timeout");
	}

	@Test
	void aSettingThatOneLevelLeavesOpenIsTakenFromTheNext() {
		LockSettings request = LockSettings.builder().ttl(Duration.ofSeconds(1)).autoRenew(false).build();
		LockSettings name = LockSettings.builder()
			.ttl(Duration.ofSeconds(2))
			.waitTimeout(Duration.ofSeconds(3))
			.autoRenew(true)
			.build();
		LockSettings both = request.or(name);
		assertThat(both.ttl()).hasSeconds(1);
		assertThat(both.waitTimeout()).hasSeconds(3);
		assertThat(both.autoRenew()).isFalse();
	}

}
