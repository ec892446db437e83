package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

import io.mongolock.jobs.StoredJob.Pause;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link MemoryJobRuns}: what it keeps as MongoDB does.
 */
class MemoryJobRunsTests {

	private static final Instant TICK = Instant.parse("2026-05-04T03:00:00Z");

	private final AtomicReference<Instant> clock = new AtomicReference<>(TICK);

	private final MemoryJobRuns runs = new MemoryJobRuns(this.clock::get);

	@Test
	void whenRunHasAnotherFenceThenItIsNotReplaced() {
		JobRun begun = JobRun.begun("report", TICK, 1, 2, TICK, "one");
		this.runs.add(begun);
		assertThat(this.runs.replace(JobRun.begun("report", TICK, 1, 1, TICK, "two"), begun)).isFalse();
		assertThat(this.runs.replace(begun, begun)).isTrue();
	}

	@Test
	void whenJobIsResumedThenTicksOfThePauseAreNotDue() {
		this.runs.schedule("report", new JobTrigger.Rate(Duration.ofHours(1)), TICK);
		this.runs.pause("report", new Pause("operator", "why", TICK));
		this.clock.set(TICK.plusSeconds(60));
		this.runs.pause("report", null);
		assertThat(this.runs.stored("report")).extracting(StoredJob::since).isEqualTo(TICK.plusSeconds(60));
	}

	@Test
	void whenClockIsSetBackThenScheduleBeginsThere() {
		JobTrigger trigger = new JobTrigger.Rate(Duration.ofHours(1));
		this.runs.schedule("report", trigger, TICK);
		this.runs.schedule("report", trigger, TICK.minusSeconds(60));
		assertThat(this.runs.stored("report")).extracting(StoredJob::since).isEqualTo(TICK.minusSeconds(60));
	}

}
