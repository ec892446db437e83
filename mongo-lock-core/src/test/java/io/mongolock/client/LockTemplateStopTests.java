package io.mongolock.client;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockLostException;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.LockUnavailableException;
import io.mongolock.LossReason;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.ReleaseDecision.ReleaseOutcome;
import io.mongolock.event.LockInstrumentation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockTemplate}: its stop.
 */
class LockTemplateStopTests extends AbstractLockTemplateTests {

	private static final LockRequest BUSY = LockRequest.builder("k")
		.settings(LockSettings.builder().renewInterval(Duration.ofMillis(50)).build())
		.build();

	@Test
	void aStopThatMayTakeForeverCutsOffHeldLocks() {
		this.template.acquire(REQUEST);
		this.template.stop(Duration.ofSeconds(Long.MAX_VALUE));
		assertCutOff("k");
	}

	@Test
	void aStopOfClaimsEndsWaitingAndKeepsWhatIsHeld() throws Exception {
		LockHandle held = this.template.acquire(BUSY);
		Future<LockHandle> waiting = this.others.submit(() -> this.template.acquire(REQUEST));
		CompletableFuture<LockHandle> async = this.template.acquireAsync(REQUEST);
		Awaitility.await().until(() -> this.template.waiting() == 2);
		this.template.stopClaims(Duration.ofSeconds(1));
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(waiting::get)
			.withMessageContaining("is shutting down");
		assertThat(async).failsWithin(Duration.ofSeconds(10)).withThrowableOfType(ExecutionException.class);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.acquire(REQUEST))
			.withMessageContaining("is shutting down");
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.template.acquireAsync(LockRequest.of("other")))
			.withMessageContaining("is shutting down");
		long renewals = this.store.count("renew");
		Awaitility.await().until(() -> this.store.count("renew") > renewals + 2);
		assertThat(held.isHeld()).isTrue();
		held.renew();
		held.close();
		assertThat(this.store.holder("k")).isEmpty();
		assertThat(this.template.isRunning()).isFalse();
	}

	@Test
	void afterAStopOfClaimsNothingIsHandedOverNorKept() {
		LockRequest lingering = LockRequest.builder("k").linger(Duration.ofMinutes(1)).build();
		this.template.acquire(lingering).close();
		LockHandle held = this.template.acquire(lingering);
		CompletableFuture<LockHandle> late = this.template.acquireAsync(lingering);
		this.template.stopClaims(Duration.ofSeconds(1));
		held.close();
		assertThat(late).failsWithin(Duration.ofSeconds(10));
		assertThat(this.template.idle()).isEmpty();
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void aStopOfClaimsWaitsForTheOneThatIsUnderway() throws Exception {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch answer = new CountDownLatch(1);
		this.store.next("acquire", (request) -> {
			asked.countDown();
			await(answer);
			request.run();
		});
		Future<LockHandle> claim = this.others.submit(() -> this.template.acquire(REQUEST));
		await(asked);
		Future<?> stop = this.others.submit(() -> this.template.stopClaims(Duration.ofMinutes(1)));
		Awaitility.await().until(() -> !this.template.isRunning());
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> stop.get(200, TimeUnit.MILLISECONDS));
		answer.countDown();
		stop.get();
		assertThat(claim.get().isHeld()).isTrue();
		claim.get().close();
	}

	@Test
	void aLeaseThatIsLeftIdleAsTheStopOfClaimsBeginsIsReleasedByIt() throws Exception {
		AtomicBoolean slow = new AtomicBoolean();
		CountDownLatch resting = new CountDownLatch(1);
		CountDownLatch rest = new CountDownLatch(1);
		LockTemplate client = client(new ClientRuntime(), new LockInstrumentation() {

			@Override
			public void ended(LockHandle handle, LockRequest request, ReleaseOutcome outcome, Duration heldFor) {
				if (slow.get()) {
					resting.countDown();
					await(rest);
				}
			}

		});
		LockRequest lingering = LockRequest.builder("k").linger(Duration.ofMinutes(1)).build();
		client.acquire(lingering).close();
		LockHandle held = client.acquire(lingering);
		slow.set(true);
		Future<?> close = this.others.submit(held::close);
		await(resting);
		Thread stop = new Thread(() -> client.stopClaims(Duration.ofMinutes(1)));
		stop.start();
		Awaitility.await()
			.until(() -> Stream.of(stop.getStackTrace())
				.anyMatch((frame) -> frame.getMethodName().equals("awaitRequests")));
		rest.countDown();
		close.get();
		stop.join();
		assertThat(client.idle()).isEmpty();
		// On a busy machine the stop goes on without the answer
		Awaitility.await().until(() -> this.store.holder("k").isEmpty());
		client.stop(Duration.ofSeconds(1));
	}

	@Test
	void aHoldGoesOnThroughAStopOfClaimsAndTheNextStart() {
		LockHandle held = this.template.acquire(BUSY);
		this.template.stopClaims(Duration.ofSeconds(1));
		this.template.start();
		long renewals = this.store.count("renew");
		Awaitility.await().until(() -> this.store.count("renew") > renewals);
		this.template.acquire(LockRequest.of("other")).close();
		held.close();
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void theWaitForTheEndOfAllUseEndsWithTheLastRelease() throws Exception {
		LockHandle first = this.template.acquire(REQUEST);
		LockHandle second = this.template.acquire(LockRequest.of("other"));
		this.template.stopClaims(Duration.ofSeconds(1));
		Future<?> unused = this.others.submit(() -> this.template.awaitUnused(Duration.ofMinutes(5)));
		first.close();
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> unused.get(200, TimeUnit.MILLISECONDS));
		second.close();
		unused.get(1, TimeUnit.MINUTES);
		this.template.awaitUnused(Duration.ofMinutes(5));
	}

	@Test
	void anInterruptBetweenTwoReleasesEndsTheWaitForTheLast() {
		List<Boolean> waits = new CopyOnWriteArrayList<>();
		LockTemplate client = client(new ClientRuntime() {

			@Override
			boolean tryAcquire(Semaphore permits, int all, long nanos) throws InterruptedException {
				waits.add(Thread.currentThread().isInterrupted());
				if (waits.size() == 1) {
					Thread.currentThread().interrupt();
					return true;
				}
				return super.tryAcquire(permits, all, (waits.size() == 2) ? 0 : nanos);
			}

		});
		LockHandle held = client.acquire(REQUEST);
		Thread.currentThread().interrupt();
		client.awaitUnused(Duration.ofMinutes(5));
		assertThat(Thread.interrupted()).isTrue();
		assertThat(waits).containsExactly(false, true);
		held.close();
		client.stop(Duration.ofSeconds(1));
	}

	@Test
	void nobodyWaitsForTheEndOfWorkWhoseLockIsLost() throws Exception {
		LockHandle held = this.template.acquire(REQUEST);
		Future<?> unused = this.others.submit(() -> this.template.awaitUnused(Duration.ofMinutes(5)));
		this.template.takenByForce("k", this.store.holder("k").orElseThrow().toHolder(Instant.now()));
		unused.get(1, TimeUnit.MINUTES);
		assertThat(held.isHeld()).isFalse();
	}

	@Test
	void aStopAfterTheLastUseWaitsForItsRelease() throws Exception {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch mayEnd = new CountDownLatch(1);
		this.template.acquire(REQUEST);
		this.template.stopClaims(Duration.ofSeconds(1));
		this.template.stop(Duration.ofSeconds(1));
		this.template.start();
		LockHandle held = this.template.acquire(LockRequest.of("other"));
		this.store.next("release", (request) -> {
			asked.countDown();
			await(mayEnd);
			request.run();
		});
		Future<?> release = this.others.submit(held::close);
		await(asked);
		this.template.awaitUnused(Duration.ofMinutes(1));
		Future<?> stop = this.others.submit(() -> this.template.stop(Duration.ofMinutes(1)));
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> stop.get(200, TimeUnit.MILLISECONDS));
		mayEnd.countDown();
		stop.get();
		release.get();
		assertThat(this.store.holder("other")).isEmpty();
	}

	@Test
	void aLockThatIsCutOffIsFreeSoonHoweverWideItsMargin() {
		this.template.acquire(LockRequest.builder("wide")
			.settings(LockSettings.builder().ttl(Duration.ofMinutes(10)).margin(Duration.ofMinutes(1)).build())
			.build());
		this.template.stop(Duration.ofMinutes(1));
		assertCutOff("wide");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void aLockThatWasCutOffIsNotSaidToBeLeftAsTimeIsOver(CapturedOutput output) throws Exception {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch answer = new CountDownLatch(1);
		LockHandle held = this.template.acquire(REQUEST);
		this.store.next("renew", (request) -> {
			asked.countDown();
			await(answer);
		});
		this.others.submit(held::renew);
		await(asked);
		this.template.stop(Duration.ofSeconds(2));
		answer.countDown();
		assertCutOff("k");
		assertThat(output).doesNotContain("at shutdown failed");
	}

	@Test
	void aStopEndsWaitingAndCutsOffHeldLocks() throws Exception {
		LockHandle held = this.template.acquire(REQUEST);
		Future<LockHandle> waiting = this.others.submit(() -> this.template.acquire(REQUEST));
		CompletableFuture<LockHandle> async = this.template.acquireAsync(REQUEST);
		Awaitility.await().until(() -> this.template.waiting() == 2);
		this.template.stop(Duration.ofMinutes(1));
		assertCutOff("k");
		assertThat(held.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(LossReason.SHUTDOWN));
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(waiting::get)
			.withMessageContaining("is shutting down");
		assertThat(async).failsWithin(Duration.ofSeconds(10)).withThrowableOfType(ExecutionException.class);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.acquire(REQUEST))
			.withMessageContaining("is shutting down");
		int requests = this.store.requests.size();
		this.clock.step(Duration.ofMinutes(1));
		assertThat(this.store.requests).hasSize(requests);
	}

	@Test
	void aStopEndsThousandsWhoWaitForALockThatMayLinger() {
		LockTemplate other = client(new ClientRuntime());
		LockHandle elsewhere = other.acquire(LockRequest.of("k"));
		LockRequest lingering = LockRequest.builder("k")
			.waitTimeout(Duration.ofMinutes(5))
			.linger(Duration.ofSeconds(5))
			.build();
		List<CompletableFuture<LockHandle>> waiting = IntStream.range(0, 5_000)
			.mapToObj((i) -> this.template.acquireAsync(lingering))
			.toList();
		this.template.stop(Duration.ofSeconds(10));
		Awaitility.await().until(() -> waiting.stream().allMatch(CompletableFuture::isDone));
		assertThat(waiting).allSatisfy((one) -> assertThat(one).isCompletedExceptionally()
			.failsWithin(Duration.ZERO)
			.withThrowableOfType(ExecutionException.class)
			.havingCause()
			.isInstanceOf(LockUnavailableException.class));
		assertThat(this.template.waiting()).isZero();
		elsewhere.close();
		other.stop(Duration.ofSeconds(1));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aStopWaitsUntilItsLossesAreHeard(boolean interrupted) {
		CountDownLatch go = new CountDownLatch(1);
		AtomicInteger heard = new AtomicInteger();
		LockTemplate slow = client(new ClientRuntime(), new LockListener() {

			@Override
			public void onLost(LockHandle handle, LossReason reason) {
				await(go);
				heard.incrementAndGet();
			}

		});
		IntStream.range(0, 100).forEach((i) -> slow.acquire(LockRequest.of("slow" + i)));
		AtomicBoolean stays = new AtomicBoolean();
		Thread stop = new Thread(() -> {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
			slow.stop(Duration.ofMinutes(1));
			stays.set(Thread.currentThread().isInterrupted());
		});
		stop.start();
		Awaitility.await()
			.until(() -> !stop.isAlive()
					|| Stream.of(stop.getStackTrace()).anyMatch((frame) -> frame.getMethodName().equals("awaitAll")));
		assertThat(stop.isAlive()).isTrue();
		go.countDown();
		Awaitility.await().until(() -> !stop.isAlive());
		assertThat(heard).hasValue(100);
		assertThat(stays.get()).isEqualTo(interrupted);
	}

	@Test
	void aClaimThatJoinsBetweenAStopAndAStartIsAnswered() {
		LockTemplate client = clientWithNext((stopped) -> stopped.stop(Duration.ofSeconds(1)));
		assertThat(client.acquireAsync(LockRequest.of("joining"))).failsWithin(Duration.ofSeconds(30))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockUnavailableException.class);
		client.start();
		client.acquire(LockRequest.of("joining")).close();
		client.stop(Duration.ofSeconds(1));
	}

	@Test
	void aClaimThatJoinsAfterAStopAndAStartIsGranted() {
		LockTemplate client = clientWithNext((stopped) -> {
			stopped.stop(Duration.ofSeconds(1));
			stopped.start();
		});
		assertThat(client.acquireAsync(LockRequest.of("joining"))).succeedsWithin(Duration.ofSeconds(30))
			.satisfies(LockHandle::close);
		client.stop(Duration.ofSeconds(1));
	}

	@Test
	void whenAThreadJoinsTheWaitersAfterAStopOfClaimsThenItsWaitEndsAtOnce() {
		LockTemplate client = clientWithNext((stopped) -> {
			LockHandle held = stopped.acquire(LockRequest.of("joining"));
			stopped.stopClaims(Duration.ofSeconds(1));
			assertThat(held.isHeld()).isTrue();
		});
		LockRequest waiting = LockRequest.builder("joining").waitTimeout(Duration.ofMinutes(5)).build();
		assertThat(this.others.submit(() -> client.acquire(waiting))).failsWithin(Duration.ofSeconds(30))
			.withThrowableOfType(ExecutionException.class)
			.withMessageContaining("is shutting down");
		client.stop(Duration.ofSeconds(1));
	}

	private LockTemplate clientWithNext(Consumer<LockTemplate> beforeItJoins) {
		AtomicReference<LockTemplate> client = new AtomicReference<>();
		AtomicBoolean joins = new AtomicBoolean(true);
		client.set(client(new ClientRuntime(), new LockInstrumentation() {

			@Override
			public void attempting(Object attempt, LockRequest request) {
				if (joins.getAndSet(false)) {
					beforeItJoins.accept(client.get());
				}
			}

		}));
		client.get().start();
		return client.get();
	}

	@Test
	void aStopCutsOffThousandsWithFewRequestsAndNoneBeginsAfterIt() {
		List<LockHandle> handles = IntStream.range(0, 3_000)
			.mapToObj((i) -> this.template.acquire(LockRequest.of("k" + i)))
			.toList();
		this.template.stop(Duration.ofMinutes(1));
		// More if a busy machine does not answer one in a quarter of a second
		assertThat(this.store.count("expire")).isBetween(24L, 300L);
		assertThat(this.store.count("release")).isZero();
		assertThat(this.store.kept).hasSize(3_000);
		int requests = this.store.requests.size();
		handles.forEach((handle) -> assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close));
		assertThat(this.store.requests).hasSize(requests);
	}

	@Test
	void aStopWhoseRequestsHangBeginsNoneAfterItsBudget() {
		IntStream.range(0, 375).forEach((i) -> this.template.acquire(LockRequest.of("k" + i)));
		CountDownLatch begun = new CountDownLatch(3);
		for (int i = 0; i < 3; i++) {
			this.store.next("expire", (request) -> {
				begun.countDown();
				await(begun);
				this.clock.step(Duration.ofMinutes(1));
				throw new LockStoreException("k", Outcome.UNKNOWN, "by script", null);
			});
		}
		this.template.stop(Duration.ofMinutes(1));
		assertThat(this.store.count("expire")).as("nor is any divided").isEqualTo(3);
	}

	@Test
	void aStopWaitsForAClaimThatIsUnderwayAndCutsItOff() throws Exception {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch stopping = new CountDownLatch(1);
		this.store.next("acquire", (request) -> {
			asked.countDown();
			await(stopping);
			request.run();
		});
		Future<LockHandle> claim = this.others.submit(() -> this.template.acquire(REQUEST));
		await(asked);
		Future<?> stop = this.others.submit(() -> this.template.stop(Duration.ofMinutes(1)));
		Awaitility.await().until(() -> !this.template.isRunning());
		stopping.countDown();
		stop.get();
		assertCutOff("k");
		assertThat(claim.get().isHeld()).isFalse();
	}

	@Test
	void aStopWaitsForARenewalThatIsUnderway() throws Exception {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch answer = new CountDownLatch(1);
		this.store.next("renew", (request) -> {
			asked.countDown();
			await(answer);
		});
		this.template.acquire(BUSY);
		await(asked);
		Future<?> stop = this.others.submit(() -> this.template.stop(Duration.ofMinutes(1)));
		Awaitility.await().until(() -> this.store.kept.containsKey("k"));
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> stop.get(200, TimeUnit.MILLISECONDS));
		answer.countDown();
		stop.get();
	}

	@Test
	void aStopWaitsForARenewalThatAHolderAskedFor() throws Exception {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch answer = new CountDownLatch(1);
		this.store.next("renew", (request) -> {
			asked.countDown();
			await(answer);
		});
		LockHandle held = this.template.acquire(REQUEST);
		Future<?> renewal = this.others.submit(held::renew);
		await(asked);
		Future<?> stop = this.others.submit(() -> this.template.stop(Duration.ofMinutes(1)));
		Awaitility.await().until(() -> this.store.kept.containsKey("k"));
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> stop.get(200, TimeUnit.MILLISECONDS));
		answer.countDown();
		stop.get();
		assertThat(renewal).failsWithin(Duration.ofSeconds(10));
	}

	@Test
	void aStoppedClientMayBeStartedAgain() {
		this.template.stop(Duration.ofSeconds(1));
		this.template.start();
		assertThat(this.template.isRunning()).isTrue();
		this.template.execute(REQUEST, (handle) -> null);
	}

	private void assertCutOff(String key) {
		assertThat(this.store.holder(key)).isPresent();
		assertThat(this.store.kept.get(key)).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(6));
	}

	private LockTemplate client(ClientRuntime runtime, LockListener... listeners) {
		return new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner("another", "1", "host", 42, ""), LockClock.system(), List.of(listeners)), runtime);
	}

}
