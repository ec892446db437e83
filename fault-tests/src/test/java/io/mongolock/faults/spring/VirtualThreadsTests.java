package io.mongolock.faults.spring;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import io.mongolock.annotation.DistributedLock;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locked methods on the virtual threads of {@code spring.threads.virtual.enabled}.
 */
@Timeout(120)
class VirtualThreadsTests {

	private static final int CALLS = 200;

	private static final String PINNED = "jdk.VirtualThreadPinned";

	@Test
	@ShowsRow(value = 39, level = Level.SPRING)
	void asyncMethodsTakeTurnsAndPinNoCarrier(@TempDir Path folder) throws Exception {
		if (Runtime.version().feature() < 21) {
			throw new TestAbortedException("needs Java 21 or later");
		}
		Path file = folder.resolve("pinned.jfr");
		try (Recording recording = new Recording();
				SpringApp app = new SpringApp(Jobs.class, "spring.threads.virtual.enabled=true",
						"mongo-lock.wait-timeout=60s")) {
			recording.enable(PINNED).withStackTrace();
			Jobs jobs = app.bean(Jobs.class);
			run(jobs);
			// From here on no class is loaded, for which the JVM itself pins
			recording.start();
			run(jobs);
			assertThat(jobs.most()).as("at a time").isOne();
			recording.stop();
			recording.dump(file);
		}
		assertThat(RecordingFile.readAllEvents(file))
			.filteredOn((event) -> event.getEventType().getName().equals(PINNED))
			.filteredOn(VirtualThreadsTests::isOurs)
			.isEmpty();
	}

	private static void run(Jobs jobs) {
		List<CompletableFuture<Boolean>> calls = IntStream.range(0, CALLS).mapToObj((i) -> jobs.run()).toList();
		assertThat(calls).allSatisfy((call) -> assertThat(call).succeedsWithin(Duration.ofSeconds(60))
			.as("on a virtual thread")
			.isEqualTo(true));
	}

	private static boolean isOurs(RecordedEvent event) {
		return event.getStackTrace() != null && event.getStackTrace()
			.getFrames()
			.stream()
			.anyMatch((frame) -> frame.getMethod().getType().getName().startsWith("io.mongolock."));
	}

	@EnableAsync
	static class Jobs {

		private final AtomicInteger inside = new AtomicInteger();

		private final AtomicInteger most = new AtomicInteger();

		@Async
		@DistributedLock("job")
		CompletableFuture<Boolean> run() {
			this.most.accumulateAndGet(this.inside.incrementAndGet(), Math::max);
			Thread.yield();
			this.inside.decrementAndGet();
			return CompletableFuture
				.completedFuture(Thread.currentThread().getThreadGroup().getName().equals("VirtualThreads"));
		}

		int most() {
			return this.most.get();
		}

	}

}
