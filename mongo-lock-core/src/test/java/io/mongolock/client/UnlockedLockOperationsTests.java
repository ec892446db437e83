package io.mongolock.client;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.mongolock.InvalidLockSettingsException;
import io.mongolock.LockCallback;
import io.mongolock.LockClock;
import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.concurrent.CallerContext;
import io.mongolock.core.ConfiguredSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link UnlockedLockOperations}.
 */
class UnlockedLockOperationsTests {

	private final UnlockedLockOperations operations = new UnlockedLockOperations(ConfiguredSettings.NONE,
			LockClock.system(), CallerContext.NONE);

	@Test
	void grantsWhatIsHeldAlready() throws Exception {
		try (LockHandle one = this.operations.acquire(LockRequest.of("a"));
				LockHandle other = this.operations.tryAcquire(LockRequest.of("a")).orElseThrow();
				LockHandle third = this.operations.acquireAsync(LockRequest.of("a")).get()) {
			assertThat(one.isHeld()).isTrue();
			assertThat(one.remaining()).isEqualTo(Duration.ofSeconds(24));
			assertThat(one.fence()).isLessThan(other.fence()).isGreaterThan(1_700_000_000_000L * 1024);
			assertThat(other.fence()).isLessThan(third.fence());
			one.assertHeld();
			one.renew();
		}
	}

	@Test
	void closedHandleIsNotHeld() {
		LockHandle handle = this.operations.acquire(LockRequest.of("a"));
		handle.close();
		handle.close();
		assertThat(handle.isHeld()).isFalse();
		assertThat(handle.remaining()).isZero();
		assertThatIllegalStateException().isThrownBy(handle::assertHeld);
	}

	@Test
	void callbackFindsItsHandle() {
		String key = this.operations.execute(LockRequest.of("a"), (handle) -> {
			assertThat(LockContext.current()).isSameAs(handle);
			return handle.key();
		});
		assertThat(key).isEqualTo("a");
		assertThatIllegalStateException().isThrownBy(LockContext::current);
	}

	@Test
	void exceptionOfTheCallbackReachesTheCaller() {
		IOException thrown = new IOException();
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> this.operations.execute(LockRequest.of("a"), (handle) -> {
				throw thrown;
			}))
			.isSameAs(thrown);
	}

	@Test
	void settingsAreStillChecked() {
		assertThatExceptionOfType(InvalidLockSettingsException.class)
			.isThrownBy(() -> this.operations.acquire(LockRequest.builder("a").ttl(Duration.ofMillis(1)).build()));
	}

	@Test
	void aScopeThatTheCallbackLeavesOpenDoesNotHideItsException() {
		IOException thrown = new IOException();
		LockHandle left = this.operations.acquire(LockRequest.of("b"));
		List<LockContext.Scope> open = new ArrayList<>();
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> this.operations.execute(LockRequest.of("a"), (handle) -> {
				open.add(LockContext.enter(left));
				throw thrown;
			}))
			.isSameAs(thrown)
			.satisfies((ex) -> assertThat(ex.getSuppressed()).hasSize(1));
	}

	@Test
	void ofSeveralEachIsFoundByItsKey() {
		List<LockRequest> both = List.of(LockRequest.of("b"), LockRequest.of("a"), LockRequest.of("b"));
		LockCallback<String, RuntimeException> keys = (handle) -> handle.key()
				+ LockContext.find((held) -> held.key().equals("a")).orElseThrow().key();
		assertThat(this.operations.execute(both, keys)).isEqualTo("ba");
		assertThat(this.operations.executeAsync(both,
				(handle) -> CompletableFuture.completedFuture(keys.doWithLock(handle))))
			.succeedsWithin(Duration.ofSeconds(30))
			.isEqualTo("ba");
		assertThatIllegalArgumentException().isThrownBy(() -> this.operations.execute(List.of(), keys));
		assertThatIllegalArgumentException().isThrownBy(() -> this.operations.executeAsync(
				List.of(LockRequest.of("a"), LockRequest.builder("a").shared().build()),
				(handle) -> CompletableFuture.completedFuture("never")));
	}

	@Test
	void workThatEndsLaterHasAThreadOfItsOwn() {
		Thread caller = Thread.currentThread();
		assertThat(this.operations.executeAsync(LockRequest.of("a"),
				(handle) -> CompletableFuture.completedFuture(Thread.currentThread())))
			.succeedsWithin(Duration.ofSeconds(30))
			.isNotSameAs(caller);
	}

}
