package io.mongolock.test;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.mongolock.store.AbstractLockStoreContractTests;
import io.mongolock.store.Claim;
import io.mongolock.store.Claims;
import io.mongolock.store.LockStore;
import io.mongolock.store.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link InMemoryLockStore}.
 */
class InMemoryLockStoreTests extends AbstractLockStoreContractTests {

	private final ManualClock clock = new ManualClock();

	private final InMemoryLockStore store = new InMemoryLockStore(this.clock);

	@Override
	public LockStore store() {
		return this.store;
	}

	@Override
	public void elapse(Duration duration) {
		this.clock.advance(duration);
	}

	@Override
	public void delete(String key) {
		this.store.delete(key);
	}

	@Test
	void aStoreWithoutClockGoesByThatOfTheMachine() {
		LockStore store = new InMemoryLockStore();
		Claim claim = Claims.on("key");
		assertThat(store.acquire(claim, Duration.ZERO).grantTo(claim.id().leaseToken())).isPresent();
		assertThat(store.list(1, Duration.ZERO).get(0).liveHolders()).hasSize(1);
	}

}
