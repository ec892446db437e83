package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.mongolock.jobs.JobDecision.Terms;
import io.mongolock.jobs.StoredJob.Pause;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;

/**
 * What all {@link JobRuns} keep alike, wherever they are.
 */
abstract class AbstractJobRunsContractTests extends AbstractRunnerTests {

	@Test
	void theTimeIsTheServersWhateverTheInstances() {
		assertThat(this.kept.now()).isEqualTo(this.clock.get());
	}

	@Test
	void aRerunReplacesTheRunThatItHasSeenAlone() {
		JobRun left = JobRun.begun("nightly", TICK, 1, 1, TICK, "gone");
		this.kept.add(left);
		JobRun ended = left.ended(TICK, JobOutcome.SUCCEEDED, null);
		assertThat(this.kept.replace(left, ended)).isTrue();
		assertThat(this.kept.replace(left, JobRun.begun("nightly", TICK, 2, 2, TICK, "late"))).isFalse();
		assertThat(this.kept.replace(ended, JobRun.begun("nightly", TICK, 2, 2, TICK, "asked"))).isTrue();
	}

	@Test
	void whenRunHasAnotherFenceThenItIsNotReplaced() {
		JobRun begun = JobRun.begun("nightly", TICK, 1, 2, TICK, "one");
		this.kept.add(begun);
		assertThat(this.kept.replace(JobRun.begun("nightly", TICK, 1, 1, TICK, "two"), begun)).isFalse();
		assertThat(this.kept.replace(begun, begun)).isTrue();
	}

	@Test
	void whenANoteIsOfTicksToComeThenItIsReplaced() {
		this.clock.set(TICK.plusSeconds(2));
		this.kept.add(skipped(TICK, TICK.plusSeconds(3)));
		JobRun run = JobRun.begun("nightly", TICK, 1, 1, TICK, "one");
		assertThat(this.kept.add(run)).isTrue();
		assertThat(this.kept.add(skipped(TICK, TICK))).isFalse();
		assertThat(this.kept.last("nightly", 5)).containsExactly(run);
	}

	@Test
	void whenATickHasARecordThenNoneThatBeginsWithItIsAdded() {
		this.clock.set(TICK.plusSeconds(3));
		JobRun note = skipped(TICK, TICK.plusSeconds(3));
		assertThat(this.kept.add(note)).isTrue();
		assertThat(this.kept.add(skipped(TICK, TICK))).isFalse();
		assertThat(this.kept.add(skipped(TICK, TICK.plusSeconds(9)))).isFalse();
		assertThat(this.kept.add(JobRun.begun("nightly", TICK, 1, 1, TICK, "one"))).isFalse();
		assertThat(this.kept.add(JobRun.begun("other", TICK, 1, 1, TICK, "one"))).isTrue();
		assertThat(this.kept.last("nightly", 5)).containsExactly(note);
	}

	@Test
	void whenATickIsOneOfSeveralThatWereNotRunThenTheirRecordIsFound() {
		JobRun note = skipped(TICK, TICK.plusSeconds(3));
		JobRun run = JobRun.begun("nightly", TICK.plusSeconds(4), 1, 1, TICK, "one");
		JobRun byHand = JobRun.byHand("nightly", TICK.plusMillis(1500), 1, TICK, "one");
		for (JobRun one : new JobRun[] { note, run, byHand }) {
			this.kept.add(one);
		}
		for (int second = 0; second < 4; second++) {
			assertThat(this.kept.find("nightly", TICK.plusSeconds(second))).isEqualTo(note);
		}
		assertThat(this.kept.find("nightly", run.tick())).isEqualTo(run);
		assertThat(this.kept.find("nightly", byHand.tick())).isEqualTo(byHand);
		assertThat(this.kept.find("nightly", TICK.minusMillis(1))).isNull();
		assertThat(this.kept.find("nightly", run.tick().plusMillis(1))).isNull();
		assertThat(this.kept.find("other", TICK)).isNull();
	}

	@Test
	void whenATickIsOneOfSeveralThatWereNotRunThenItsRerunIsRefused() {
		Terms terms = terms("* * * * * *", CatchUp.NONE, OnAbandoned.REPORT);
		this.declared.add(new Job("nightly", () -> terms, this.runs::add));
		JobRun note = skipped(TICK, TICK.plusSeconds(3));
		JobRun left = JobRun.begun("nightly", TICK.plusSeconds(9), 1, 0, TICK, "gone");
		this.kept.add(note);
		this.kept.add(left);
		for (int second = 0; second < 4; second++) {
			Instant tick = TICK.plusSeconds(second);
			assertThatIllegalStateException().isThrownBy(() -> this.jobs.runTick("nightly", tick))
				.withMessage("The tick " + tick
						+ " of job 'nightly' cannot be run again, because one record stands for 4 ticks that were not run, from "
						+ TICK + " to 2026-05-04T01:00:03Z. Run the job now to get a new tick");
			assertThat(this.jobs.run("nightly", tick, this.runs::add)).isEmpty();
		}
		assertThat(this.runs).isEmpty();
		assertThat(this.kept.last("nightly", 5)).containsExactly(left, note);
	}

	@Test
	void whenSeveralTicksToComeShareARecordThenTheJobIsRunNowAllTheSame() {
		this.clock.set(TICK.plusMillis(500));
		JobRun note = skipped(TICK, TICK.plusSeconds(3));
		this.kept.add(note);
		this.runner.runNow(terms("* * * * * *", CatchUp.NONE, OnAbandoned.RERUN), null, this.runs::add);
		assertTicks(TICK.plusMillis(500));
		assertThat(this.kept.last("nightly", 5)).hasSize(2).contains(note);
	}

	@Test
	void whenTheOneTickOfANoteIsRunThenTheRunTakesItsPlace() {
		Terms terms = terms("* * * * * *", CatchUp.NONE, OnAbandoned.RERUN);
		this.declared.add(new Job("nightly", () -> terms, this.runs::add));
		this.clock.set(TICK);
		this.kept.add(skipped(TICK, TICK));
		JobRun ended = this.jobs.runTick("nightly", TICK);
		assertTicks(TICK);
		assertThat(ended.attempt()).isOne();
		assertThat(this.kept.last("nightly", 5)).containsExactly(ended);
		assertThat(this.kept.lastSuccessUntil("nightly", TICK)).isEqualTo(ended);
	}

	@Test
	void whenRunHasEndedThenItsNoteIsKeptNoMore() {
		JobRun run = JobRun.begun("nightly", TICK, 1, 1, TICK, "one");
		this.kept.add(run);
		assertThat(this.kept.note(run, "half")).isTrue();
		assertThat(this.kept.find("nightly", TICK)).isEqualTo(run.noted("half"));
		JobRun ended = this.kept.end(run, run.ended(TICK, JobOutcome.SUCCEEDED, null));
		assertThat(ended).isNotNull().extracting(JobRun::note).isNull();
		assertThat(this.kept.note(run, "late")).isFalse();
		assertThat(this.kept.end(run, run.ended(TICK, JobOutcome.FAILED, null))).isNull();
		assertThat(this.kept.last("nightly", 5)).containsExactly(ended);
	}

	@Test
	void whenARunSucceedsThenLaterOnesFindWhatItHasLeft() {
		this.jobs.run("nightly", TICK, (run) -> {
			assertThat(this.jobs.previous(run)).isEmpty();
			this.jobs.state(run, Map.of("until", "6"));
			this.jobs.state(run, Map.of("until", "7", "a name with $", ""));
		});
		assertThatIllegalStateException().isThrownBy(() -> this.jobs.run("nightly", TICK.plusSeconds(1), (run) -> {
			this.jobs.state(run, Map.of("until", "8"));
			throw new IllegalStateException("no paper");
		}));
		this.jobs.run("nightly", TICK.plusSeconds(2), (run) -> {
			assertThat(this.jobs.previous(run)).hasValueSatisfying((last) -> {
				assertThat(last.tick()).isEqualTo(TICK);
				assertThat(last.state()).containsOnly(Map.entry("until", "7"), Map.entry("a name with $", ""));
			});
			this.runs.add(run);
		});
		assertTicks(TICK.plusSeconds(2));
		assertThat(this.jobs.last("nightly", 5)).extracting((run) -> run.state().size()).containsExactly(0, 0, 2);
	}

	@Test
	void whenAClockWasAheadThenLaterRunsFindWhatTheLastOneHasLeft() {
		addSuccess(TICK.plusSeconds(60), 1, "ahead");
		addSuccess(TICK.plusSeconds(58), 2, "before");
		addSuccess(TICK.plusSeconds(59), 3, "last");
		assertThat(previous(TICK.plusSeconds(61))).containsExactly("last");
		assertThat(previous(TICK.plusSeconds(59))).containsExactly("before");
		assertThat(previous(TICK.plusSeconds(58))).isEmpty();
		assertThat(this.kept.lastSuccessUntil("nightly", TICK.plusSeconds(61))).as("from which it is overdue")
			.isNotNull()
			.extracting(JobRun::tick)
			.isEqualTo(TICK.plusSeconds(60));
	}

	void addSuccess(Instant tick, long fence, String left) {
		this.kept.add(JobRun.begun("nightly", tick, 1, fence, tick, "one")
			.ended(tick, JobOutcome.SUCCEEDED, null)
			.leaving(Map.of("until", left)));
	}

	private Collection<String> previous(Instant tick) {
		return this.jobs.previous(JobRun.begun("nightly", tick, 1, 9, tick, "one"))
			.map((last) -> last.state().values())
			.orElse(List.of());
	}

	@Test
	void whenAStateCannotBeKeptThenItIsRefused() {
		this.jobs.run("nightly", TICK, (run) -> {
			this.jobs.state(run, Map.of("text", "x".repeat(3996)));
			assertThatIllegalArgumentException()
				.isThrownBy(() -> this.jobs.state(run, Map.of("text", "x".repeat(3997))))
				.withMessage(
						"The state of job 'nightly' has 4001 characters, but at most 4000 are kept. Store large data "
								+ "in a collection of your own, and keep only its id in the state");
			for (String name : new String[] { "", "$set", "a.b", "a\0" }) {
				assertThatIllegalArgumentException().isThrownBy(() -> this.jobs.state(run, Map.of(name, "x")))
					.withMessageContaining("Choose another name");
			}
			this.runs.add(run);
		});
		assertThat(this.jobs.last("nightly", 1).get(0).state()).containsOnlyKeys("text");
		assertThatIllegalStateException().isThrownBy(() -> this.jobs.state(this.runs.get(0), Map.of()))
			.withMessageContaining("is not running in this instance");
	}

	@Test
	void whenTheHistoryIsDroppedWithinARunThenItsEndIsKept() {
		JobRun ended = this.jobs.run("nightly", TICK, (run) -> drop()).orElseThrow();
		assertThat(ended.outcome()).isEqualTo(JobOutcome.SUCCEEDED);
		assertThat(this.kept.last("nightly", 5)).containsExactly(ended);
		assertThat(this.jobs.run("nightly", TICK, this.runs::add)).isEmpty();
	}

	@Test
	void whenAnInstanceLooksAfterAJobThenItsRunIsNotUnattended() {
		this.kept.schedule("nightly", new JobTrigger.Rate(Duration.ofHours(1)), TICK);
		JobRun run = JobRun.begun("nightly", TICK, 1, 1, TICK, "one");
		this.kept.add(run);
		assertThat(this.kept.unattended(TICK.plus(Duration.ofMinutes(29)))).isEmpty();
		assertThat(this.kept.unattended(TICK.plus(Duration.ofMinutes(31)))).containsExactly(run);
	}

	@Test
	void whenARunIsOfATickToComeThenNoneReplacesIt() {
		this.clock.set(TICK);
		JobRun early = JobRun.begun("nightly", TICK.plusSeconds(3), 1, 1, TICK, "one");
		assertThat(this.kept.add(early)).isTrue();
		assertThat(this.kept.add(JobRun.begun("nightly", TICK.plusSeconds(3), 1, 2, TICK, "two"))).isFalse();
		assertThat(this.kept.last("nightly", 5)).containsExactly(early);
	}

	@Test
	void whenARunThatWasCutOffHasEndedThenItIsNoLongerCutOff() {
		JobRun run = JobRun.begun("nightly", TICK, 1, 1, TICK, "one");
		this.kept.add(run);
		assertThat(this.kept.replace(run, run.leftByCutOff())).isTrue();
		JobRun left = this.kept.last("nightly", 1).get(0);
		assertThat(left.cutOff()).isTrue();
		this.kept.end(left, left.ended(TICK, JobOutcome.ABANDONED, null));
		assertThat(this.kept.last("nightly", 1)).extracting(JobRun::outcome, JobRun::cutOff)
			.containsExactly(tuple(JobOutcome.ABANDONED, false));
	}

	@Test
	void whenARunIsByHandThenItIsNoLastTickOfTheSchedule() {
		JobRun run = JobRun.begun("nightly", TICK, 1, 1, TICK, "one").ended(TICK, JobOutcome.SUCCEEDED, null);
		this.kept.add(run);
		JobRun byHand = JobRun.byHand("nightly", TICK.plusSeconds(1), 2, TICK, "one");
		this.kept.add(byHand.ended(TICK, JobOutcome.FAILED, null));
		assertThat(this.kept.lastUntil("nightly", TICK.plusSeconds(9))).isEqualTo(run);
		assertThat(this.kept.lastUntil("nightly", TICK.minusSeconds(1))).isNull();
		assertThat(this.kept.lastSuccessUntil("nightly", TICK.plusSeconds(9))).isEqualTo(run);
	}

	@Test
	void whenJobIsResumedThenTicksOfThePauseAreNotDue() {
		this.clock.set(TICK);
		assertThat(this.kept.pause("nightly", new Pause("operator", "why", TICK))).isFalse();
		this.kept.schedule("nightly", new JobTrigger.Rate(Duration.ofHours(1)), TICK);
		assertThat(this.kept.pause("nightly", new Pause("operator", "why", TICK))).isTrue();
		assertThat(this.kept.stored("nightly")).isNotNull()
			.extracting(StoredJob::paused)
			.isEqualTo(new Pause("operator", "why", TICK));
		this.clock.set(TICK.plusSeconds(60));
		this.kept.pause("nightly", null);
		assertThat(this.kept.stored("nightly")).isNotNull()
			.extracting(StoredJob::since)
			.isEqualTo(TICK.plusSeconds(60));
	}

	@Test
	void whenClockIsSetBackThenScheduleBeginsThere() {
		JobTrigger trigger = new JobTrigger.Rate(Duration.ofHours(1));
		this.kept.schedule("nightly", trigger, TICK);
		this.kept.schedule("nightly", trigger, TICK.minusSeconds(60));
		assertThat(this.kept.stored("nightly")).isNotNull()
			.extracting(StoredJob::since)
			.isEqualTo(TICK.minusSeconds(60));
	}

	/** Drop all records, as a person may. */
	abstract void drop();

	private static JobRun skipped(Instant first, Instant last) {
		return JobRun.notRun("nightly", first, last, (int) Duration.between(first, last).toSeconds() + 1, last,
				JobOutcome.SKIPPED, JobDecision.STILL_RAN, "one");
	}

}
