package io.mongolock.client;

import java.util.concurrent.Semaphore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ClientRuntime}.
 */
class ClientRuntimeTests {

	private final Semaphore permits = new Semaphore(2);

	@AfterEach
	void forgetInterrupt() {
		Thread.interrupted();
	}

	@Test
	void anInterruptMeanwhileEndsTheWaitAndOutlivesIt() {
		ClientRuntime interrupted = new ClientRuntime() {

			@Override
			boolean tryAcquire(Semaphore permits, int all, long nanos) throws InterruptedException {
				Thread.currentThread().interrupt();
				return super.tryAcquire(permits, all, nanos);
			}

		};
		assertThat(interrupted.await(this.permits, 2, 0)).isFalse();
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		interrupted.awaitUnused(this.permits, 2, 0);
		assertThat(this.permits.availablePermits()).isEqualTo(2);
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
	}

	@Test
	void aWaitUntilNoPermitIsTakenTakesNone() {
		new ClientRuntime().awaitUnused(this.permits, 2, 0);
		assertThat(this.permits.availablePermits()).isEqualTo(2);
	}

}
