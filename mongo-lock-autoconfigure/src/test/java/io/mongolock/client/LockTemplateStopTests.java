package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
import io.mongolock.event.LockInstrumentation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockTemplate}: its stop.
 */
class LockTemplateStopTests extends AbstractLockTemplateTests {

	@Test
	void aStopThatMayTakeForeverReleasesHeldLocks() {
		this.template.acquire(REQUEST);
		this.template.stop(Duration.ofSeconds(Long.MAX_VALUE));
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void aStopEndsWaitingAndReleasesHeldLocks() throws Exception {
		LockHandle held = this.template.acquire(REQUEST);
		Future<LockHandle> waiting = this.others.submit(() -> this.template.acquire(REQUEST));
		CompletableFuture<LockHandle> async = this.template.acquireAsync(REQUEST);
		Awaitility.await().until(() -> this.template.waiting() == 2);
		this.template.stop(Duration.ofSeconds(1));
		assertThat(this.store.holder("k")).isEmpty();
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
	void whoJoinsBetweenAStopAndAStartIsAnswered() {
		AtomicBoolean joins = new AtomicBoolean(true);
		AtomicBoolean stopped = new AtomicBoolean();
		AtomicReference<LockTemplate> client = new AtomicReference<>();
		LockInstrumentation before = new LockInstrumentation() {

			@Override
			public void attempting(Object attempt, LockRequest request) {
				if (joins.getAndSet(false)) {
					client.get().stop(Duration.ofSeconds(1));
					stopped.set(true);
				}
			}

		};
		ClientRuntime runtime = new ClientRuntime() {

			@Override
			ThreadPoolExecutor queued(int most, String name) {
				ThreadPoolExecutor executor = super.queued(most, name);
				executor.setRejectedExecutionHandler((task, same) -> {
					if (stopped.getAndSet(false)) {
						client.get().start();
					}
				});
				return executor;
			}

		};
		client.set(client(runtime, before));
		client.get().start();
		assertThat(client.get().acquireAsync(LockRequest.of("joining"))).failsWithin(Duration.ofSeconds(30))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockUnavailableException.class);
		client.get().acquire(LockRequest.of("joining")).close();
		client.get().stop(Duration.ofSeconds(1));
	}

	@Test
	void aStopReleasesThousandsWithFewRequestsAndNoneBeginsAfterIt() throws Exception {
		List<LockHandle> handles = IntStream.range(0, 3_000)
			.mapToObj((i) -> this.template.acquire(LockRequest.of("k" + i)))
			.toList();
		this.template.stop(Duration.ofMinutes(1));
		assertThat(this.store.count("release all 500")).isEqualTo(6);
		assertThat(this.store.count("release")).isEqualTo(6);
		assertThat(IntStream.range(0, 3_000).filter((i) -> this.store.holder("k" + i).isPresent()).count()).isZero();
		int requests = this.store.requests.size();
		handles.forEach((handle) -> assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close));
		assertThat(this.store.requests).hasSize(requests);
	}

	@Test
	void aStopWhoseRequestsHangBeginsNoneAfterItsBudget() {
		IntStream.range(0, 1_500).forEach((i) -> this.template.acquire(LockRequest.of("k" + i)));
		CountDownLatch begun = new CountDownLatch(3);
		for (int i = 0; i < 3; i++) {
			this.store.next("release", (request) -> {
				begun.countDown();
				await(begun);
				this.clock.step(Duration.ofMinutes(1));
				throw new LockStoreException("k", Outcome.UNKNOWN, "by script", null);
			});
		}
		this.template.stop(Duration.ofMinutes(1));
		assertThat(this.store.count("release")).as("nor is any divided").isEqualTo(3);
	}

	@Test
	void aStopMayTakeAsLongAsADurationCanBe() {
		this.template.acquire(REQUEST);
		this.template.stop(Duration.ofSeconds(Long.MAX_VALUE));
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void aStopWaitsForAClaimThatIsUnderwayAndGivesItBack() throws Exception {
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
		assertThat(this.store.holder("k")).isEmpty();
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
		LockSettings busy = LockSettings.builder().renewInterval(Duration.ofMillis(50)).build();
		this.template.acquire(LockRequest.builder("k").settings(busy).build());
		await(asked);
		Future<?> stop = this.others.submit(() -> this.template.stop(Duration.ofMinutes(1)));
		Awaitility.await().until(() -> this.store.holder("k").isEmpty());
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
		Awaitility.await().until(() -> this.store.holder("k").isEmpty());
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

	private LockTemplate client(ClientRuntime runtime, LockListener... listeners) {
		return new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner("another", "1", "host", 42, ""), LockClock.system(), List.of(listeners)), runtime);
	}

}
