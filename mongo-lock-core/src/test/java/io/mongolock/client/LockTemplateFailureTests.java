package io.mongolock.client;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockTemplate}: requests that fail, or whose answers are lost.
 */
class LockTemplateFailureTests extends AbstractLockTemplateTests {

	@Test
	void whateverFailsAfterTheGrantTheLockIsReleasedAndNotRenewed() {
		LockHandle granted = null;
		for (int i = 1; granted == null; i++) {
			failAfterGrant(i);
			try {
				granted = this.template.acquire(REQUEST);
			}
			catch (StackOverflowError ex) {
				assertThat(this.template.held()).isZero();
				assertThat(this.template.waiting()).isZero();
				Awaitility.await().until(() -> this.store.holder("k").isEmpty());
			}
			this.clock.failAt(0);
		}
		assertThat(this.store.count("acquire")).as("claims that failed, and one that did not").isGreaterThan(1);
		assertThat(granted.isHeld()).isTrue();
		granted.close();
	}

	@Test
	void whateverFailsAfterTheGrantOfAnAsynchronousClaimTheLockIsReleasedToo() throws Exception {
		LockHandle granted = null;
		for (int i = 1; granted == null; i++) {
			failAfterGrant(i);
			try {
				granted = this.template.acquireAsync(REQUEST).get(10, TimeUnit.SECONDS);
			}
			catch (ExecutionException ex) {
				assertThat(ex).hasCauseInstanceOf(StackOverflowError.class);
				assertThat(this.template.held()).isZero();
				assertThat(this.template.waiting()).isZero();
				Awaitility.await().until(() -> this.store.holder("k").isEmpty());
			}
		}
		assertThat(this.store.count("acquire")).as("claims that failed, and one that did not").isGreaterThan(3);
		assertThat(granted.isHeld()).isTrue();
		granted.close();
	}

	@Test
	void aLostAnswerIsAskedAgainUnderTheSameTokenAndGrantedOnce() {
		this.store.nextFails("acquire", Outcome.UNKNOWN, true);
		LockHandle handle = this.template.acquire(REQUEST);
		assertThat(handle.fence()).isEqualTo(1);
		assertThat(this.store.count("acquire")).isEqualTo(2);
		handle.close();
		Awaitility.await("the token is cleaned up, as a duplicate may still be executed")
			.until(() -> this.store.count("release") >= 2);
	}

	@Test
	void anAcquireWithoutAnswerIsReportedAndCleanedUpInTheBackground() {
		this.store.nextFails("acquire", Outcome.UNKNOWN, true);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.template.acquire(ONCE))
			.withMessage("acquire failed by script");
		Awaitility.await().until(() -> this.store.holder("k").isEmpty());
	}

	@Test
	void aRequestExecutedLateIsCleanedUpToo() {
		this.store.nextFails("acquire", Outcome.UNKNOWN, false);
		this.store.next("release", (release) -> {
			release.run();
			// Only now does the lost request reach the store
			this.store.acquire(this.store.lastClaim(), Duration.ofSeconds(1));
		});
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.template
			.acquire(LockRequest.builder("k").ttl(Duration.ofMillis(100)).waitTimeout(Duration.ZERO).build()));
		Awaitility.await().until(() -> this.store.count("release") >= 1);
		this.clock.step(Duration.ofSeconds(1));
		Awaitility.await().until(() -> this.store.holder("k").isEmpty() && this.store.count("release") >= 2);
	}

	@Test
	void aReleaseThatFailsIsNoExceptionAndTriedAgainInTheBackground() {
		this.store.nextFails("release", Outcome.UNKNOWN, false);
		String result = this.template.execute(REQUEST, (handle) -> "done");
		assertThat(result).isEqualTo("done");
		Awaitility.await().until(() -> this.store.holder("k").isEmpty());
	}

	@Test
	void aWaiterBehindAClaimThatFailsHearsOfTheFailure() throws Exception {
		IntStream.range(0, 10_000).forEach((i) -> this.store.nextFails("acquire", Outcome.UNKNOWN, false));
		LockRequest patient = LockRequest.builder("k").waitTimeout(Duration.ofMinutes(1)).build();
		Future<LockHandle> first = this.others.submit(() -> this.template.acquire(patient));
		Awaitility.await().until(() -> this.store.count("acquire") >= 2);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.template.acquire(ONCE))
			.withMessageContaining("acquire failed by script")
			.satisfies((ex) -> assertThat(ex.getOutcome()).isEqualTo(Outcome.NOT_EXECUTED));
		assertThat(this.template.acquireAsync(ONCE)).failsWithin(Duration.ofSeconds(10))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockStoreException.class);
		first.cancel(true);
	}

	private void failAfterGrant(int reading) {
		this.store.next("acquire", (request) -> {
			request.run();
			this.clock.failAt(reading);
		});
	}

}
