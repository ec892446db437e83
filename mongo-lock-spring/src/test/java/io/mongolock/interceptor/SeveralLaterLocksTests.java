package io.mongolock.interceptor;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;
import io.mongolock.OnLost;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.LockTemplate;
import io.mongolock.client.ScriptedStore;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.store.LeaseId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link SeveralLaterLocks}.
 */
@Timeout(120)
class SeveralLaterLocksTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final ScriptedStore store = new LosingStore();

	private final LockTemplate locks = template("app");

	private final LockTemplate others = template("others");

	private final Clock clock = new Clock();

	private volatile boolean losing;

	@AfterEach
	void stop() {
		this.locks.stop(Duration.ofSeconds(1));
		this.others.stop(Duration.ofSeconds(1));
	}

	@Test
	void whatTheCallerHoldsIsSharedWhicheverThreadAsks() {
		this.locks.execute(LockRequest.of("b"), (outer) -> {
			assertThat(several(this.locks, OnLost.FAIL, (held) -> {
				assertThat(held).extracting(LockHandle::key).containsExactly("a", "b");
				return CompletableFuture.completedFuture(held.get(1).fence());
			}, "a", "b")).succeedsWithin(LONG).isEqualTo(outer.fence());
			return null;
		});
		assertThat(this.locks.held()).isZero();
	}

	@Test
	void whatASubscriptionHoldsIsSharedWhicheverThreadAsks() {
		LaterLocking b = (work) -> this.locks.executeAsync(LockRequest.of("b"),
				(handle) -> work.begin(List.of(handle)));
		LaterLocking both = (work) -> several(this.locks, OnLost.FAIL, work, "a", "b");
		assertThat(new LockedFlux(b, () -> new LockedFlux(both, () -> Mono.just("done"), SubscriberContext.NONE),
				SubscriberContext.NONE)
			.blockLast(LONG)).isEqualTo("done");
	}

	@Test
	void aCancelEndsTheInnermostClaimAlsoIfThoseAroundItWereGrantedAtOnce() {
		LockHandle held = this.others.acquire(LockRequest.of("c"));
		this.locks.execute(LockRequest.of("a"), (a) -> this.locks.execute(LockRequest.of("b"), (b) -> {
			CompletableFuture<Object> result = several(this.locks, OnLost.FAIL, (all) -> {
				throw new AssertionError("begun");
			}, "a", "b", "c");
			assertThat(this.locks.waiting("c")).isOne();
			result.cancel(false);
			Awaitility.await().until(() -> this.locks.waiting("c") == 0);
			return null;
		}));
		Awaitility.await().until(() -> this.locks.held() == 0);
		assertThat(held.isHeld()).isTrue();
	}

	@Test
	void theWaitOfEachCountsFromTheBeginning() {
		List<LockRequest> asked = new CopyOnWriteArrayList<>();
		LockOperations slow = (LockOperations) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { LockOperations.class }, (proxy, method, arguments) -> {
					asked.add((LockRequest) arguments[0]);
					this.clock.nanos += Duration.ofMinutes(25).toNanos();
					try {
						return method.invoke(this.locks, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
		assertThat(several(slow, OnLost.FAIL, (held) -> CompletableFuture.completedFuture("done"), "a", "b", "c", "d"))
			.succeedsWithin(LONG);
		assertThat(asked).extracting((request) -> request.settings().waitTimeout())
			.containsExactly(Duration.ofMinutes(60), Duration.ofMinutes(35), Duration.ofMinutes(10), Duration.ZERO);
	}

	@Test
	void theWorkDoesNotBeginIfTheFirstIsLostWhileTheSecondIsWaitedFor() {
		LockHandle second = this.others.acquire(LockRequest.of("b"));
		CompletableFuture<Object> result = several(this.locks, OnLost.FAIL, (held) -> {
			throw new AssertionError("begun");
		}, "a", "b");
		Awaitility.await().until(() -> this.locks.waiting("b") == 1);
		lose("a");
		second.close();
		assertThat(result).failsWithin(LONG).withThrowableThat().withCauseInstanceOf(LockLostException.class);
	}

	@Test
	void aLossOfTheFirstIsNotTakenForASecondThatIsNotFree() {
		LockUnavailableException unavailable = unavailable("b");
		LockOperations secondHeld = (LockOperations) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { LockOperations.class }, (proxy, method, arguments) -> {
					if (((LockRequest) arguments[0]).key().equals("b")) {
						lose("a");
						return CompletableFuture.failedFuture(unavailable);
					}
					return method.invoke(this.locks, arguments);
				});
		assertThat(several(secondHeld, OnLost.FAIL, (held) -> {
			throw new AssertionError("begun");
		}, "a", "b")).failsWithin(LONG)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockLostException.class)
			.satisfies((lost) -> assertThat(lost.getSuppressed()).contains(unavailable));
	}

	@Test
	void whatTheWorkItselfFailsWithStaysAlsoIfTheFirstWasLost() {
		LockUnavailableException unavailable = unavailable("other");
		assertThat(several(this.locks, OnLost.FAIL, (held) -> {
			lose("a");
			return CompletableFuture.failedFuture(unavailable);
		}, "a", "b")).failsWithin(LONG).withThrowableThat().havingCause().isSameAs(unavailable);
	}

	@Test
	void aLossThatInterruptsEndsTheWaitForTheNext() {
		LockHandle second = this.others.acquire(LockRequest.of("b"));
		CompletableFuture<Object> result = several(this.locks, OnLost.INTERRUPT, (held) -> {
			throw new AssertionError("begun");
		}, "a", "b");
		Awaitility.await().until(() -> this.locks.waiting("b") == 1);
		lose("a");
		assertThat(result).failsWithin(LONG).withThrowableThat().withCauseInstanceOf(LockLostException.class);
		// Its claim ends beside the result
		Awaitility.await().until(() -> this.locks.waiting() == 0);
		assertThat(second.isHeld()).isTrue();
	}

	@Test
	void aLossOfTheFirstInterruptsTheThreadThatBeginsTheWork() {
		CountDownLatch never = new CountDownLatch(1);
		assertThat(several(this.locks, OnLost.INTERRUPT, (held) -> {
			lose("a");
			never.await();
			return CompletableFuture.completedFuture("done");
		}, "a", "b")).failsWithin(LONG).withThrowableThat().withCauseInstanceOf(InterruptedException.class);
	}

	@Test
	void aLossOfTheFirstCancelsTheStageOfWorkThatHasGoneOnAfterTheInterrupt() {
		CountDownLatch never = new CountDownLatch(1);
		CompletableFuture<Object> work = new CompletableFuture<>();
		assertThat(several(this.locks, OnLost.INTERRUPT, (held) -> {
			lose("a");
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(never::await);
			return work;
		}, "a", "b")).failsWithin(LONG).withThrowableThat().withCauseInstanceOf(LockLostException.class);
		assertThat(work).isCancelled();
	}

	private CompletableFuture<Object> several(LockOperations operations, OnLost onLost, LaterLocking.Work work,
			String... keys) {
		List<LockRequest> requests = Stream.of(keys)
			.map((key) -> LockRequest.builder(key).waitTimeout(Duration.ofHours(1)).onLost(onLost).build())
			.toList();
		return new SeveralLaterLocks(requests, new WaitBudget(ConfiguredSettings.NONE, this.clock), operations, work)
			.execute();
	}

	private static LockUnavailableException unavailable(String key) {
		return new LockUnavailableException(key, List.of(), Duration.ZERO, 1, "held by another");
	}

	private void lose(String key) {
		this.losing = true;
		this.locks.renew(key);
		this.losing = false;
	}

	private LockTemplate template(String application) {
		return new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner(application, "1", "host", 42, ""), LockClock.system(), List.of()));
	}

	private final class LosingStore extends ScriptedStore {

		@Override
		public int renewAll(List<LeaseId> leases, Duration timeout) {
			return (SeveralLaterLocksTests.this.losing) ? 0 : super.renewAll(leases, timeout);
		}

	}

	private static final class Clock implements LockClock {

		private volatile long nanos;

		@Override
		public long nanoTime() {
			return this.nanos;
		}

		@Override
		public long currentTimeMillis() {
			return 0;
		}

	}

}
