package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import com.mongodb.client.MongoClients;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockSettings;
import io.mongolock.faults.harness.Daemon;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.proxy.FaultProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Rows 86 to 88: what befalls a client that keeps an idle lease, and its recall.
 */
@Timeout(120)
class IdleRowsTests {

	private static final String LABEL = "embedded, mongo-java-server 1.47, as a replica set";

	private static final Duration LINGER = Duration.ofSeconds(8);

	private static final int RECALLS = 20;

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.builder().replicaSet().start();

	@AutoClose
	private final FaultProxy proxy = FaultProxy.to("127.0.0.1", this.server.port());

	@Test
	@ShowsRow(value = 86, level = Level.PROXY)
	void anIdleLeaseOfAClientThatIsCutOffRunsOutAndNobodyTakesItThere(RowFigures figures) {
		try (HarnessClient keeper = client(this.proxy.connectionString(), Duration.ofSeconds(6));
				HarnessClient other = client(this.server.connectionString(), Harness.LONG)) {
			long fence = rest(keeper);
			this.proxy.blackhole();
			long cut = System.nanoTime();
			try (LockHandle granted = other.acquire()) {
				long waited = System.nanoTime() - cut;
				assertThat(granted.fence()).isGreaterThan(fence);
				assertThat(keeper.locks().idle()).as("given up before the store's lease was over").isEmpty();
				figures.server(LABEL).add("granted after", Harness.millis(waited));
			}
			assertThat(keeper.heard().losses()).as("nobody held it").isEmpty();
			this.proxy.heal();
		}
	}

	@Test
	@ShowsRow(value = 87, level = Level.PROXY)
	void aRecallWithoutAStreamWaitsForTheLingerAtMost(RowFigures figures) {
		this.proxy.on("aggregate").dropRequest().always();
		try (HarnessClient keeper = client(this.proxy.connectionString(), Harness.LONG);
				HarnessClient other = client(this.server.connectionString(), Harness.LONG)) {
			long fence = rest(keeper);
			long asked = System.nanoTime();
			CompletableFuture<LockHandle> waiting = other.acquireAsync();
			// The linger began with the grant
			assertThat(waiting).succeedsWithin(LINGER.plus(Harness.LONG.dividedBy(4)));
			figures.server(LABEL).add("granted after", Harness.millis(System.nanoTime() - asked)).add("linger", LINGER);
			assertThat(waiting.join().fence()).isGreaterThan(fence);
			waiting.join().close();
		}
	}

	@Test
	@ShowsRow(value = 88, level = Level.PROXY)
	void aRecallMeetsClaimsThatTakeTheLeaseAndOneAtATimeHoldsIt(RowFigures figures) {
		try (HarnessClient keeper = client(this.proxy.connectionString(), Harness.LONG);
				HarnessClient other = client(this.server.connectionString(), Harness.LONG)) {
			AtomicInteger holding = new AtomicInteger();
			List<Long> fences = Collections.synchronizedList(new ArrayList<>());
			AtomicBoolean over = new AtomicBoolean();
			CompletableFuture<Void> busy = Daemon.run(() -> {
				while (!over.get()) {
					work(keeper, holding, fences);
				}
			});
			long longest = 0;
			for (int i = 0; i < RECALLS; i++) {
				await().atMost(Harness.LONG).pollDelay(Duration.ZERO).until(() -> !keeper.locks().idle().isEmpty());
				long asked = System.nanoTime();
				work(other, holding, fences);
				longest = Math.max(longest, System.nanoTime() - asked);
			}
			over.set(true);
			assertThat(busy).succeedsWithin(Harness.LONG);
			assertThat(fences).as("in the order of the holders").isSorted().doesNotHaveDuplicates();
			figures.server(LABEL)
				.add("recalls", RECALLS)
				.add("longest wait", Harness.millis(longest))
				.add("holders", fences.size());
		}
	}

	private static void work(HarnessClient client, AtomicInteger holding, List<Long> fences) {
		try (LockHandle handle = client.acquire()) {
			assertThat(holding.incrementAndGet()).as("at a time").isOne();
			fences.add(handle.fence());
			holding.decrementAndGet();
		}
	}

	// The first use of a key is released at once, and one that follows so soon that there
	// is no room for a block of fences, too
	private static long rest(HarnessClient client) {
		AtomicLong fence = new AtomicLong();
		await().atMost(Harness.LONG).until(() -> {
			try (LockHandle handle = client.acquire()) {
				fence.set(handle.fence());
			}
			return !client.locks().idle().isEmpty();
		});
		return fence.get();
	}

	private static HarnessClient client(String connectionString, Duration ttl) {
		LockSettings settings = LockSettings.builder().ttl(ttl).waitTimeout(Harness.LONG).linger(LINGER).build();
		return HarnessClient.of(MongoClients.create(connectionString), settings, LockClock.system()).warm();
	}

}
