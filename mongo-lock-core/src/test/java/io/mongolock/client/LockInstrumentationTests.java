package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.OnLost;
import io.mongolock.OnUnavailable;
import io.mongolock.client.ClientOptions.LeakDetection;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HandOver;
import io.mongolock.core.ReleaseDecision.ReleaseOutcome;
import io.mongolock.event.LockInstrumentation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatRuntimeException;

/**
 * Tests for what a {@link LockTemplate} tells those who measure.
 */
@Timeout(60)
class LockInstrumentationTests {

	private final ScriptedStore store = new ScriptedStore();

	private final Recorder recorder = new Recorder();

	private final LockTemplate template = template(new HandOver(Duration.ofHours(1), 100));

	@AfterEach
	void stop() {
		this.template.stop(Duration.ofSeconds(1));
	}

	@Test
	void aClaimThatDoesNotWaitIsDeniedAndOneThatDoesTimesOut() {
		this.template.acquire(LockRequest.of("k"));
		assertThatRuntimeException().isThrownBy(() -> this.template.acquire(waiting(Duration.ZERO)));
		assertThatRuntimeException().isThrownBy(() -> this.template.acquire(waiting(Duration.ofMillis(10))));
		assertThat(this.recorder.events).containsExactly("GRANTED", "DENIED", "TIMEOUT");
	}

	@Test
	void deniedClaimsByTryAcquireOrSkipAreMeasuredAsSkipped() {
		this.template.acquire(LockRequest.of("k"));
		this.template.tryAcquire(LockRequest.of("k"));
		assertThatRuntimeException().isThrownBy(
				() -> this.template.acquire(LockRequest.builder("k").onUnavailable(OnUnavailable.SKIP).build()));
		assertThat(this.recorder.events).containsExactly("GRANTED", "SKIPPED", "SKIPPED");
	}

	@Test
	void aClaimThatIsRefusedBeforeItIsSentHasFailed() {
		this.store.next("acquire", (request) -> {
			throw new IllegalArgumentException("too long, says the test");
		});
		assertThatRuntimeException().isThrownBy(() -> this.template.acquire(LockRequest.of("k")))
			.isInstanceOf(IllegalArgumentException.class);
		assertThat(this.recorder.events).containsExactly("FAILED");
	}

	@Test
	void interruptedAndCancelledClaimsAreToldApart() {
		this.template.acquire(LockRequest.of("k"));
		Thread.currentThread().interrupt();
		assertThatRuntimeException().isThrownBy(() -> this.template.acquire(waiting(Duration.ofMinutes(1))));
		assertThat(Thread.interrupted()).isTrue();
		this.template.acquireAsync(waiting(Duration.ofMinutes(1))).cancel(true);
		assertThat(this.recorder.events).containsExactly("GRANTED", "INTERRUPTED", "CANCELLED");
	}

	@Test
	void aStoreThatFailsIsToldAsSuch() {
		this.store.nextFails("acquire", Outcome.REFUSED, false);
		assertThatRuntimeException().isThrownBy(() -> this.template.acquire(LockRequest.of("k")));
		assertThat(this.recorder.events).containsExactly("FAILED");
	}

	@Test
	void aHandOverIsMeasuredBesideTheClaim() {
		LockRequest request = waiting(Duration.ofMinutes(1));
		LockHandle first = this.template.acquire(request);
		CompletableFuture<LockHandle> second = this.template.acquireAsync(request);
		first.close();
		LockHandle turn = second.join();
		CompletableFuture<LockHandle> third = this.template.acquireAsync(request);
		turn.close();
		third.join().close();
		assertThat(this.recorder.events).containsSubsequence("GRANTED", "GRANTED", "woken up: true", "GRANTED",
				"handed over");
	}

	@Test
	void onlyWhatTheStoreGrantedOrRenewedIsConfirmed() {
		LockRequest request = waiting(Duration.ofMinutes(1));
		LockHandle first = this.template.acquire(request);
		CompletableFuture<LockHandle> second = this.template.acquireAsync(request);
		first.close();
		LockHandle turn = second.join();
		int granted = this.recorder.confirmed.get();
		assertThat(granted).isBetween(1, 2);
		CompletableFuture<LockHandle> third = this.template.acquireAsync(request);
		turn.close();
		LockHandle last = third.join();
		assertThat(this.recorder.events).contains("handed over");
		assertThat(this.recorder.confirmed).as("a hand-over").hasValue(granted);
		last.close();
	}

	@Test
	void aRenewalIsConfirmed() {
		this.template.acquire(LockRequest.builder("k")
			.settings(LockSettings.builder().renewInterval(Duration.ofMillis(10)).build())
			.build());
		assertThat(this.recorder.confirmed.get()).as("the grant, and perhaps renewals").isPositive();
		Awaitility.await().until(() -> this.recorder.confirmed.get() > 1);
	}

	@Test
	void aBlockedThreadThatIsWokenToAskIsMeasured() {
		LockTemplate apart = template(new HandOver(Duration.ZERO, 0));
		LockHandle held = apart.acquire(LockRequest.of("k"));
		CompletableFuture<Void> waiter = CompletableFuture
			.runAsync(() -> apart.acquire(waiting(Duration.ofMinutes(1))).close());
		Awaitility.await().until(() -> apart.waiting() == 1);
		held.close();
		waiter.join();
		assertThat(this.recorder.events).containsExactly("GRANTED", "GRANTED", "woken up: true");
		apart.stop(Duration.ofSeconds(1));
	}

	@Test
	void workDoesNotBeginUnderALockThatIsKnownToBeLost() {
		this.recorder.atWork = () -> {
			this.store.forget("k");
			this.template.renew("k");
		};
		LockRequest ignoring = LockRequest.builder("k").onLost(OnLost.IGNORE).build();
		for (LockRequest request : List.of(LockRequest.of("k"), ignoring)) {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> this.template.execute(request, (handle) -> {
					throw new AssertionError("began");
				}));
			assertThat(this.template.executeAsync(request, (handle) -> {
				throw new AssertionError("began");
			})).failsWithin(Duration.ofSeconds(60))
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(LockLostException.class);
		}
		assertThat(this.template.held()).isZero();
	}

	private LockTemplate template(HandOver handOver) {
		ConfiguredSettings configured = new ConfiguredSettings(
				LockSettings.builder().ttl(Duration.ofMinutes(30)).build(), Map.of());
		return new LockTemplate(this.store,
				new ClientOptions(configured, new LockOwner("app", "1", "host", 42, ""), LockClock.system(),
						List.of(this.recorder))
					.withLeakDetection(LeakDetection.OFF)
					.withHandOver(handOver));
	}

	@Test
	void aWaiterCancelledByAnInstrumentAsItIsHandedTheLockIsNotGrantedIt() {
		LockHandle first = this.template.acquire(LockRequest.of("k"));
		CompletableFuture<LockHandle> second = this.template.acquireAsync(waiting(Duration.ofMinutes(1)));
		first.close();
		LockHandle holder = second.join();
		CompletableFuture<LockHandle> third = this.template.acquireAsync(waiting(Duration.ofMinutes(1)));
		this.recorder.atEnd = () -> third.cancel(true);
		holder.close();
		assertThat(third).isCancelled();
		Awaitility.await().until(() -> this.store.holder("k").isEmpty());
		assertThat(this.template.held()).isZero();
		assertThat(this.recorder.events).as("one end for each claim")
			.filteredOn((event) -> !event.startsWith("woken up"))
			.containsExactly("GRANTED", "GRANTED", "CANCELLED");
	}

	private static LockRequest waiting(Duration wait) {
		return LockRequest.builder("k").settings(LockSettings.builder().waitTimeout(wait).build()).build();
	}

	private static final class Recorder implements LockInstrumentation {

		private final List<String> events = new CopyOnWriteArrayList<>();

		private final AtomicInteger confirmed = new AtomicInteger();

		private volatile Runnable atWork = () -> {
		};

		private volatile Runnable atEnd = () -> {
		};

		@Override
		public void ended(LockHandle handle, LockRequest request, ReleaseOutcome outcome, Duration heldFor) {
			this.atEnd.run();
		}

		@Override
		public void confirmed() {
			this.confirmed.incrementAndGet();
		}

		@Override
		public Scope working(LockHandle handle) {
			this.atWork.run();
			return Scope.NONE;
		}

		@Override
		public void attempted(Object attempt, LockRequest request, AttemptOutcome outcome,
				@Nullable LockStoreException failure, Duration waited) {
			this.events.add(outcome.name());
		}

		@Override
		public void handedOver(LockRequest request, Duration took) {
			this.events.add("handed over" + ((took.isNegative()) ? " before it was" : ""));
		}

		@Override
		public void wokenUp(LockRequest request, boolean granted, Duration took) {
			this.events.add("woken up: " + granted + ((took.isNegative()) ? " before it was" : ""));
		}

	}

}
