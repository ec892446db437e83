package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.mongolock.LockClock;
import io.mongolock.core.QueuePlaces;
import io.mongolock.event.LockEvents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link ClientLifecycle}.
 */
class ClientLifecycleTests {

	private final ScriptedStore store = new ScriptedStore();

	private final LockEvents events = new LockEvents(List.of(), LockClock.system(), new ClientRuntime()::daemons);

	private final ClientLifecycle phase = new ClientLifecycle(new ClientRuntime(),
			(threads) -> new ClientLoop(this.store, LockClock.system(), threads.renewals(), this.events,
					List.of(new QueueMaintenance(this.store, LockClock.system(),
							new QueuePlaces(Duration.ofSeconds(6), QueuePlaces.MAX_PLACES, (bound) -> 0), () -> threads,
							new StopRequests(new ClientRuntime()))),
					new ReleaseRequestPoller(this.store, this.events), new ClientRuntime()));

	@Test
	void asManyRequestsMayBeUnderwayAsThereAreVirtualThreads() {
		this.phase.start();
		IntStream.range(0, 100_000).forEach((i) -> assertThat(this.phase.beginClaim()).isTrue());
		assertThat(this.phase.beginRequest()).isTrue();
		IntStream.rangeClosed(0, 100_000).forEach((i) -> this.phase.endRequest());
		this.phase.stop();
		this.phase.awaitRequests(Duration.ofMinutes(1));
		this.phase.close();
		assertThat(this.phase.beginRequest()).isFalse();
	}

	@Test
	void aStopThatWaitsForAClaimKeepsNobodyFromAReleaseMeanwhile() {
		this.phase.start();
		assertThat(this.phase.beginClaim()).isTrue();
		Thread stop = new Thread(() -> {
			this.phase.stop();
			this.phase.awaitRequests(Duration.ofMinutes(1));
		});
		stop.start();
		await().until(() -> stop.getState() == Thread.State.TIMED_WAITING);
		assertThat(this.phase.beginClaim()).isFalse();
		assertThat(CompletableFuture.supplyAsync(this.phase::beginRequest)).succeedsWithin(Duration.ofSeconds(30))
			.isEqualTo(true);
		this.phase.endRequest();
		assertThat(stop.isAlive()).isTrue();
		this.phase.endRequest();
		await().until(() -> !stop.isAlive());
		this.phase.close();
	}

	@Test
	void anInterruptEndsTheWaitForRenewalsAndOutlivesIt() {
		CompletableFuture<Void> answered = new CompletableFuture<>();
		this.phase.start();
		this.phase.threads().renewals().execute(answered::join);
		this.phase.stop();
		this.phase.close();
		Thread.currentThread().interrupt();
		this.phase.awaitRenewals(Duration.ofMinutes(1));
		answered.complete(null);
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void aStartDuringAStopLeavesNoWatch() {
		Set<Thread> before = watches();
		this.phase.start();
		this.phase.stop();
		this.phase.start();
		this.phase.close();
		await().until(() -> before.containsAll(watches()));
	}

	private static Set<Thread> watches() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals("mongo-lock-watch"))
			.collect(Collectors.toSet());
	}

}
