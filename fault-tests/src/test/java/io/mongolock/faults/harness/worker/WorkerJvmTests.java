package io.mongolock.faults.harness.worker;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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

	private WorkerJvm worker;

	@BeforeEach
	void start() {
		this.worker = WorkerJvm.start(EchoWorker.class).awaitReady();
	}

	@AfterEach
	void stop() {
		this.worker.close();
	}

	@Test
	void aWorkerAnswersWithWhateverTextItWasGiven() {
		assertThat(this.worker.ask("echo", "a\tb", "c\nd", "", "ä😀%")).isEqualTo("a\tb,c\nd,,ä😀%");
	}

	@Test
	void requestsDoNotWaitForEachOther() {
		CompletableFuture<String> waiting = this.worker.send("wait");
		assertThat(this.worker.ask("echo", "first")).isEqualTo("first");
		assertThat(waiting).isNotDone();
		this.worker.ask("open");
		assertThat(waiting.join()).isEqualTo("waited");
	}

	@Test
	void aFailureIsToldWithItsType() {
		assertThatExceptionOfType(WorkerFailedException.class).isThrownBy(() -> this.worker.ask("throw"))
			.withMessageContaining("on purpose")
			.returns(IllegalStateException.class.getName(), WorkerFailedException::getType);
		assertThatExceptionOfType(WorkerFailedException.class).isThrownBy(() -> this.worker.ask("dance"))
			.withMessageContaining("No command 'dance', only [");
	}

	@Test
	void otherOutputIsKept() {
		await().until(() -> this.worker.output().contains("some log line"));
	}

	@Test
	void aSuspendedWorkerAnswersOnceResumed() {
		this.worker.suspend();
		CompletableFuture<String> answer = this.worker.send("echo", "hello");
		assertThatIllegalStateException().isThrownBy(() -> this.worker.ask(Duration.ofMillis(50), "echo", "again"))
			.withMessageContaining("No answer to 'echo' within 50ms");
		assertThat(answer).isNotDone();
		this.worker.resume();
		assertThat(answer.join()).isEqualTo("hello");
	}

	@Test
	void aKilledWorkerIsGoneAndItsRequestsFail() {
		CompletableFuture<String> waiting = this.worker.send("wait");
		this.worker.suspend();
		this.worker.kill();
		assertThat(this.worker.isAlive()).isFalse();
		assertThat(this.worker.awaitExit(LONG)).isEqualTo(128 + 9);
		assertThat(waiting).failsWithin(LONG);
		assertThatExceptionOfType(WorkerFailedException.class).isThrownBy(() -> this.worker.ask("echo"))
			.withMessageContaining("ended with 137");
		assertThatIllegalStateException().isThrownBy(this.worker::suspend).withMessageContaining("STOP");
	}

	@Test
	void aTerminatedWorkerEnds() {
		this.worker.terminate();
		assertThat(this.worker.awaitExit(LONG)).isEqualTo(128 + 15);
	}

	@Test
	void waitingForAnEndThatDoesNotComeSaysSo() {
		assertThatIllegalStateException().isThrownBy(() -> this.worker.awaitExit(Duration.ofMillis(10)))
			.withMessageContaining("Not ended within 10ms")
			.withMessageContaining("running");
	}

	@Test
	void aWorkerThatDoesNotStartSaysWhy() {
		try (WorkerJvm broken = WorkerJvm.start(EchoWorker.class, "fail")) {
			assertThatExceptionOfType(WorkerFailedException.class).isThrownBy(broken::awaitReady)
				.withMessageContaining("has ended");
			assertThat(broken.awaitExit(LONG)).isEqualTo(3);
			await().until(() -> broken.output().contains("cannot start"));
		}
	}

}
