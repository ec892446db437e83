package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import com.mongodb.client.MongoClients;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockSettings;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.WorkerProcesses;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.faults.harness.worker.WorkerJvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Rows 90 and 91: processes that are killed or suspended while they keep an idle lease.
 */
@Tag("process")
@Timeout(180)
class IdleHolderRowsTests {

	/** Half of what is relied on of it is 4.8 s, when an idle lease is released. */
	private static final Duration TTL = Duration.ofSeconds(12);

	@AutoClose
	private final WorkerProcesses processes = WorkerProcesses.onReplicaSet();

	private final WorkerJvm<HarnessClient> keeper = keeper(this.processes.connectionString());

	@AutoClose
	private final HarnessClient other = client(this.processes.connectionString(), Harness.LONG);

	@Test
	@ShowsRow(value = 90, level = Level.SERVER)
	void anIdleLeaseOfAKilledProcessIsTakenOverWhenItHasRunOut(RowFigures figures) {
		long fence = suspendWithIdleLease();
		long left = this.processes.remaining(Harness.KEY).toNanos();
		this.processes.kill(this.keeper);
		long dead = System.nanoTime();
		try (LockHandle granted = this.other.acquire()) {
			assertThat(granted.fence()).isGreaterThan(fence);
			figures.server(this.processes.label())
				.add("lease left", Harness.millis(left))
				.add("granted after", Harness.millis(System.nanoTime() - dead));
		}
	}

	@Test
	@ShowsRow(value = 91, level = Level.SERVER)
	void aProcessThatStoodStillDoesNotTakeTheLeaseThatItKept(RowFigures figures) {
		long fence = suspendWithIdleLease();
		long suspended = System.nanoTime();
		try (LockHandle granted = this.other.acquire()) {
			figures.server(this.processes.label()).add("granted after", Harness.millis(System.nanoTime() - suspended));
			assertThat(granted.fence()).isGreaterThan(fence);
			// They are the first that it does when it runs again, before it can look
			List<CompletableFuture<Boolean>> claims = List.of(claim(), claim(), claim());
			this.keeper.process().resume();
			assertThat(claims).allSatisfy((claim) -> assertThat(claim).succeedsWithin(Harness.LONG).isEqualTo(false));
			assertThat(granted.isHeld()).isTrue();
			fence = granted.fence();
		}
		long next = this.keeper.ask(IdleHolderRowsTests::fence);
		assertThat(next).isGreaterThan(fence);
		int losses = this.keeper.ask((client) -> client.heard().losses().size());
		assertThat(losses).as("nobody held it").isZero();
	}

	private CompletableFuture<Boolean> claim() {
		return this.keeper.send((client) -> client.tryAcquire().isPresent());
	}

	// On a busy machine it may have been released before
	private long suspendWithIdleLease() {
		this.keeper.awaitReady();
		while (true) {
			long fence = this.keeper.ask(IdleHolderRowsTests::rest);
			this.keeper.process().suspend();
			if (!this.processes.remaining(Harness.KEY).isZero()) {
				return fence;
			}
			this.keeper.process().resume();
		}
	}

	// The first use of a key is released at once
	private static long rest(HarnessClient client) {
		AtomicLong fence = new AtomicLong();
		await().atMost(Harness.LONG).until(() -> {
			fence.set(fence(client));
			return !client.locks().idle().isEmpty();
		});
		return fence.get();
	}

	private static long fence(HarnessClient client) {
		try (LockHandle handle = client.acquire()) {
			return handle.fence();
		}
	}

	private WorkerJvm<HarnessClient> keeper(String connectionString) {
		return this.processes
			.start((histories) -> new WorkerJvm<>(List.of("-Xmx128m"), () -> client(connectionString, TTL)));
	}

	private static HarnessClient client(String connectionString, Duration ttl) {
		LockSettings settings = LockSettings.builder().ttl(ttl).waitTimeout(Harness.LONG).linger(TTL).build();
		return HarnessClient.of(MongoClients.create(connectionString), settings, LockClock.system()).warm();
	}

}
