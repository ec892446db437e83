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
import io.mongolock.event.RenewalEvents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link ClientLifecycle}.
 */
class ClientLifecycleTests {

	private final ScriptedStore store = new ScriptedStore();

	private final RenewalEvents events = new LockEvents(List.of(), LockClock.system(), new ClientRuntime()::daemons)
		.ofRenewals();

	private final ClientLifecycle lifecycle = new ClientLifecycle(new ClientRuntime(),
			(threads) -> new ClientLoop(this.store, LockClock.system(), threads.renewals(), this.events,
					List.of(new PlaceDuty(this.store, LockClock.system(),
							new QueuePlaces(Duration.ofSeconds(6), QueuePlaces.MAX_PLACES, (bound) -> 0), () -> threads,
							new StopRequests(new ClientRuntime()))),
					new ReleaseRequests(this.store, this.events), new ClientRuntime()));

	@Test
	void asManyRequestsMayBeUnderwayAsThereAreVirtualThreads() {
		this.lifecycle.start();
		IntStream.range(0, 100_000).forEach((i) -> assertThat(this.lifecycle.beginClaim()).isTrue());
		assertThat(this.lifecycle.beginRequest()).isTrue();
		IntStream.rangeClosed(0, 100_000).forEach((i) -> this.lifecycle.endRequest());
		this.lifecycle.stop();
		this.lifecycle.awaitRequests(Duration.ofMinutes(1));
		this.lifecycle.close();
		assertThat(this.lifecycle.beginRequest()).isFalse();
	}

	@Test
	void aStopThatWaitsForAClaimKeepsNobodyFromAReleaseMeanwhile() {
		this.lifecycle.start();
		assertThat(this.lifecycle.beginClaim()).isTrue();
		Thread stop = new Thread(() -> {
			this.lifecycle.stop();
			this.lifecycle.awaitRequests(Duration.ofMinutes(1));
		});
		stop.start();
		await().until(() -> stop.getState() == Thread.State.TIMED_WAITING);
		assertThat(this.lifecycle.beginClaim()).isFalse();
		assertThat(CompletableFuture.supplyAsync(this.lifecycle::beginRequest)).succeedsWithin(Duration.ofSeconds(30))
			.isEqualTo(true);
		this.lifecycle.endRequest();
		assertThat(stop.isAlive()).isTrue();
		this.lifecycle.endRequest();
		await().until(() -> !stop.isAlive());
		this.lifecycle.close();
	}

	@Test
	void aStartDuringAStopLeavesNoWatch() {
		Set<Thread> before = watches();
		this.lifecycle.start();
		this.lifecycle.stop();
		this.lifecycle.start();
		this.lifecycle.close();
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
