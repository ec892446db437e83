package io.mongolock.faults.harness.worker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.mongolock.LockLostException;
import io.mongolock.LockUnavailableException;
import io.mongolock.faults.harness.history.HistoryChecker;
import io.mongolock.faults.harness.history.HistoryReader;
import io.mongolock.faults.harness.history.HistoryRecord.Counted;
import io.mongolock.faults.harness.history.HistoryRecord.Died;
import io.mongolock.faults.harness.history.HistoryReport;
import io.mongolock.faults.harness.history.HistoryWriter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LockWorkerJvm}, which show that processes, server, history and checker
 * work together.
 */
@Tag("process")
@Timeout(180)
class LockWorkerJvmTests {

	private static EmbeddedServerProcess server;

	private Path history;

	private String database;

	@BeforeAll
	static void startServer() {
		server = EmbeddedServerProcess.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@BeforeEach
	void prepare(@TempDir Path directory, TestInfo test) {
		this.history = directory.resolve("history.txt");
		this.database = test.getTestMethod().orElseThrow().getName().substring(0, 20);
	}

	@Test
	void severalProcessesExcludeEachOtherAndLoseNoUpdate() throws ExecutionException, InterruptedException {
		try (LockWorkerJvm one = start(Duration.ofSeconds(30));
				LockWorkerJvm other = start(Duration.ofSeconds(30));
				MongoClient client = MongoClients.create(server.connectionString())) {
			CompletableFuture<SectionCounts> first = one.awaitReady().run("order:1", 3, 10, 1);
			CompletableFuture<SectionCounts> second = other.awaitReady().run("order:1", 3, 10, 1);
			SectionCounts sum = first.get().plus(second.get());
			assertThat(sum).isEqualTo(new SectionCounts(60, 0, 0, 0));
			try (HistoryWriter writer = new HistoryWriter(this.history)) {
				writer.write(new Counted("order:1", sum.completed(),
						new GuardedCounter(client, this.database).get("order:1")));
			}
		}
		HistoryReport report = check();
		assertThat(report.violations()).as(report::toTable).isEmpty();
		assertThat(report.sections()).isEqualTo(60);
		assertThat(report.timings().granted().count()).isEqualTo(60);
	}

	@Test
	void aKilledHolderIsTakenOver() {
		try (LockWorkerJvm one = start(Duration.ofSeconds(2)); LockWorkerJvm other = start(Duration.ofSeconds(2))) {
			long fence = one.awaitReady().acquire("order:1");
			CompletableFuture<Long> next = other.awaitReady().acquireAsync("order:1");
			one.jvm().kill();
			try (HistoryWriter writer = new HistoryWriter(this.history)) {
				writer.write(new Died(String.valueOf(one.jvm().pid()), System.nanoTime()));
			}
			assertThat(next).succeedsWithin(20, TimeUnit.SECONDS)
				.asInstanceOf(InstanceOfAssertFactories.LONG)
				.isGreaterThan(fence);
			other.release("order:1");
		}
		HistoryReport report = check();
		assertThat(report.violations()).as(report::toTable).isEmpty();
		assertThat(report.timings().takenOver().count()).isOne();
	}

	@Test
	void aHolderSuspendedForTooLongLearnsThatItLost() {
		try (LockWorkerJvm one = start(Duration.ofSeconds(2)); LockWorkerJvm other = start(Duration.ofSeconds(2))) {
			one.awaitReady().acquire("order:1");
			assertThat(one.status("order:1")).isEqualTo(LockStatus.HELD);
			other.awaitReady();
			one.jvm().suspend();
			other.acquire("order:1");
			one.jvm().resume();
			assertThat(one.status("order:1")).isEqualTo(LockStatus.LOST);
			assertThatExceptionOfType(WorkerFailedException.class).isThrownBy(() -> one.release("order:1"))
				.returns(LockLostException.class.getName(), WorkerFailedException::getType);
			assertThat(other.status("order:1")).isEqualTo(LockStatus.HELD);
			other.release("order:1");
			assertThat(other.status("order:1")).isEqualTo(LockStatus.NONE);
			await().until(() -> check().losses() == 1);
		}
		assertThat(check().overlapNanos(false)).isPositive();
	}

	@Test
	void aTerminatedHolderGivesItsLockBack() {
		try (LockWorkerJvm one = start(Duration.ofSeconds(60)); LockWorkerJvm other = start(Duration.ofSeconds(60))) {
			one.awaitReady().acquire("order:1");
			other.awaitReady();
			one.jvm().terminate();
			assertThat(one.jvm().awaitExit(Duration.ofSeconds(30))).isEqualTo(143);
			other.acquire("order:1");
		}
	}

	@Test
	void aClaimThatIsDeniedSaysSo() {
		LockWorkerSettings impatient = new LockWorkerSettings(server.connectionString(), this.database,
				Duration.ofSeconds(30), Duration.ZERO, this.history.toString());
		try (LockWorkerJvm one = start(Duration.ofSeconds(30)); LockWorkerJvm other = LockWorkerJvm.start(impatient)) {
			one.awaitReady().acquire("order:1");
			assertThatExceptionOfType(WorkerFailedException.class)
				.isThrownBy(() -> other.awaitReady().acquire("order:1"))
				.returns(LockUnavailableException.class.getName(), WorkerFailedException::getType);
			assertThat(other.run("order:1", 1, 2, 0)).succeedsWithin(Duration.ofSeconds(30))
				.isEqualTo(new SectionCounts(0, 0, 2, 0));
			assertThat(check().timings().denied().count()).isEqualTo(3);
		}
	}

	private LockWorkerJvm start(Duration ttl) {
		return LockWorkerJvm.start(new LockWorkerSettings(server.connectionString(), this.database, ttl,
				Duration.ofSeconds(25), this.history.toString()));
	}

	private HistoryReport check() {
		return new HistoryChecker().check(HistoryReader.read(List.of(this.history)));
	}

}
