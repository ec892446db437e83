package io.mongolock.faults.rows;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.model.Filters;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.client.LockTemplate;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.WorkerProcesses;
import io.mongolock.faults.harness.history.HistoryReport;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.faults.harness.worker.LockWorkerJvm;
import io.mongolock.faults.harness.worker.SectionCounts;
import io.mongolock.test.embedded.UpsertRace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rows 1 to 3, 43 and 58: many at a time.
 */
@Tag("process")
@Timeout(300)
@Isolated
class LoadRowsTests {

	private static final int KEYS = 10_000;

	private static final int HELD = 500;

	private static final int LINE = 60;

	/** Of which 24 s are relied on. */
	private static final LockSettings SETTINGS_OF_MANY = HarnessClient.settings(Duration.ofSeconds(30),
			Duration.ofSeconds(2), Harness.LONG);

	private static final Duration PATIENCE = Duration.ofSeconds(110);

	@AutoClose("shutdownNow")
	private final ExecutorService threads = Executors.newCachedThreadPool();

	@Test
	@ShowsRow(value = 1, level = Level.SERVER)
	void manyThreadsOfSeveralProcessesExcludeEachOther(RowFigures figures) {
		try (WorkerProcesses processes = new WorkerProcesses()) {
			List<LockWorkerJvm> workers = processes.start(8, Harness.LONG);
			long start = System.nanoTime();
			List<CompletableFuture<SectionCounts>> runs = workers.stream()
				.map((worker) -> worker.run(Harness.KEY, 50, 1, 1))
				.toList();
			runs.forEach((run) -> assertThat(run).succeedsWithin(PATIENCE)
				.as("nobody starves")
				.isEqualTo(new SectionCounts(50, 0, 0, 0)));
			double seconds = (System.nanoTime() - start) / 1e9;
			processes.count(Harness.KEY, 400);
			HistoryReport report = processes.assertClean();
			assertThat(report.sections()).isEqualTo(400);
			assertThat(report.granted().count()).isEqualTo(400);
			figures.server(processes.label()).add("load", "8 JVMs x 50 threads");
			figures.add("sections per second", Math.round(400 / seconds));
			figures.add("grant p50", Harness.millis(report.granted().p50()));
			figures.add("p99", Harness.millis(report.granted().p99()));
			figures.add("max", Harness.millis(report.granted().max())).add("overlap", "0 ms");
		}
	}

	@Test
	@ShowsRow(value = 2, level = Level.SERVER)
	void manyHeldLocksAreRenewedWhileOthersComeAndGo(RowFigures figures) {
		try (Harness harness = Harness.onAnyServer()) {
			Set<Thread> ofOthers = threadsOfClients();
			HarnessClient client = harness.direct(SETTINGS_OF_MANY);
			LockTemplate locks = client.locks();
			List<LockHandle> held = new ArrayList<>();
			for (int i = 0; i < HELD; i++) {
				held.add(locks.acquire(LockRequest.of("held:" + i)));
			}
			AtomicInteger next = new AtomicInteger();
			long start = System.nanoTime();
			long least = Long.MAX_VALUE;
			List<CompletableFuture<Void>> users = IntStream.range(0, 16)
				.mapToObj((i) -> CompletableFuture.runAsync(() -> use(locks, next), this.threads))
				.toList();
			// Three renewals of each, and as long as it takes
			while (System.nanoTime() - start < 6_500_000_000L || !users.stream().allMatch(CompletableFuture::isDone)) {
				least = Math.min(least, held.stream().mapToLong((one) -> one.remaining().toMillis()).min().orElse(0));
				LockSupport.parkNanos(20_000_000);
			}
			Set<Thread> threads = threadsOfClients();
			threads.removeAll(ofOthers);
			assertThat(users).allSatisfy((user) -> assertThat(user).isCompleted());
			assertThat(client.heard().losses()).isEmpty();
			assertThat(held).allMatch(LockHandle::isHeld);
			assertThat(threads).as("threads, which do not grow with the locks").hasSizeLessThan(HELD / 4);
			assertThat(harness.store().list(2 * KEYS, Harness.LONG)).as("held").hasSize(HELD);
			assertThat(harness.documents().countDocuments(Filters.regex("_id", "^(held|brief):"))).as("keys")
				.isEqualTo(KEYS);
			held.forEach(LockHandle::close);
			figures.server(harness.label())
				.add("load", KEYS + " keys, " + HELD + " held")
				.add("lost", 0)
				.add("least time left before a renewal", least + " of 24000 ms")
				.add("threads of the client", threads.size())
				.add("heap",
						ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1_000_000 + " MB in all");
		}
	}

	@ParameterizedTest
	@EnumSource(UpsertRace.class)
	@ShowsRow(value = 3, level = Level.SERVER)
	void aStormOnANewKeyGrantsOneAndTroublesNobody(UpsertRace race, RowFigures figures) {
		try (Harness harness = Harness.embedded(race)) {
			HarnessClient client = harness.direct(Harness.LONG);
			List<LockTemplate> clients = IntStream.range(0, 64)
				.mapToObj((i) -> HarnessClient.locks(HarnessClient.store(client.mongo()),
						HarnessClient.settings(Harness.LONG, Duration.ZERO), LockClock.system()))
				.toList();
			for (int key = 0; key < 10; key++) {
				assertThat(storm(clients, "new:" + key)).isOne();
			}
			clients.forEach((one) -> one.stop(Duration.ofSeconds(1)));
			figures.server(harness.label()).add("clients", 64).add("keys", 10).add("grants", 10).add("exceptions", 0);
		}
	}

	@Test
	@ShowsRow(value = 43, level = Level.SERVER)
	void aHerdOfWaitersIsGrantedOneAtATimeWithoutAStorm(RowFigures figures) {
		try (Harness harness = Harness.onAnyServer()) {
			List<HarnessClient> clients = List.of(harness.behindProxy(Harness.LONG, PATIENCE),
					harness.behindProxy(Harness.LONG, PATIENCE));
			LockHandle handle = harness.direct(Harness.LONG).acquire();
			int before = harness.proxy().requests("findAndModify");
			Herd herd = new Herd(harness);
			CompletableFuture<?>[] waiters = IntStream.range(0, 500)
				.mapToObj((i) -> CompletableFuture.runAsync(() -> herd.enter(clients.get(i % 2)), this.threads))
				.toArray(CompletableFuture[]::new);
			herd.awaitChance(6);
			assertThat(herd.entered).as("granted beside the first holder").hasValue(0);
			handle.close();
			assertThat(CompletableFuture.allOf(waiters)).succeedsWithin(PATIENCE);
			int requests = harness.proxy().requests("findAndModify") - before;
			assertThat(herd.entered).hasValue(500);
			assertThat(herd.together).hasValue(1);
			assertThat(requests).as("requests").isLessThan(500 * 4);
			assertThat(harness.holders()).isEmpty();
			figures.server(harness.label()).add("waiters", 500).add("holders at a time", herd.together);
			figures.add("claims and releases per grant", requests / 500.0);
		}
	}

	@Test
	@ShowsRow(value = 58, level = Level.SERVER)
	void aQueueInWhichMostAreFarBackIsServedInTheOrderOfTheirComing(RowFigures figures) {
		try (Harness harness = Harness.onAnyServer(); MongoClient mongo = MongoClients.create(harness.proxied())) {
			List<LockTemplate> clients = Stream
				.generate(() -> HarnessClient.locks(HarnessClient.store(mongo),
						HarnessClient.settings(Harness.LONG, PATIENCE), LockClock.system()))
				.limit(LINE)
				.toList();
			LockHandle handle = harness.direct(Harness.LONG).acquire();
			List<Integer> served = Collections.synchronizedList(new ArrayList<>());
			List<CompletableFuture<Void>> waiting = new ArrayList<>();
			for (int i = 0; i < LINE; i++) {
				int number = i;
				waiting.add(clients.get(i).acquireAsync(LockRequest.of(Harness.KEY)).thenAccept((granted) -> {
					served.add(number);
					granted.close();
				}));
				Awaitility.await().until(() -> harness.stored().orElseThrow().queue().size() == number + 1);
			}
			int streams = harness.proxy().requests("aggregate");
			long start = System.nanoTime();
			handle.close();
			assertThat(waiting).allSatisfy((end) -> assertThat(end).succeedsWithin(PATIENCE));
			long took = System.nanoTime() - start;
			clients.forEach((locks) -> locks.stop(Harness.LONG));
			assertThat(streams).as("streams of those near the head").isLessThanOrEqualTo(33);
			assertThat(served).containsExactlyElementsOf(IntStream.range(0, LINE).boxed().toList());
			figures.server(harness.label()).add("clients", LINE).add("streams", streams).add("out of turn", 0);
			figures.add("per turn", Harness.millis(took / LINE));
		}
	}

	private static void use(LockTemplate locks, AtomicInteger next) {
		for (int key = next.getAndIncrement(); key < KEYS - HELD; key = next.getAndIncrement()) {
			locks.execute(LockRequest.of("brief:" + key), LockHandle::fence);
		}
	}

	private long storm(List<LockTemplate> clients, String key) {
		Phaser start = new Phaser(clients.size());
		List<CompletableFuture<Boolean>> granted = clients.stream()
			.map((client) -> CompletableFuture.supplyAsync(() -> {
				start.arriveAndAwaitAdvance();
				return client.tryAcquire(LockRequest.of(key)).isPresent();
			}, this.threads))
			.toList();
		return granted.stream().filter(CompletableFuture::join).count();
	}

	private static Set<Thread> threadsOfClients() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("mongo-lock") && !thread.getName().contains("embedded"))
			.collect(Collectors.toSet());
	}

	/**
	 * Threads that all want one lock. The first holders stay until others have asked in
	 * vain, so that two who hold it together are seen.
	 */
	private static final class Herd {

		private static final int STAYING = 5;

		private final AtomicInteger entered = new AtomicInteger();

		private final AtomicInteger holders = new AtomicInteger();

		private final AtomicInteger together = new AtomicInteger();

		private final Harness harness;

		private Herd(Harness harness) {
			this.harness = harness;
		}

		private void enter(HarnessClient client) {
			client.locks().execute(LockRequest.of(Harness.KEY), (handle) -> {
				this.together.accumulateAndGet(this.holders.incrementAndGet(), Math::max);
				if (this.entered.getAndIncrement() < STAYING) {
					awaitChance(4);
					assertStored(handle);
				}
				return this.together.accumulateAndGet(this.holders.getAndDecrement(), Math::max);
			});
		}

		// The store has the fence of the grant, and the last that was set aside with it
		private void assertStored(LockHandle handle) {
			assertThat(this.harness.stored()).hasValueSatisfying((lock) -> assertThat(lock.holders()).singleElement()
				.satisfies((holder) -> assertThat(handle.fence()).isBetween(holder.fence(), lock.fence())));
		}

		// Until others have been answered, or were let in
		private void awaitChance(int answers) {
			int before = answers();
			int entered = this.entered.get();
			Awaitility.await()
				.atMost(Harness.LONG)
				.until(() -> this.entered.get() > entered || answers() >= before + answers);
		}

		// Whatever stands in the queue looks, and claims only if its turn may have come
		private int answers() {
			return this.harness.proxy().replies("findAndModify") + this.harness.proxy().replies("find");
		}

	}

}
