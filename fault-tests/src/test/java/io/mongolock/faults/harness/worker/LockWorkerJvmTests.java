package io.mongolock.faults.harness.worker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.mongolock.LockUnavailableException;
import io.mongolock.faults.harness.history.HistoryChecker;
import io.mongolock.faults.harness.history.HistoryReader;
import io.mongolock.faults.harness.history.HistoryReport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockWorkerJvm}: what rows 1, 4 and 5 do not show of it.
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
	void aTerminatedHolderGivesItsLockBack() {
		try (LockWorkerJvm one = start(Duration.ofSeconds(60)); LockWorkerJvm other = start(Duration.ofSeconds(60))) {
			one.awaitReady().acquire("order:1");
			other.awaitReady();
			one.jvm().terminate();
			assertThat(one.jvm().awaitExit(Duration.ofSeconds(60))).isEqualTo(143);
			other.acquire("order:1");
		}
	}

	@Test
	void aClaimThatIsDeniedSaysSo() {
		LockWorkerSettings impatient = new LockWorkerSettings(server.connectionString(), this.database,
				Duration.ofSeconds(60), Duration.ZERO, this.history.toString());
		try (LockWorkerJvm one = start(Duration.ofSeconds(60)); LockWorkerJvm other = LockWorkerJvm.start(impatient)) {
			one.awaitReady().acquire("order:1");
			assertThatExceptionOfType(WorkerFailedException.class)
				.isThrownBy(() -> other.awaitReady().acquire("order:1"))
				.returns(LockUnavailableException.class.getName(), WorkerFailedException::getType);
			assertThat(other.run("order:1", 1, 2, 0)).succeedsWithin(Duration.ofSeconds(60))
				.isEqualTo(new SectionCounts(0, 0, 2, 0));
			assertThat(check().timings().denied().count()).isEqualTo(3);
		}
	}

	private LockWorkerJvm start(Duration ttl) {
		return LockWorkerJvm.start(new LockWorkerSettings(server.connectionString(), this.database, ttl,
				Duration.ofSeconds(90), this.history.toString()));
	}

	private HistoryReport check() {
		return new HistoryChecker().check(HistoryReader.read(List.of(this.history)));
	}

}
