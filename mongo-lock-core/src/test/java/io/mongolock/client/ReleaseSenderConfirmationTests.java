package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.store.LeaseId;
import io.mongolock.store.ReleaseAnswer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the confirmation of releases by {@link ReleaseSender}.
 */
@Timeout(60)
class ReleaseSenderConfirmationTests {

	private final ScriptedStore store = new ScriptedStore() {

		@Override
		public ReleaseAnswer release(LeaseId lease, Duration timeout) {
			return new ReleaseAnswer(super.release(lease, timeout).ended(), lease.key().startsWith("awaited"));
		}

	};

	private final LockTemplate template = template(new ClientRuntime());

	@AfterEach
	void stop() {
		this.template.stop(Duration.ofSeconds(1));
	}

	@Test
	void aReleaseThatOthersWaitForIsConfirmedInTheBackground() {
		CountDownLatch closed = new CountDownLatch(1);
		this.store.next("confirm", (request) -> await().until(() -> closed.getCount() == 0));
		acquireAndRelease("awaited");
		closed.countDown();
		await().until(() -> this.store.count("confirm releases on mongo-lock-confirm-") == 1);
	}

	@Test
	void noOtherRelease() {
		acquireAndRelease("nobody waits");
		this.template.stop(Duration.ofSeconds(1));
		assertThat(this.store.count("release")).isOne();
		assertThat(this.store.count("confirm")).isZero();
	}

	@Test
	void aReleaseWhoseAnswerWasLostIsConfirmedByTheOneThatFindsNothing() {
		this.store.nextFails("release", Outcome.UNKNOWN, true);
		acquireAndRelease("awaited");
		await().until(() -> this.store.count("confirm") == 1);
		assertThat(this.store.count("release")).isEqualTo(2);
	}

	@Test
	void aReleaseThatOthersWaitForNeedsNoThread() {
		AtomicBoolean exhausted = new AtomicBoolean();
		LockTemplate starved = template(new ClientRuntime() {

			@Override
			ThreadFactory daemons(String name) {
				ThreadFactory threads = super.daemons(name);
				return (task) -> {
					if (exhausted.get()) {
						throw new OutOfMemoryError("unable to create native thread, says the test");
					}
					return threads.newThread(task);
				};
			}

		});
		LockHandle first = starved.acquire(LockRequest.of("awaited"));
		exhausted.set(true);
		assertThatCode(first::close).doesNotThrowAnyException();
		assertThat(this.store.holders()).isZero();
		exhausted.set(false);
		starved.acquire(LockRequest.of("awaited")).close();
		await().until(() -> this.store.count("confirm") == 1);
		starved.stop(Duration.ofSeconds(1));
	}

	@Test
	void aStopDoesNotWaitForIt() {
		CountDownLatch underway = new CountDownLatch(1);
		CountDownLatch stopped = new CountDownLatch(1);
		AtomicBoolean ended = new AtomicBoolean();
		this.store.next("confirm", (request) -> {
			underway.countDown();
			try {
				await().until(() -> stopped.getCount() == 0);
			}
			finally {
				ended.set(true);
			}
		});
		acquireAndRelease("awaited");
		await().until(() -> underway.getCount() == 0);
		this.template.stop(Duration.ofSeconds(20));
		assertThat(ended).isFalse();
		stopped.countDown();
	}

	@Test
	void oneMoreRequestCoversAllReleasesDuringTheOneThatIsUnderway() {
		CountDownLatch underway = new CountDownLatch(1);
		CountDownLatch released = new CountDownLatch(1);
		this.store.next("confirm", (request) -> {
			underway.countDown();
			await().until(() -> released.getCount() == 0);
		});
		acquireAndRelease("awaited");
		await().until(() -> underway.getCount() == 0);
		for (int i = 0; i < 20; i++) {
			acquireAndRelease("awaited" + i);
		}
		assertThat(this.store.count("confirm")).isOne();
		released.countDown();
		await().until(() -> this.store.count("confirm") == 2);
		this.template.stop(Duration.ofSeconds(10));
		assertThat(this.store.count("confirm")).isEqualTo(2);
	}

	@Test
	void aRequestThatFailsFailsNobodyAndTheNextReleaseIsConfirmed() {
		this.store.nextFails("confirm", Outcome.UNKNOWN, false);
		acquireAndRelease("awaited");
		await().until(() -> this.store.count("confirm") == 1);
		acquireAndRelease("awaited");
		await().until(() -> this.store.count("confirm") == 2);
	}

	@Test
	void afterARestartReleasesAreConfirmedAgain() {
		CountDownLatch stopped = new CountDownLatch(1);
		this.store.next("confirm", (request) -> await().until(() -> stopped.getCount() == 0));
		acquireAndRelease("awaited");
		await().until(() -> this.store.count("confirm") == 1);
		acquireAndRelease("awaited");
		this.template.stop(Duration.ofMillis(1));
		stopped.countDown();
		await().until(() -> Thread.getAllStackTraces()
			.keySet()
			.stream()
			.noneMatch((thread) -> thread.getName().startsWith("mongo-lock-confirm")));
		assertThat(this.store.count("confirm")).as("none began after the stop").isOne();
		this.template.start();
		acquireAndRelease("awaited");
		await().until(() -> this.store.count("confirm") == 2);
	}

	private void acquireAndRelease(String key) {
		this.template.acquire(LockRequest.of(key)).close();
	}

	private LockTemplate template(ClientRuntime runtime) {
		return new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of()), runtime);
	}

}
