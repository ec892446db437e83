package io.mongolock.event;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link EventLane}.
 */
class EventLaneTests {

	private final List<Object> ran = new CopyOnWriteArrayList<>();

	private final CountDownLatch go = new CountDownLatch(1);

	@Test
	void tasksRunInOrder() {
		EventLane lane = lane(1, 1000);
		IntStream.range(0, 100).forEach((i) -> lane.add(() -> this.ran.add(i)));
		Awaitility.await().until(() -> this.ran.size() == 100);
		assertThat(this.ran).isEqualTo(IntStream.range(0, 100).boxed().toList());
	}

	@Test
	void aFullLaneDropsTheOldestAndSaysHowMany() {
		EventLane lane = lane(1, 3);
		CountDownLatch begun = new CountDownLatch(1);
		lane.add(() -> {
			begun.countDown();
			await(this.go);
		});
		await(begun);
		IntStream.range(0, 10).forEach((i) -> lane.add(() -> this.ran.add(i)));
		this.go.countDown();
		Awaitility.await().until(() -> this.ran.size() == 4);
		assertThat(this.ran).containsExactly("dropped 7", 7, 8, 9);
	}

	@Test
	void aTaskThatAwaitsAllTasksDoesNotWaitForItself() {
		EventLane lane = lane(2, 1000);
		lane.add(() -> {
			lane.awaitAll(Duration.ofDays(1));
			this.ran.add("went on");
		});
		lane.awaitAll(Duration.ofMinutes(1));
		assertThat(this.ran).containsExactly("went on");
	}

	@Test
	void severalRunSideBySide() {
		EventLane lane = lane(4, 1000);
		CountDownLatch together = new CountDownLatch(4);
		IntStream.range(0, 8).forEach((i) -> lane.add(() -> {
			together.countDown();
			await(together);
			this.ran.add(i);
		}));
		Awaitility.await().until(() -> this.ran.size() == 8);
	}

	@Test
	void aThreadThatCannotBeStartedNeitherFailsTheCallerNorLosesTheTask() {
		AtomicBoolean exhausted = new AtomicBoolean(true);
		EventLane lane = withThreadsUnless(exhausted);
		lane.add(() -> this.ran.add("first"));
		exhausted.set(false);
		lane.add(() -> this.ran.add("second"));
		Awaitility.await().until(() -> this.ran.size() == 2);
		assertThat(this.ran).containsExactly("first", "second");
	}

	@Test
	void aTaskThatFailsOrLeavesAnInterruptDoesNotKeepThoseBehindItFromRunning() {
		List<Throwable> failures = new ArrayList<>();
		EventLane lane = new EventLane((task) -> {
			Thread thread = new Thread(task);
			thread.setUncaughtExceptionHandler((same, ex) -> failures.add(ex));
			return thread;
		}, 1, 1000, (count) -> {
		});
		lane.add(() -> {
			Thread.currentThread().interrupt();
			throw new StackOverflowError("by script");
		});
		lane.add(() -> this.ran.add("second"));
		Awaitility.await().until(() -> this.ran.size() == 1);
		assertThat(failures).hasSize(1);
	}

	@Test
	void aHandlerOfFailuresThatFailsItselfDoesNotEndTheLane() {
		EventLane lane = new EventLane((task) -> {
			Thread thread = new Thread(task);
			thread.setUncaughtExceptionHandler((same, ex) -> {
				throw new IllegalStateException("by script", ex);
			});
			return thread;
		}, 1, 1000, (count) -> {
		});
		lane.add(() -> {
			throw new OutOfMemoryError("by script");
		});
		lane.add(() -> this.ran.add("second"));
		Awaitility.await().until(() -> this.ran.size() == 1);
	}

	@Test
	void aTaskForWhichNoThreadWasToBeHadRunsWhenOneIs() {
		AtomicBoolean exhausted = new AtomicBoolean(true);
		EventLane lane = withThreadsUnless(exhausted);
		assertThat(lane.retry()).as("nothing waits").isFalse();
		lane.add(() -> this.ran.add("only"));
		assertThat(lane.retry()).as("it waits").isTrue();
		exhausted.set(false);
		assertThat(lane.retry()).isFalse();
		Awaitility.await().until(() -> this.ran.size() == 1);
		assertThat(lane.retry()).isFalse();
	}

	private EventLane lane(int threads, int capacity) {
		return new EventLane(Thread::new, threads, capacity, (count) -> this.ran.add("dropped " + count));
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static EventLane withThreadsUnless(AtomicBoolean exhausted) {
		return new EventLane((task) -> {
			if (exhausted.get()) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			return new Thread(task);
		}, 1, 1000, (count) -> {
		});
	}

}
