package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.client.AbstractLockTemplateTests.SteppedClock;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HeldLock;
import io.mongolock.store.LeaseId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A document that is blocked holds up nothing but itself.
 */
@Timeout(120)
class BlockedDocumentTests {

	private final BlockingStore store = new BlockingStore();

	private final List<String> failed = new CopyOnWriteArrayList<>();

	private final SteppedClock clock = new SteppedClock();

	private final LockTemplate template = client();

	@AfterEach
	void stop() {
		this.template.stop(Duration.ofMillis(1));
	}

	@Test
	void atAStopAllOthersAreCutOffWhileItIsWaitedFor() throws InterruptedException {
		acquire(600, "k");
		this.store.block("k0");
		Thread stop = new Thread(() -> this.template.stop(Duration.ofSeconds(30)));
		stop.start();
		await().until(() -> this.store.kept.size() == 599);
		await().until(() -> !stop.isAlive() || isWaiting(stop));
		assertThat(stop.isAlive()).as("waits for the one that is blocked").isTrue();
		this.store.free("k0");
		stop.join();
		assertThat(this.store.kept).hasSize(600);
	}

	@Test
	void ofThoseThatHaveToStayTakenAllOthersDoAsLongAsTheyHaveTo() {
		for (int i = 0; i < 40; i++) {
			this.template.acquire(LockRequest.builder("k" + i).minHold(Duration.ofMinutes(1)).build());
		}
		this.store.block("k0");
		acquire(40, "short");
		CompletableFuture<Void> stop = stopWithin(Duration.ofSeconds(30));
		await().until(() -> this.store.kept.size() == 79);
		this.store.free("k0");
		stop.join();
		assertThat(this.store.kept).hasSize(80);
		assertThat(this.store.kept.get("short1")).isLessThanOrEqualTo(Duration.ofSeconds(6));
		assertThat(this.store.kept.get("k1")).isGreaterThan(Duration.ofSeconds(20));
	}

	@Test
	void manyOfThemHoldUpNothingButThemselves() {
		acquire(500, "k");
		for (int i = 0; i < 500; i += 25) {
			this.store.block("k" + i);
		}
		CompletableFuture<Void> stop = stopWithin(Duration.ofSeconds(30));
		await().until(() -> this.store.kept.size() == 480);
		for (int i = 0; i < 500; i += 25) {
			this.store.free("k" + i);
		}
		stop.join();
		assertThat(this.store.kept).hasSize(500);
	}

	@Test
	void atAStopPlacesAreLeftWhileItIsWaitedFor() {
		LockTemplate other = client();
		other.acquire(LockRequest.of("others"));
		CompletableFuture<LockHandle> waiting = this.template.acquireAsync(LockRequest.of("others"));
		await().until(() -> this.store.count("acquire others") > 2);
		acquire(2, "k");
		this.store.block("k0");
		CompletableFuture<Void> stop = stopWithin(Duration.ofSeconds(30));
		await().until(() -> this.store.left.contains("others"));
		assertThat(stop).isNotDone();
		assertThat(waiting).failsWithin(Duration.ofMinutes(1));
		this.store.free("k0");
		stop.join();
		other.stop(Duration.ofSeconds(1));
	}

	@Test
	void aStopReportsOnlyTheLockThatStaysBlockedUntilTheEnd() {
		acquire(40, "k");
		this.store.block("k7");
		CompletableFuture<Void> stop = stopWithin(Duration.ofSeconds(60));
		await().until(() -> this.store.kept.size() == 39);
		this.store.giveUp("k7");
		stop.join();
		await().until(() -> !this.failed.isEmpty());
		assertThat(this.failed).containsExactly("k7");
	}

	@Test
	void whenNothingIsBlockedThenStopSendsWholeRequestsAlone() {
		LockTemplate patient = new LockTemplate(this.store, options(), new ClientRuntime() {

			@Override
			boolean tryAcquire(Semaphore permits, int all, long nanos) throws InterruptedException {
				// However long the machine takes for an answer
				return super.tryAcquire(permits, all, TimeUnit.MINUTES.toNanos(1));
			}

		});
		IntStream.range(0, 3000).forEach((i) -> patient.acquire(LockRequest.of("k" + i)));
		patient.stop(Duration.ofSeconds(60));
		assertThat(this.store.kept).hasSize(3000);
		assertThat(this.store.count("expire")).isEqualTo(24);
	}

	@ParameterizedTest
	@CsvSource({ "300, UNKNOWN", "700, UNKNOWN", "700, NOT_EXECUTED" })
	void whenServerIsSlowThenStopLeavesOnlyTheBlockedOne(int millis, Outcome outcome) {
		BlockingStore slow = new BlockingStore() {

			@Override
			public int expireAll(Map<LeaseId, Duration> leases, Duration timeout) {
				if (timeout.toMillis() < millis) {
					throw new LockStoreException("k", outcome, "slow by script", null);
				}
				return super.expireAll(leases, timeout);
			}

		};
		LockTemplate client = new LockTemplate(slow, options());
		IntStream.range(0, 100).forEach((i) -> client.acquire(LockRequest.of("k" + i)));
		slow.block("k0");
		CompletableFuture<Void> stop = CompletableFuture.runAsync(() -> client.stop(Duration.ofSeconds(30)));
		within(() -> slow.kept.size() == 99);
		slow.free("k0");
		stop.join();
		assertThat(slow.kept).hasSize(100);
	}

	@Test
	void ofManyIdleLeasesItAloneStaysTaken() {
		this.store.patience = DividedEnding.PATIENCE;
		leaveIdle(40);
		this.store.block("k0");
		this.clock.step(Duration.ofMinutes(2));
		await().until(() -> this.store.holders() == 1);
		this.store.free("k0");
		await().until(() -> this.store.holders() == 0);
	}

	@Test
	void aCleanUpDoesNotWaitBehindBlockedDocuments() {
		// All but a first try never ends
		this.store.patience = DividedEnding.PATIENCE;
		LockTemplate client = new LockTemplate(this.store, options(), new ClientRuntime());
		passToNobody(client, 40);
		// Two tries of each have ended, and all of the third wait for a thread, or keep
		// one
		within(() -> this.store.hung.size() == 80 && client.threads().timers() == 0);
		this.store.nextFails("release", Outcome.NOT_EXECUTED, false);
		client.acquire(LockRequest.of("free")).close();
		within(() -> this.store.holder("free").isEmpty());
		within(() -> this.store.waiting.get() == ClientThreads.MAX_SUSPECTS);
		IntStream.range(0, 40).forEach((i) -> this.store.free("k" + i));
		within(() -> this.store.holders() == 0);
		client.stop(Duration.ofSeconds(1));
	}

	@Test
	void norBehindHandOversToSomebodyWhoHasGoneAndHandlesThatNobodyClosed() {
		this.store.patience = DividedEnding.PATIENCE;
		LockTemplate client = new LockTemplate(this.store, options(), new ClientRuntime());
		LeaseHandle free = client.claim(LockRequest.of("free"));
		passToNobody(client, 20);
		leak(client, 20);
		client.holds().declined(free.heldLock());
		within(() -> this.store.holder("free").isEmpty());
		IntStream.range(0, 20).forEach((i) -> {
			this.store.free("k" + i);
			this.store.free("leaked" + i);
		});
		within(() -> this.store.holders() == 0);
		client.stop(Duration.ofSeconds(1));
	}

	@Test
	void claimsLeaveThreadsToOthersHoweverManyAreBlocked() {
		this.store.patience = DividedEnding.TIMEOUT;
		List<CompletableFuture<LockHandle>> blocked = IntStream.range(0, 100).mapToObj((i) -> {
			this.store.block("k" + i);
			LockRequest request = LockRequest.builder("k" + i)
				.waitTimeout((i % 2 == 0) ? Duration.ZERO : Duration.ofMinutes(1))
				.build();
			return this.template.acquireAsync(request);
		}).toList();
		CompletableFuture<LockHandle> free = this.template.acquireAsync(LockRequest.of("free"));
		within(free::isDone);
		free.join().close();
		blocked.forEach((claim) -> claim.thenAccept(LockHandle::close));
		IntStream.range(0, 100).forEach((i) -> this.store.free("k" + i));
		within(() -> blocked.stream().allMatch(CompletableFuture::isDone) && this.store.holders() == 0);
	}

	@Test
	void otherQueuesAreLeft() {
		this.store.patience = DividedEnding.PATIENCE;
		LockTemplate other = client();
		List<String> keys = List.of("blocked", "a", "b");
		keys.forEach((key) -> other.acquire(LockRequest.of(key)));
		List<CompletableFuture<LockHandle>> waiting = keys.stream()
			.map((key) -> this.template.acquireAsync(LockRequest.of(key)))
			.toList();
		keys.forEach((key) -> await().until(() -> this.store.count("acquire " + key) > 2));
		this.store.block("blocked");
		waiting.get(0).cancel(false);
		waiting.get(1).cancel(false);
		await().until(() -> this.store.left.contains("a"));
		waiting.get(2).cancel(false);
		await().until(() -> this.store.left.contains("b"));
		assertThat(this.store.left).doesNotContain("blocked");
		this.store.free("blocked");
		other.stop(Duration.ofSeconds(1));
	}

	private void passToNobody(LockTemplate client, int count) {
		blocked(client, "k", count).forEach(client.holds()::declined);
	}

	private void leak(LockTemplate client, int count) {
		blocked(client, "leaked", count)
			.forEach((leaked) -> client.threads().cleanUpAfter(0, () -> client.holds().leaked(leaked)));
	}

	private List<HeldLock> blocked(LockTemplate client, String prefix, int count) {
		List<HeldLock> held = IntStream.range(0, count)
			.mapToObj(
					(i) -> client.claim(LockRequest.builder(prefix + i).ttl(Duration.ofMinutes(10)).build()).heldLock())
			.toList();
		held.forEach((heldLock) -> this.store.block(heldLock.key()));
		return held;
	}

	// What takes seconds takes longer on a busy machine
	private static void within(Callable<Boolean> condition) {
		await().atMost(Duration.ofSeconds(40)).until(condition);
	}

	private static boolean isWaiting(Thread stop) {
		return Stream.of(stop.getStackTrace())
			.anyMatch((frame) -> frame.getClassName().equals(StopRequests.class.getName())
					&& frame.getMethodName().equals("awaitAll"));
	}

	private void leaveIdle(int count) {
		for (int i = 0; i < count; i++) {
			LockRequest request = LockRequest.builder("k" + i)
				.ttl(Duration.ofMinutes(10))
				.linger(Duration.ofMinutes(2))
				.build();
			this.template.execute(request, LockHandle::fence);
			this.template.execute(request, LockHandle::fence);
		}
		assertThat(this.template.idle().size()).isEqualTo(count);
	}

	private LockTemplate client() {
		return new LockTemplate(this.store, options());
	}

	private ClientOptions options() {
		return new ClientOptions(ConfiguredSettings.NONE, new LockOwner("app", "1", "host", 42, ""), this.clock,
				List.of(new LockListener() {

					@Override
					public void onReleaseFailed(LockHandle handle, Throwable failure) {
						BlockedDocumentTests.this.failed.add(handle.key());
					}

				}));
	}

	private void acquire(int count, String prefix) {
		for (int i = 0; i < count; i++) {
			LockHandle handle = this.template.acquire(LockRequest.of(prefix + i));
			assertThat(handle.isHeld()).isTrue();
		}
	}

	private CompletableFuture<Void> stopWithin(Duration budget) {
		return CompletableFuture.runAsync(() -> this.template.stop(budget));
	}

}
