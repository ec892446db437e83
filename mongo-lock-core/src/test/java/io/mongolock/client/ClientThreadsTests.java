package io.mongolock.client;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ClientThreads}.
 */
class ClientThreadsTests {

	private final AtomicBoolean exhausted = new AtomicBoolean(true);

	private final ClientThreads threads = new ClientThreads(new ClientRuntime() {

		@Override
		ScheduledThreadPoolExecutor timer(String name) {
			ScheduledThreadPoolExecutor timer = super.timer(name);
			ThreadFactory factory = timer.getThreadFactory();
			timer.setThreadFactory((task) -> {
				if (ClientThreadsTests.this.exhausted.get()) {
					throw new OutOfMemoryError("unable to create native thread, says the test");
				}
				return factory.newThread(task);
			});
			return timer;
		}

	});

	@Test
	void aCleanUpForWhichNoThreadCanBeStartedIsDoneOnceOneCan() throws InterruptedException {
		CountDownLatch done = new CountDownLatch(2);
		this.threads.cleanUpAfter(0, done::countDown);
		this.exhausted.set(false);
		this.threads.cleanUpAfter(0, done::countDown);
		assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
		this.threads.stop();
	}

}
