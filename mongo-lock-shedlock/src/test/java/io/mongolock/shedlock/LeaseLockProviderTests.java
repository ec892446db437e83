package io.mongolock.shedlock;

import java.time.Duration;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.mockito.ArgumentMatchers;
import org.mockito.BDDMockito;
import org.mockito.Mockito;

import io.mongolock.LockOperations;
import io.mongolock.LockSettings;

import static org.assertj.core.api.Assertions.assertThat;

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

}
