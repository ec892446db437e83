package io.mongolock.integration;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Lock;

import org.junit.jupiter.api.Test;
import org.mockito.ArgumentMatchers;
import org.mockito.BDDMockito;
import org.mockito.Mockito;

import io.mongolock.LockClock;
import io.mongolock.LockOperations;
import io.mongolock.LockOwner;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.store.LockStore;
import io.mongolock.test.InMemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link MongoLockRegistry} in memory, and for the locks that it keeps.
 */
class InMemoryLockRegistryTests extends AbstractLockRegistryContractTests {

	private static final int CAPACITY = 3;

	private LockStore store;

	private final ManualNanos clock = new ManualNanos();

	private final LockTemplate locks = new LockTemplate(store(), new ClientOptions(ConfiguredSettings.NONE,
			new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of()));

	private final MongoLockRegistry small = new MongoLockRegistry(this.locks, "small", this.clock, CAPACITY);

	// Asked for before this class has been constructed
	@Override
	LockStore store() {
		if (this.store == null) {
			this.store = new InMemoryLockStore();
		}
		return this.store;
	}

	@Test
	void onlyUnusedLocksOfThatAgeAreForgotten() {
		this.small.obtain("held").lock();
		Lock old = this.small.obtain("old");
		this.clock.nanos += Duration.ofMillis(100).toNanos();
		Lock young = this.small.obtain("young");
		this.small.expireUnusedOlderThan(100);
		assertThat(this.small.obtain("young")).isSameAs(young);
		assertThat(this.small.size()).isEqualTo(2);
		assertThat(this.small.obtain("old")).isNotSameAs(old);
		this.small.obtain("held").unlock();
	}

	@Test
	void aLockUnlockedWithinTheAgeIsNotForgotten() {
		Lock lock = this.small.obtain("k");
		this.clock.nanos += Duration.ofMillis(100).toNanos();
		lock.lock();
		lock.unlock();
		this.small.expireUnusedOlderThan(100);
		assertThat(this.small.obtain("k")).isSameAs(lock);
	}

	@Test
	void theLockThatWasUsedLongestAgoMakesRoom() {
		Lock first = this.small.obtain("1");
		Lock second = this.small.obtain("2");
		this.small.obtain("3");
		assertThat(this.small.obtain("1")).isSameAs(first);
		this.small.obtain("4");
		assertThat(this.small.size()).isEqualTo(CAPACITY);
		assertThat(this.small.obtain("1")).isSameAs(first);
		assertThat(this.small.obtain("2")).isNotSameAs(second);
	}

	@Test
	void locksInUseNeverMakeRoom() {
		for (int i = 0; i < CAPACITY + 2; i++) {
			this.small.obtain(i).lock();
		}
		assertThat(this.small.size()).isEqualTo(CAPACITY + 2);
		for (int i = 0; i < CAPACITY + 2; i++) {
			this.small.obtain(i).unlock();
		}
		this.small.obtain("next");
		assertThat(this.small.size()).isEqualTo(CAPACITY);
	}

	@Test
	void aLockIsRenewedWhateverIsSetForLocks() {
		LockOperations operations = Mockito.mock();
		BDDMockito.given(operations.tryAcquire(ArgumentMatchers.any())).willReturn(Optional.empty());
		assertThat(new MongoLockRegistry(operations, "r").obtain("k").tryLock()).isFalse();
		BDDMockito.then(operations)
			.should()
			.tryAcquire(ArgumentMatchers.assertArg((request) -> assertThat(request.settings().autoRenew()).isTrue()));
	}

	private static final class ManualNanos implements LockClock {

		private long nanos;

		@Override
		public long nanoTime() {
			return this.nanos;
		}

		@Override
		public long currentTimeMillis() {
			return this.nanos / 1_000_000;
		}

	}

}
