package io.mongolock.shedlock;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.ArgumentMatchers;
import org.mockito.BDDMockito;
import org.mockito.Mockito;

import io.mongolock.InvalidLockSettingsException;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.core.ConfiguredSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for what {@link LeaseLockProvider} asks for.
 */
class LeaseLockProviderTests {

	@Test
	void aLockLastsNeverShorterThanItSaysAndIsNeverKeptIdle() {
		LockOperations locks = Mockito.mock();
		BDDMockito.given(locks.tryAcquire(ArgumentMatchers.any())).willReturn(Optional.empty());
		LeaseLockProvider provider = new LeaseLockProvider(locks, Mockito.mock(), Duration.ofSeconds(2));
		assertThat(provider.lock(Providers.configuration("k", Duration.ofSeconds(3).plusNanos(1), Duration.ofNanos(1))))
			.isEmpty();
		BDDMockito.then(locks)
			.should()
			.tryAcquire(ArgumentMatchers.assertArg(
					(request) -> assertThat(request.settings()).returns(Duration.ofMillis(3001), LockSettings::ttl)
						.returns(Duration.ofMillis(1), LockSettings::minHold)
						.returns(Duration.ZERO, LockSettings::linger)));
	}

	@Test
	void aLockWhoseLeaseIsNotKnownIsNotExtended() {
		LockOperations locks = Mockito.mock();
		BDDMockito.given(locks.tryAcquire(ArgumentMatchers.any())).willReturn(Optional.of(Mockito.mock()));
		LeaseLockProvider provider = new LeaseLockProvider(locks, Mockito.mock(), Duration.ofSeconds(2));
		SimpleLock lock = provider.lock(Providers.configuration("k", Duration.ofSeconds(3), Duration.ZERO))
			.orElseThrow();
		assertThat(lock.extend(Duration.ofSeconds(3), Duration.ZERO)).isEmpty();
	}

	@Test
	void aLockLastsHalfASecondAtLeastAndItsTermsAgree() {
		for (Duration most : new Duration[] { Duration.ZERO, Duration.ofMillis(1), Providers.LONG }) {
			LockRequest request = LeaseLockProvider.request(Providers.configuration("k", most, Duration.ZERO),
					Duration.ofSeconds(3));
			assertThat(ConfiguredSettings.NONE.terms(request).ttl())
				.isEqualTo((most == Providers.LONG) ? most : Duration.ofMillis(500));
		}
	}

	@ParameterizedTest
	@CsvSource({ "1000, 200", "10000, 2000", "30000, 6000", "3600000, 6000" })
	void theMarginIsAFifthOfTheTimeAndSixSecondsAtMost(long most, long margin) {
		LockRequest request = LeaseLockProvider
			.request(Providers.configuration("k", Duration.ofMillis(most), Duration.ZERO), Duration.ofSeconds(3));
		assertThat(request.settings().margin()).isEqualTo(Duration.ofMillis(margin));
	}

	@Test
	void aTimeThatIsTooLongIsRefusedWithItsValue() {
		for (Duration most : new Duration[] { Duration.ofDays(10_001), ChronoUnit.FOREVER.getDuration() }) {
			LockRequest request = LeaseLockProvider.request(Providers.configuration("k", most, Duration.ZERO),
					Duration.ofSeconds(3));
			assertThatExceptionOfType(InvalidLockSettingsException.class)
				.isThrownBy(() -> ConfiguredSettings.NONE.terms(request))
				.withMessageMatching("ttl PT\\S+ must be at most 10000 days");
		}
	}

}
