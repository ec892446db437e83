package io.mongolock.client;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.core.ConfiguredSettings;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What 10,000 asynchronous claims cost that wait in one JVM.
 */
class AsyncWaitersTests {

	private static final int WAITERS = 10_000;

	private static final int MAX_BYTES = 1024;

	private static final LockRequest PATIENT = LockRequest.builder("k").waitTimeout(Duration.ofHours(1)).build();

	private final ScriptedStore store = new ScriptedStore();

	private final LockTemplate template = new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
			new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of()));

	@AfterEach
	void stop() {
		this.template.stop(Duration.ofSeconds(1));
	}

	@Test
	void eachTakesAKilobyteAtMostAndNoThread() {
		LockHandle held = this.template.acquire(PATIENT);
		List<CompletableFuture<LockHandle>> waiters = new ArrayList<>(WAITERS);
		waiters.add(this.template.acquireAsync(PATIENT));
		int threads = Thread.activeCount();
		long before = usedHeap();
		IntStream.range(1, WAITERS).forEach((i) -> waiters.add(this.template.acquireAsync(PATIENT)));
		long each = Long.MAX_VALUE;
		// the least of several readings: what is seen beside the waiters is garbage
		for (int i = 0; i < 5 && each > MAX_BYTES; i++) {
			each = Math.min(each, (usedHeap() - before) / WAITERS);
		}
		System.out.println("A waiting asynchronous claim takes " + each + " bytes");
		assertThat(this.template.waiting()).isEqualTo(WAITERS);
		assertThat(Thread.activeCount()).as("threads").isLessThan(threads + WAITERS / 20);
		assertThat(each).as("bytes for each").isLessThanOrEqualTo(MAX_BYTES);
		waiters.forEach((waiter) -> waiter.cancel(false));
		assertThat(this.template.waiting()).isZero();
		assertThat(this.template.threads().timers()).isZero();
		assertThat(held.isHeld()).isTrue();
	}

	private static long usedHeap() {
		System.gc();
		return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
	}

}
