package io.mongolock.faults.harness.worker;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.faults.harness.worker.WorkerJvm.FailedException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link WorkerJvm} and {@link WorkerLoop}.
 */
@Tag("process")
@Timeout(120)
class WorkerJvmTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static WorkerJvm<Echo> worker;

	// Not where the class is initialized, which the worker does, too
	@BeforeAll
	static void start() {
		worker = new WorkerJvm<>(List.of(), Echo::new).awaitReady();
	}

	@AfterAll
	static void stop() {
		worker.close();
	}

	@Test
	void aWorkerAnswersWithWhateverTextItWasGiven() {
		assertThat(echo("a\tb", "c\nd", "", "ä😀%")).isEqualTo("a\tb,c\nd,,ä😀%");
	}

	@Test
	void requestsDoNotWaitForEachOther() {
		CompletableFuture<String> waiting = worker.send(Echo::await);
		assertThat(echo("first")).isEqualTo("first");
		assertThat(waiting).isNotDone();
		worker.ask(Echo::open);
		assertThat(waiting.join()).isEqualTo("waited");
	}

	@Test
	void aFailureIsToldWithItsType() {
		assertThatExceptionOfType(FailedException.class).isThrownBy(() -> worker.ask(Echo::fails))
			.withMessageContaining("on purpose")
			.returns(IllegalStateException.class.getName(), FailedException::getType);
	}

	@Test
	void otherOutputIsKept() {
		await().until(() -> worker.process().output().contains("some log line"));
	}

	@Test
	void aSuspendedWorkerAnswersOnceResumed() {
		worker.process().suspend();
		CompletableFuture<String> answer = worker.send((echo) -> echo.echo("hello"));
		assertThatIllegalStateException()
			.isThrownBy(() -> worker.ask(Duration.ofMillis(50), (echo) -> echo.echo("again")))
			.withMessageContaining("No answer within 50ms");
		assertThat(answer).isNotDone();
		worker.process().resume();
		assertThat(answer.join()).isEqualTo("hello");
	}

	@Test
	void aKilledWorkerIsGoneAndItsRequestsFail() {
		try (WorkerJvm<Echo> killed = new WorkerJvm<>(List.of(), Echo::new).awaitReady()) {
			CompletableFuture<String> waiting = killed.send(Echo::await);
			killed.process().suspend();
			killed.process().kill();
			assertThat(killed.process().isAlive()).isFalse();
			assertThat(killed.process().awaitExit(LONG)).isEqualTo(128 + 9);
			assertThat(waiting).failsWithin(LONG);
			assertThatExceptionOfType(FailedException.class).isThrownBy(() -> killed.ask((echo) -> echo.echo()))
				.withMessageContaining("ended with 137");
			assertThatIllegalStateException().isThrownBy(killed.process()::suspend).withMessageContaining("STOP");
		}
	}

	@Test
	void waitingForAnEndThatDoesNotComeSaysSo() {
		assertThatIllegalStateException().isThrownBy(() -> worker.process().awaitExit(Duration.ofMillis(10)))
			.withMessageContaining("Not ended within 10ms")
			.withMessageContaining("running");
	}

	@Test
	void aWorkerThatDoesNotStartSaysWhy() {
		try (WorkerJvm<Echo> broken = new WorkerJvm<>(List.of(), Echo::fail)) {
			assertThatExceptionOfType(FailedException.class).isThrownBy(broken::awaitReady)
				.withMessageContaining("has ended");
			assertThat(broken.process().awaitExit(LONG)).isEqualTo(3);
			await().until(() -> broken.process().output().contains("cannot start"));
		}
	}

	private String echo(String... texts) {
		return worker.ask((echo) -> echo.echo(texts));
	}

	/**
	 * Does little.
	 */
	private static final class Echo {

		private final CountDownLatch gate = new CountDownLatch(1);

		Echo() {
			System.out.println("some log line");
		}

		static Echo fail() {
			System.err.println("cannot start");
			System.exit(3);
			return new Echo();
		}

		String echo(String... texts) {
			return String.join(",", texts);
		}

		String await() throws InterruptedException {
			this.gate.await();
			return "waited";
		}

		boolean open() {
			this.gate.countDown();
			return true;
		}

		String fails() {
			throw new IllegalStateException("on purpose");
		}

	}

}
