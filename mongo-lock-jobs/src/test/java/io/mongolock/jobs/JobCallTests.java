package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mockito.BDDMockito;
import org.mockito.Mockito;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LossReason;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link JobCall}.
 */
@Timeout(60)
class JobCallTests {

	private static final JobRun RUN = JobRun.begun("job", Instant.EPOCH, 1, 7, Instant.EPOCH, "one");

	private final LockHandle lock = Mockito.mock();

	private final CompletableFuture<String> result = new CompletableFuture<>();

	@Test
	void aResultIsCancelledOnceItsLockIsLost() {
		BDDMockito.given(this.lock.remaining()).willReturn(Duration.ofMillis(1), Duration.ZERO);
		BDDMockito.willDoNothing()
			.willThrow(new LockLostException("job:job", 7, LossReason.DEADLINE, "stood still"))
			.given(this.lock)
			.assertHeld();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this::run);
		assertThat(this.result).isCancelled();
	}

	@Test
	void aResultIsCancelledWhereItsThreadIsInterrupted() {
		BDDMockito.given(this.lock.remaining()).willReturn(Duration.ofDays(1));
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(this::run);
		assertThat(this.result).isCancelled();
	}

	@SuppressWarnings("try") // leaving is what the scope is for
	private void run() throws Throwable {
		try (LockContext.Scope scope = LockContext.enter(this.lock)) {
			new JobCall(Objects.requireNonNull(JobCallTests.class.getDeclaredMethod("work", JobRun.class)), this)
				.run(RUN);
		}
	}

	CompletableFuture<String> work(JobRun run) {
		assertThat(run).isSameAs(RUN);
		return this.result;
	}

}
