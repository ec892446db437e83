package io.mongolock.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;
import io.mongolock.OnLost;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockTemplate}: claims without a thread.
 */
class LockTemplateAsyncTests extends AbstractLockTemplateTests {

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void workThatWasCancelledFailsThoughNobodyElseWasGrantedTheLock(boolean minimal) {
		LockRequest interrupting = LockRequest.builder("k").onLost(OnLost.INTERRUPT).autoRenew(false).build();
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<LockHandle> begun = new CompletableFuture<>();
		CompletableFuture<String> result = this.template.executeAsync(interrupting, (handle) -> {
			begun.complete(handle);
			return (minimal) ? work.minimalCompletionStage() : work;
		});
		LockHandle handle = begun.join();
		this.clock.step(Duration.ofSeconds(24));
		assertThat(handle.isHeld()).isFalse();
		if (minimal) {
			// Nobody can cancel it
			work.complete("whole");
		}
		assertThat(result).failsWithin(Duration.ofSeconds(30))
			.withThrowableThat()
			.withCauseInstanceOf(LockLostException.class);
		assertThat(this.template.held()).isZero();
		assertThat(this.store.holders()).isZero();
	}

	@Test
	void anAsynchronousClaimWaitsWithoutAThread() throws Exception {
		LockHandle first = this.template.acquire(REQUEST);
		List<CompletableFuture<Long>> waiting = IntStream.range(0, 10)
			.mapToObj((i) -> this.template.acquireAsync(REQUEST).thenApply((handle) -> {
				handle.close();
				return handle.fence();
			}))
			.toList();
		assertThat(this.template.waiting()).isEqualTo(10);
		first.close();
		// A busy machine may end the time for which the lock is handed on
		long before = first.fence();
		for (CompletableFuture<Long> next : waiting) {
			assertThat(next.get(30, TimeUnit.SECONDS)).isGreaterThan(before);
			before = next.join();
		}
	}

	@Test
	void anAsynchronousClaimFailsAsABlockingOneWould() {
		LockHandle other = otherClient().acquire(REQUEST);
		assertThat(this.template.acquireAsync(ONCE)).failsWithin(Duration.ofSeconds(10))
			.withThrowableOfType(ExecutionException.class)
			.satisfies((ex) -> assertThat(ex.getCause()).isInstanceOf(LockUnavailableException.class)
				.hasMessageContaining("is held by other 2 (host there, pid 43")
				.hasMessageContaining("and 1 claim. The wait-timeout is 0ms"));
		other.close();
		try (LockHandle own = this.template.acquire(REQUEST)) {
			assertThat(this.template.acquireAsync(ONCE)).failsWithin(Duration.ofSeconds(10))
				.withThrowableOfType(ExecutionException.class);
			assertThat(own.isHeld()).isTrue();
		}
	}

	@Test
	void aCancelledAsynchronousClaimLeavesNothingBehind() {
		LockHandle other = otherClient().acquire(REQUEST);
		CompletableFuture<LockHandle> pausing = this.template
			.acquireAsync(LockRequest.builder("k").waitTimeout(Duration.ofMinutes(1)).build());
		Awaitility.await().until(() -> this.store.count("acquire") >= 3);
		CompletableFuture<LockHandle> inQueue = this.template.acquireAsync(REQUEST);
		inQueue.cancel(true);
		pausing.cancel(true);
		Awaitility.await().until(() -> this.template.waiting() == 0);
		other.close();
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void aGrantThatComesAfterTheCancelIsReleased() {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch cancelled = new CountDownLatch(1);
		this.store.next("acquire", (request) -> {
			asked.countDown();
			await(cancelled);
			request.run();
		});
		CompletableFuture<LockHandle> claim = this.template.acquireAsync(REQUEST);
		await(asked);
		claim.cancel(true);
		cancelled.countDown();
		Awaitility.await().until(() -> this.store.count("release") == 1 && this.store.holder("k").isEmpty());
	}

	@Test
	void workFindsTheClassesOfTheApplication() {
		Thread current = Thread.currentThread();
		ClassLoader before = current.getContextClassLoader();
		try (URLClassLoader application = new URLClassLoader(new URL[0], before)) {
			current.setContextClassLoader(application);
			assertThat(this.template.executeAsync(REQUEST,
					(handle) -> CompletableFuture.completedFuture(Thread.currentThread().getContextClassLoader())))
				.succeedsWithin(Duration.ofSeconds(30))
				.isSameAs(application);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			current.setContextClassLoader(before);
		}
	}

	@Test
	void aThreadOfTheClientInheritsNothingOfItsFirstCaller() {
		InheritableThreadLocal<String> user = new InheritableThreadLocal<>();
		user.set("alice");
		try {
			assertThat(this.template.executeAsync(REQUEST,
					(handle) -> CompletableFuture.completedFuture(String.valueOf(user.get()))))
				.succeedsWithin(Duration.ofSeconds(30))
				.isEqualTo("null");
		}
		finally {
			user.remove();
		}
	}

}
