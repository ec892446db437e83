package io.mongolock.faults.simulation;

import java.util.List;
import java.util.concurrent.ExecutorService;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SimulatedRuntime}.
 */
class SimulatedRuntimeTests {

	@Test
	void whenThreadsAreShutDownThenTheySaySoAndBeginNothing() {
		Timeline timeline = new Timeline(new Choices(List.of()));
		SimulatedProcess process = new SimulatedProcess("a", timeline,
				new Judge(timeline, new Trace(false), new Coverage())) {
		};
		ExecutorService threads = new SimulatedRuntime(new Batons(timeline), process).queued(1, "confirm");
		assertThat(threads.isShutdown()).isFalse();
		threads.shutdown();
		assertThat(threads.isShutdown()).isTrue();
		threads.execute(() -> {
			throw new AssertionError("begun after the shutdown");
		});
		timeline.run();
	}

}
