package io.mongolock.test;

import java.time.Duration;
import java.util.Map;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.mockito.AdditionalAnswers;

import io.mongolock.LockOwner;
import io.mongolock.store.Claim;
import io.mongolock.store.Claims;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.ManualClock;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LockAssert}.
 */
class LockAssertTests {

	private final ManualClock clock = new ManualClock();

	private final InMemoryLockStore store = new InMemoryLockStore(this.clock);

	private final LockAssertions locks = new LockAssertions(this.store);

	@Test
	void aLockThatNobodyAskedForIsFree() {
		this.locks.assertThatLock("a").isFree().hasHolders(0);
		fails(() -> this.locks.assertThatLock("a").isHeld(),
				"Lock 'a' should be held, but is free. The held locks are []");
	}

	@Test
	void aHeldLockIsHeldByWhomItsOwnerNames() {
		LockOwner owner = acquire("a").owner();
		this.locks.assertThatLock("a")
			.isHeld()
			.hasHolders(1)
			.isHeldBy(owner.application())
			.isHeldBy(owner.instance())
			.isHeldBy(owner.thread());
		fails(() -> this.locks.assertThatLock("a").isHeldBy("nobody"),
				"should be held by 'nobody', but is held by [LockHolder[owner=shop");
		fails(() -> this.locks.assertThatLock("a").isFree(), "Lock 'a' should have 0 holders, but has 1: [LockHolder");
		fails(() -> this.locks.assertThatLock("b").isHeld(), "The held locks are [a]");
	}

	@Test
	void aLeaseThatRanOutIsFree() {
		acquire("a");
		this.clock.advance(Duration.ofHours(1));
		this.locks.assertThatLock("a").isFree();
	}

	@Test
	void aLockThatIsKeptIsHeld() {
		LeaseId lease = acquire("a").id();
		this.store.expireAll(Map.of(lease, Duration.ofMinutes(1)), Duration.ZERO);
		this.locks.assertThatLock("a").isHeld();
	}

	@Test
	void aCallTakesALockIfItIsGrantedMeanwhile() {
		long before = this.clock.instant().toEpochMilli() * 1024 - 1;
		this.locks.assertThatLock("a").isTakenBy(() -> acquire("a")).isHeld().hasFenceGreaterThan(before);
		fails(() -> this.locks.assertThatLock("a").isTakenBy(() -> acquire("a")),
				"The call should take lock 'a', but ran without this lock");
		fails(() -> this.locks.assertThatLock("a").isTakenBy(() -> {
		}), "is not a bean, does not go through the proxy");
		acquire("x");
		fails(() -> this.locks.assertThatLock("a").isTakenBy(() -> {
			acquire("c");
			acquire("b");
		}), "The call should take lock 'a', but only these locks were taken during the call: [b, c]");
		LockAssertions elsewhere = new LockAssertions(mock(LockStore.class, AdditionalAnswers.delegatesTo(this.store)));
		fails(() -> elsewhere.assertThatLock("a").isTakenBy(() -> acquire("d")),
				"The call should take lock 'a', but ran without this lock");
		fails(() -> this.locks.assertThatLock("a").hasFenceGreaterThan(Long.MAX_VALUE), "should be greater than");
	}

	@Test
	void aCallThatMayHaveReusedALeaseNamesTheWayOut() {
		acquire("a");
		fails(() -> this.locks.assertThatLock("a").isTakenBy(() -> {
		}), "Set its linger to 0s in this test, and release the lock before the call: [LockHolder[owner=shop");
	}

	@Test
	void aCallThatFailsFailsTheAssertionWithItsCause() {
		IllegalStateException failure = new IllegalStateException("no stock");
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> this.locks.assertThatLock("a").isTakenBy(() -> {
				throw failure;
			}))
			.withMessageContaining("no stock")
			.withCause(failure);
	}

	private Claim acquire(String key) {
		Claim claim = Claims.on(key);
		this.store.acquire(claim, Duration.ZERO);
		return claim;
	}

	private static void fails(ThrowingCallable assertion, String message) {
		assertThatExceptionOfType(AssertionError.class).isThrownBy(assertion).withMessageContaining(message);
	}

}
