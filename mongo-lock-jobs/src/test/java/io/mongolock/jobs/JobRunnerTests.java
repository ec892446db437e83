package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.ArgumentMatchers;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.mockito.stubbing.Answer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LossReason;
import io.mongolock.OnLost;
import io.mongolock.jobs.JobDecision.Seen;
import io.mongolock.jobs.JobDecision.Terms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests for {@link JobRunner}, by a clock of the store that is set.
 */
@Isolated
@ExtendWith(OutputCaptureExtension.class)
class JobRunnerTests extends AbstractRunnerTests {

	@Override
	JobRuns open(InstantSource clock) {
		return new MemoryJobRuns(clock);
	}

	@Test
	void itIsDueByTheClockOfTheServerWhateverThatOfTheInstance() {
		assertThat(look("0 0 3 * * *", this.clock.get(), CatchUp.NONE)).isEqualTo(Duration.ofMinutes(10));
		assertThat(this.runs).isEmpty();
		this.clock.set(TICK.minusMillis(1));
		assertThat(look("0 0 3 * * *", TICK.minusSeconds(600), CatchUp.NONE)).isEqualTo(Duration.ofMillis(1));
		this.clock.set(TICK);
		assertThat(look("0 0 3 * * *", TICK.minusSeconds(600), CatchUp.NONE)).isZero();
		assertThat(look("0 0 3 * * *", TICK.minusSeconds(600), CatchUp.NONE)).isEqualTo(DAY);
		assertTicks(TICK);
	}

	@Test
	void anInstanceThatStartsBetweenTwoTicksRunsNone() {
		this.clock.set(TICK.plusSeconds(5));
		assertThat(look("0 0 3 * * *", this.clock.get(), CatchUp.LAST)).isEqualTo(DAY.minusSeconds(5));
		look("0 0 3 * * *", TICK.minusSeconds(1), CatchUp.NONE);
		assertThat(look("0 0 3 * * *", this.clock.get(), CatchUp.LAST)).isEqualTo(DAY.minusSeconds(5));
		assertTicks(TICK);
	}

	@Test
	void aClockThatIsSetBackRepeatsNoTick() {
		Instant since = this.clock.get();
		this.clock.set(TICK);
		look("0 0 3 * * *", since, CatchUp.NONE);
		this.clock.set(TICK.minusSeconds(300));
		assertThat(look("0 0 3 * * *", since, CatchUp.LAST)).isEqualTo(Duration.ofSeconds(300));
		this.clock.set(TICK);
		assertThat(look("0 0 3 * * *", since, CatchUp.LAST)).isEqualTo(DAY);
		assertTicks(TICK);
	}

	@Test
	void aClockThatWasAYearAheadDoesNotEndTheJob() {
		Instant since = this.clock.get();
		this.clock.set(TICK);
		look("0 0 3 * * *", since, CatchUp.NONE);
		this.clock.set(TICK.plus(DAY.multipliedBy(365)));
		look("0 0 3 * * *", since, CatchUp.NONE);
		this.clock.set(TICK.plus(DAY));
		look("0 0 3 * * *", since, CatchUp.NONE);
		assertTicks(TICK, TICK.plus(DAY.multipliedBy(365)), TICK.plus(DAY));
	}

	@Test
	void ofTheTicksAtWhichNobodyWasThereTheLastIsMissedOrCaughtUp(CapturedOutput output) {
		schedule("0 0 3 * * *");
		look("0 0 3 * * *", this.clock.get(), CatchUp.NONE);
		this.clock.set(TICK);
		look("0 0 3 * * *", TICK.minusSeconds(1), CatchUp.NONE);
		this.clock.set(TICK.plus(DAY.multipliedBy(3)).plusSeconds(3600));
		look("0 0 3 * * *", this.clock.get(), CatchUp.NONE);
		assertTicks(TICK);
		assertThat(this.jobs.last("nightly", 5)).extracting(JobRun::tick, JobRun::outcome)
			.startsWith(tuple(TICK.plus(DAY.multipliedBy(3)), JobOutcome.MISSED));
		this.clock.set(TICK.plus(DAY.multipliedBy(6)).plusSeconds(3600));
		look("0 0 3 * * *", this.clock.get(), CatchUp.LAST);
		assertTicks(TICK, TICK.plus(DAY.multipliedBy(6)));
		this.clock.set(TICK.plus(DAY.multipliedBy(7)).plusSeconds(290));
		look("0 0 3 * * *", this.clock.get(), CatchUp.NONE);
		assertTicks(TICK, TICK.plus(DAY.multipliedBy(6)), TICK.plus(DAY.multipliedBy(7)));
		assertThat(output).contains(" and the 2 ticks before it, from ", " and the tick before it, from ");
	}

	@Test
	void instancesOfTwoVersionsRunEachTickOfEitherOnce() {
		Instant since = this.clock.get();
		for (Duration later : List.of(Duration.ZERO, Duration.ofMinutes(30), Duration.ofMinutes(31))) {
			this.clock.set(TICK.plus(later));
			look("0 30 3 * * *", since, CatchUp.NONE);
			look("0 0 3 * * *", since, CatchUp.NONE);
			look("0 30 3 * * *", since, CatchUp.NONE);
		}
		assertTicks(TICK, TICK.plus(Duration.ofMinutes(30)));
	}

	@Test
	void anExpressionThatIsChangedMakesUpForNoTickFromBefore() {
		schedule("0 0 3 * * *");
		this.clock.set(TICK);
		look("0 0 3 * * *", TICK.minusSeconds(1), CatchUp.ALL);
		Instant changed = TICK.plus(Duration.ofHours(9)).plusSeconds(30);
		this.clock.set(changed);
		assertThat(look("0 * * * * *", changed, CatchUp.ALL)).as("before it is said").isEqualTo(half());
		schedule("0 * * * * *");
		assertThat(look("0 * * * * *", changed, CatchUp.ALL)).isEqualTo(half());
		assertThat(look("0 * * * * *", changed, CatchUp.NONE)).isEqualTo(half());
		JobTrigger trigger = cron("0 * * * * *");
		assertThat(JobRuns.overdueFrom(trigger, this.kept.readState("nightly", trigger, changed)))
			.isEqualTo(changed.plusSeconds(30));
		assertTicks(TICK);
		// but for those at which nobody was there
		this.clock.set(changed.plusSeconds(90));
		schedule("0 * * * * *");
		while (Duration.ZERO.equals(look("0 * * * * *", this.clock.get(), CatchUp.ALL))) {
			assertThat(this.runs).hasSizeLessThan(4);
		}
		assertTicks(TICK, changed.plusSeconds(30), changed.plusSeconds(90));
	}

	private static Duration half() {
		return Duration.ofSeconds(30);
	}

	@Test
	void ofAJobThatHasNeverRunATickAtWhichNobodyWasThereIsNotForgottenEither() {
		schedule("0 0 3 * * *");
		this.clock.set(TICK.plusSeconds(60));
		look("0 0 3 * * *", this.clock.get(), CatchUp.NONE);
		assertTicks(TICK);
	}

	@Test
	void whenOneRunCannotBeAbandonedThenTheOthersAreStillAbandoned() {
		for (String job : List.of("", "removed")) {
			this.kept.schedule(job, cron("0 0 3 * * *"), Instant.EPOCH);
			this.kept.add(JobRun.begun(job, TICK.plusSeconds(10L - job.length()), 1, 0, TICK, "gone"));
		}
		this.runner.abandonUnattended(TICK);
		assertThat(this.jobs.last("removed", 1)).extracting(JobRun::outcome).containsExactly(JobOutcome.ABANDONED);
	}

	@Test
	void aSkippedTickThatAnotherInstanceHasNotedIsNotLookedAtAgainAtOnce() {
		JobRun ran = JobRun.begun("nightly", TICK.minus(DAY), 1, 1, TICK.minus(DAY), "one")
			.ended(TICK, JobOutcome.SUCCEEDED, null);
		this.kept.add(ran);
		this.clock.set(TICK);
		Terms terms = terms("0 0 3 * * *", CatchUp.NONE, OnAbandoned.RERUN);
		Seen seen = this.kept.readState("nightly", terms.trigger(), TICK.minus(DAY));
		assertThat(next(this.runner.runDue(terms, seen, this.runs::add))).isZero();
		assertThat(next(this.runner.runDue(terms, seen, this.runs::add))).isNull();
		assertThat(this.kept.last("nightly", 5)).extracting(JobRun::outcome)
			.containsExactly(JobOutcome.SKIPPED, JobOutcome.SUCCEEDED);
	}

	@Test
	void aWishBesideARunThatWasLeftTakesThatUp() {
		Instant other = TICK.minus(DAY);
		this.kept.add(JobRun.begun("nightly", other, 1, 0, other, "another").ended(other, JobOutcome.FAILED, null));
		this.kept.add(JobRun.begun("nightly", TICK, 1, 0, TICK, "gone"));
		this.clock.set(TICK.plusSeconds(60));
		this.runner.runNow(terms("0 0 3 * * *", CatchUp.NONE, OnAbandoned.RERUN), other, this.runs::add);
		assertTicks();
		this.runner.runNow(terms("0 0 3 * * *", CatchUp.NONE, OnAbandoned.RERUN), null, this.runs::add);
		assertThat(this.jobs.last("nightly", 5)).extracting(JobRun::tick, JobRun::attempt, JobRun::outcome)
			.containsExactly(tuple(TICK, 2, JobOutcome.SUCCEEDED), tuple(other, 1, JobOutcome.FAILED));
	}

	@Test
	void aWishBesideARunThatIsNotRunAgainRecordsThatAsAbandoned() {
		this.kept.add(JobRun.begun("nightly", TICK, 1, 0, TICK, "gone"));
		this.clock.set(TICK.plusSeconds(60));
		this.runner.runNow(terms("0 0 3 * * *", CatchUp.NONE, OnAbandoned.REPORT), null, this.runs::add);
		assertTicks(TICK.plusSeconds(60));
		assertThat(this.jobs.last("nightly", 5)).extracting(JobRun::outcome)
			.containsExactly(JobOutcome.SUCCEEDED, JobOutcome.ABANDONED);
	}

	@Test
	void whenTheLockWasLostThenTheEndOfARunIsNotWrittenAgainAndAgain() {
		LockHandle handle = Mockito.mock();
		BDDMockito.given(handle.key()).willReturn("job:nightly");
		BDDMockito.given(handle.isHeld()).willReturn(false);
		LockOperations locks = Mockito.mock();
		BDDMockito.given(locks.tryAcquire(BDDMockito.any())).willReturn(Optional.of(handle));
		JobRuns failing = Mockito.spy(this.kept);
		BDDMockito.willThrow(new IllegalStateException("no answer"))
			.given(failing)
			.end(BDDMockito.any(), BDDMockito.any());
		new JobRunner(locks, failing, this.heard::add, "one").run("nightly", TICK, null, this.runs::add);
		assertTicks(TICK);
		BDDMockito.then(failing).should().end(BDDMockito.any(), BDDMockito.any());
	}

	@Test
	void whenAnotherInstanceHoldsTheLockThenItWritesWhatIsSkippedInAPause() {
		schedule("0 0 3 * * *");
		this.kept.pause("nightly", new StoredJob.Pause("alice", "heavy", this.clock.get()));
		this.clock.set(TICK.plusSeconds(1));
		try (LockHandle other = this.locks.tryAcquire(LockRequest.of("job", "nightly")).orElseThrow()) {
			assertThat(other.isHeld()).isTrue();
			look("0 0 3 * * *", TICK.minusSeconds(600), CatchUp.NONE);
			assertThat(this.kept.last("nightly", 5)).isEmpty();
		}
		look("0 0 3 * * *", TICK.minusSeconds(600), CatchUp.NONE);
		assertThat(this.kept.last("nightly", 5)).extracting(JobRun::outcome).containsExactly(JobOutcome.SKIPPED);
	}

	/** That instance may be stopping. */
	@Test
	void whileAnotherInstanceIsAtWorkThenTheNextTickIsLookedAt() {
		this.clock.set(TICK.plusSeconds(2));
		try (LockHandle other = this.locks.tryAcquire(LockRequest.of("job", "nightly")).orElseThrow()) {
			assertThat(other.isHeld()).isTrue();
			assertThat(look("*/5 * * * * *", TICK.minusSeconds(1), CatchUp.NONE)).hasSeconds(3);
			this.clock.set(TICK.plusMillis(4900));
			assertThat(look("*/5 * * * * *", TICK.minusSeconds(1), CatchUp.NONE)).hasSeconds(1);
		}
		assertThat(this.runs).isEmpty();
	}

	@Test
	void whenWorkTakesTooLongThenItsThreadIsNotInterruptedAfterwards() {
		LimitedWork limited = new LimitedWork((run) -> {
			while (!Thread.currentThread().isInterrupted()) {
				Thread.onSpinWait();
			}
			throw new IllegalStateException("half done");
		}, Duration.ofMillis(1));
		assertThatExceptionOfType(JobTimeoutException.class)
			.isThrownBy(() -> limited.run(JobRun.begun("nightly", TICK, 1, 1, TICK, "one")));
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void whenARunHasFailedThenItsTickIsOverdueAtOnce() {
		DueJobs due = new DueJobs(this.runner, this.kept);
		Job job = new Job("nightly", () -> terms("0 0 3 * * *", CatchUp.NONE, OnAbandoned.RERUN), (run) -> {
			throw new IllegalStateException("no paper");
		});
		due.run(job);
		this.clock.set(TICK.plusSeconds(60));
		assertThat(due.run(job).written()).isTrue();
		assertThat(job.overdue()).isGreaterThanOrEqualTo(60);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aListenerThatFailsDoesNotKeepAJobFromRunning(boolean error) {
		JobRunner runner = new JobRunner(this.locks, this.kept, (event) -> {
			if (error) {
				throw new NoClassDefFoundError("Paper");
			}
			throw new IllegalStateException("no listener");
		}, "one");
		assertThat(runner.run("nightly", TICK, null, this.runs::add)).isNotNull();
		assertTicks(TICK);
		assertThat(this.jobs.last("nightly", 1)).extracting(JobRun::outcome).containsExactly(JobOutcome.SUCCEEDED);
	}

	@Test
	void workWhoseLockWasLostAfterItsRunWasKeptIsNotBegunAndIsLeftForOthers() {
		LockHandle handle = Mockito.mock();
		BDDMockito.given(handle.key()).willReturn("job:nightly");
		BDDMockito.given(handle.fence()).willReturn(7L);
		BDDMockito.willThrow(new LockLostException("job:nightly", 7, LossReason.DEADLINE, "stood still"))
			.given(handle)
			.assertHeld();
		LockOperations locks = Mockito.mock();
		BDDMockito.given(locks.tryAcquire(BDDMockito.any())).willReturn(Optional.of(handle));
		JobRunner runner = new JobRunner(locks, this.kept, (event) -> {
		}, "one");
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> runner.run("nightly", TICK, null, this.runs::add));
		assertTicks();
		assertThat(this.jobs.last("nightly", 1)).extracting(JobRun::outcome).containsExactly(JobOutcome.RUNNING);
		this.jobs.run("nightly", TICK, this.runs::add);
		assertThat(this.runs).extracting(JobRun::attempt).containsExactly(2);
	}

	@Test
	void workThatFailedAfterItsLockWasLostIsLeftForOthers() {
		LockHandle handle = Mockito.mock();
		BDDMockito.given(handle.key()).willReturn("job:nightly");
		BDDMockito.given(handle.isHeld()).willReturn(false);
		LockOperations locks = Mockito.mock();
		BDDMockito.given(locks.tryAcquire(BDDMockito.any())).willReturn(Optional.of(handle));
		JobRunner runner = new JobRunner(locks, this.kept, (event) -> {
		}, "one");
		assertThat(runner.run("nightly", TICK, null, (run) -> {
			throw new IllegalStateException("cancelled");
		})).isNotNull();
		assertThat(this.jobs.last("nightly", 1)).extracting(JobRun::outcome).containsExactly(JobOutcome.RUNNING);
		this.jobs.run("nightly", TICK, this.runs::add);
		assertThat(this.runs).extracting(JobRun::attempt).containsExactly(2);
	}

	/** In the same process, as a report of the run would call it abandoned. */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aBeginWhoseAnswerGotLostBeginsAllTheSame(boolean again) {
		JobRuns losing = Mockito.spy(this.kept);
		AtomicBoolean lost = new AtomicBoolean(true);
		Answer<Object> once = (call) -> {
			Object answer = call.callRealMethod();
			if (lost.getAndSet(false)) {
				throw new IllegalStateException("no answer");
			}
			return answer;
		};
		BDDMockito.willAnswer(once).given(losing).add(BDDMockito.any());
		BDDMockito.willAnswer(once).given(losing).replace(BDDMockito.any(), BDDMockito.any());
		if (again) {
			this.kept.add(JobRun.begun("nightly", TICK, 1, 0, TICK, "gone"));
		}
		new JobRunner(this.locks, losing, this.heard::add, "one").run("nightly", TICK, null, this.runs::add);
		assertThat(lost).isFalse();
		assertThat(this.runs).extracting(JobRun::attempt).containsExactly((again) ? 2 : 1);
		assertThat(this.kept.last("nightly", 5)).extracting(JobRun::outcome).containsExactly(JobOutcome.SUCCEEDED);
	}

	@Test
	void ticksOfALongAbsenceAreOneRecordAndOneEvent() {
		this.clock.set(TICK.minusMillis(500));
		schedule("* * * * * *");
		this.clock.set(TICK);
		look("* * * * * *", TICK.minusSeconds(1), CatchUp.NONE);
		this.clock.set(TICK.plusSeconds(8));
		look("* * * * * *", TICK.minusSeconds(1), CatchUp.NONE);
		assertTicks(TICK, TICK.plusSeconds(8));
		assertThat(this.kept.last("nightly", 10)).extracting(JobRun::firstTick, JobRun::tick, JobRun::ticks)
			.containsExactly(tuple(TICK.plusSeconds(8), TICK.plusSeconds(8), 1),
					tuple(TICK.plusSeconds(1), TICK.plusSeconds(7), 7), tuple(TICK, TICK, 1));
		assertThat(this.heard).filteredOn(JobRunEvent.Ended.class::isInstance).hasSize(3);
	}

	@Test
	void ticksDuringALongRunAreNotedAtTheFirstAndAtTheEnd() {
		this.clock.set(TICK.minusMillis(500));
		schedule("* * * * * *");
		this.clock.set(TICK);
		look("* * * * * *", TICK.minusSeconds(1), CatchUp.NONE, (run) -> {
			this.clock.set(TICK.plusSeconds(2));
			// another instance looks at each tick
			look("* * * * * *", TICK.minusSeconds(1), CatchUp.NONE);
			this.clock.set(TICK.plusSeconds(3));
			look("* * * * * *", TICK.minusSeconds(1), CatchUp.NONE);
			this.clock.set(TICK.plusMillis(5_500));
		});
		while (Duration.ZERO.equals(look("* * * * * *", TICK.minusSeconds(1), CatchUp.NONE))) {
			assertThat(this.runs).isEmpty();
		}
		assertThat(this.kept.last("nightly", 10)).extracting(JobRun::firstTick, JobRun::tick, JobRun::ticks)
			.containsExactly(tuple(TICK.plusSeconds(3), TICK.plusSeconds(5), 3),
					tuple(TICK.plusSeconds(1), TICK.plusSeconds(2), 2), tuple(TICK, TICK, 1));
	}

	/** A process stands still between its read and its write, which need no lock. */
	@Test
	void whenAnInstanceNotesLateWhatItHasSeenThenNoTickIsRecordedTwice() {
		schedule("* * * * * *");
		Instant since = this.clock.get();
		Terms terms = terms("* * * * * *", CatchUp.NONE, OnAbandoned.RERUN);
		this.clock.set(TICK);
		look("* * * * * *", since, CatchUp.NONE, (run) -> {
			this.clock.set(TICK.plusSeconds(1));
			Seen late = this.kept.readState("nightly", terms.trigger(), since);
			this.clock.set(TICK.plusSeconds(3));
			CompletableFuture.runAsync(() -> {
				look("* * * * * *", since, CatchUp.NONE);
				this.runner.runDue(terms, late, this.runs::add);
			}).join();
		});
		assertThat(this.kept.last("nightly", 10)).extracting(JobRun::firstTick, JobRun::tick)
			.startsWith(tuple(TICK.plusSeconds(1), TICK.plusSeconds(3)), tuple(TICK, TICK));
	}

	@Test
	void ticksOfAPauseAreNotedAtTheFirstAndAtTheEnd() {
		schedule("0 0 3 * * *");
		this.kept.pause("nightly", new StoredJob.Pause("alice", "heavy", this.clock.get()));
		Instant since = this.clock.get();
		for (int day = 0; day < 3; day++) {
			this.clock.set(TICK.plus(DAY.multipliedBy(day)));
			look("0 0 3 * * *", since, CatchUp.ALL);
		}
		this.clock.set(this.clock.get().plusSeconds(60));
		this.kept.pause("nightly", null);
		while (Duration.ZERO.equals(look("0 0 3 * * *", since, CatchUp.ALL))) {
			assertThat(this.runs).isEmpty();
		}
		assertThat(this.kept.last("nightly", 10)).extracting(JobRun::firstTick, JobRun::tick, JobRun::ticks)
			.containsExactly(tuple(TICK.plus(DAY), TICK.plus(DAY.multipliedBy(2)), 2), tuple(TICK, TICK, 1));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void whenNoInstanceWasThereDuringAPauseThenItsTicksAreOneRecord(boolean ran) {
		schedule("0 0 3 * * *");
		if (ran) {
			this.clock.set(TICK);
			look("0 0 3 * * *", TICK.minusSeconds(1), CatchUp.ALL);
			this.runs.clear();
		}
		Instant first = (ran) ? TICK.plus(DAY) : TICK;
		this.kept.pause("nightly", new StoredJob.Pause("alice", "heavy", this.clock.get()));
		this.clock.set(first.plus(DAY.multipliedBy(2)).plusSeconds(60));
		this.kept.pause("nightly", null);
		this.clock.set(this.clock.get().plusSeconds(60));
		for (int look = 0; look < 3; look++) {
			look("0 0 3 * * *", this.clock.get(), CatchUp.ALL);
		}
		assertTicks();
		assertThat(this.kept.last("nightly", 10))
			.extracting(JobRun::firstTick, JobRun::tick, JobRun::ticks, JobRun::outcome, JobRun::message)
			.startsWith(tuple(first, first.plus(DAY.multipliedBy(2)), 3, JobOutcome.SKIPPED, JobDecision.PAUSED))
			.hasSize((ran) ? 2 : 1);
	}

	@Test
	void whenAScheduleIsChangedBeforeAPauseThenNoneOfItsTicksIsFromBefore() {
		schedule("0 0 3 * * *");
		this.clock.set(TICK);
		look("0 0 3 * * *", TICK.minusSeconds(1), CatchUp.NONE);
		this.clock.set(TICK.plusSeconds(7200));
		schedule("0 0 * * * *");
		this.kept.pause("nightly", new StoredJob.Pause("alice", "heavy", this.clock.get()));
		this.clock.set(TICK.plusSeconds(4 * 3600 + 60));
		this.kept.pause("nightly", null);
		for (int look = 0; look < 3; look++) {
			look("0 0 * * * *", this.clock.get(), CatchUp.NONE);
		}
		assertThat(this.kept.last("nightly", 10)).extracting(JobRun::firstTick, JobRun::tick)
			.containsExactly(tuple(TICK.plusSeconds(2 * 3600), TICK.plusSeconds(4 * 3600)), tuple(TICK, TICK));
	}

	@Test
	void aRunByTheWishOfSomebodyMovesNoTickOfTheSchedule() {
		Terms rate = new Terms("nightly", new JobTrigger.Rate(Duration.ofSeconds(15)), CatchUp.NONE,
				Duration.ofMinutes(5), OnAbandoned.RERUN, 3, 0, Duration.ofMinutes(1));
		this.kept.schedule("nightly", rate.trigger(), TICK);
		this.clock.set(TICK);
		look(rate);
		this.clock.set(TICK.plusSeconds(4));
		this.runner.runNow(rate, null, this.runs::add);
		assertThat(look(rate)).isEqualTo(Duration.ofSeconds(11));
		this.clock.set(TICK.plusSeconds(15));
		look(rate);
		assertTicks(TICK, TICK.plusSeconds(4), TICK.plusSeconds(15));
	}

	@Test
	void aRunByTheWishOfSomebodyAtTheVeryTickLeavesThatToTheSchedule() {
		this.clock.set(TICK);
		this.runner.runNow(terms("0 0 3 * * *", CatchUp.NONE, OnAbandoned.RERUN), null, this.runs::add);
		look("0 0 3 * * *", TICK.minusSeconds(1), CatchUp.NONE);
		assertTicks(TICK.plusMillis(1), TICK);
	}

	private @Nullable Duration look(Terms terms) {
		return next(this.runner.runDue(terms, this.kept.readState("nightly", terms.trigger(), TICK), this.runs::add));
	}

	@Test
	void anExceptionWhoseMessageThrowsIsRecordedAsAFailure() {
		this.runner.runNow(terms("0 0 3 * * *", CatchUp.NONE, OnAbandoned.RERUN), TICK, (run) -> {
			throw new IllegalStateException() {

				@Override
				public String getMessage() {
					throw new StackOverflowError();
				}

			};
		});
		assertThat(this.kept.last("nightly", 1)).singleElement().satisfies((run) -> {
			assertThat(run.outcome()).isEqualTo(JobOutcome.FAILED);
			assertThat(run.message()).isEqualTo("The exception's message cannot be read: java.lang.StackOverflowError");
		});
	}

	@Test
	void afterARunTheNextTickIsKnownWithoutALook() {
		schedule("0 0 3 * * *");
		this.clock.set(TICK);
		Terms terms = terms("0 0 3 * * *", CatchUp.NONE, OnAbandoned.RERUN);
		Seen seen = this.kept.readState("nightly", terms.trigger(), TICK.minusSeconds(1));
		assertThat(this.runner.runDue(terms, seen, this.runs::add)).satisfies((done) -> {
			assertThat(done.next()).isEqualTo(DAY);
			assertThat(done.after()).isNotNull()
				.isEqualTo(this.kept.readState("nightly", terms.trigger(), TICK.minusSeconds(1)));
		});
	}

	@Test
	void aJobThatIsMadeAtRunTimeIsRunUntilItIsUnscheduled() {
		this.jobs.schedule("made", JobSchedule.fixedRate(Duration.ofHours(1)).withRetries(1, Duration.ofSeconds(1)),
				this.runs::add);
		assertThatIllegalStateException()
			.isThrownBy(() -> this.jobs.schedule("made", JobSchedule.fixedDelay(Duration.ofHours(1)), this.runs::add))
			.withMessageContaining("already has a job 'made'");
		this.jobs.runDue();
		this.clock.set(TICK.plusSeconds(3000));
		this.jobs.runDue();
		assertThat(this.runs).hasSize(2);
		assertThat(this.jobs.unschedule("made")).isTrue();
		assertThat(this.jobs.unschedule("made")).isFalse();
		this.clock.set(TICK.plusSeconds(6600));
		this.jobs.runDue();
		assertThat(this.runs).hasSize(2);
	}

	@Test
	void aScheduleThatCannotBeRunIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> JobSchedule.fixedRate(Duration.ofMillis(99)))
			.withMessage("fixedRate must be at least 100 ms, but it is 99 ms");
		assertThatIllegalArgumentException().isThrownBy(() -> JobSchedule.cron("0 0 0 30 2 *", ZoneId.of("UTC")))
			.withMessageContaining("is never due");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> JobSchedule.fixedRate(Duration.ofDays(1)).withRetries(-1, Duration.ofDays(1)))
			.withMessage("retries must be at least 0, but it is -1");
	}

	@Test
	void workThatTakesTooLongIsInterruptedAndRetriedAsAFailure() {
		Terms terms = limited(Duration.ofMillis(100));
		this.kept.schedule("nightly", terms.trigger(), this.clock.get());
		this.clock.set(TICK);
		assertThat(look(terms, (run) -> new CountDownLatch(1).await())).isZero();
		assertThat(Thread.interrupted()).isFalse();
		assertThat(this.kept.last("nightly", 5)).singleElement().satisfies((run) -> {
			assertThat(run.outcome()).isEqualTo(JobOutcome.TIMED_OUT);
			assertThat(run.message()).contains("after its maxDuration of 100 ms");
			assertThat(run.failures()).isEqualTo(1);
		});
		this.clock.set(TICK.plusSeconds(60));
		look(terms, this.runs::add);
		assertThat(this.runs).extracting(JobRun::attempt).containsExactly(2);
	}

	@Test
	void workThatEndsInTimeIsNotInterrupted() {
		Terms terms = limited(Duration.ofDays(1));
		this.clock.set(TICK);
		look(terms, (run) -> {
			throw new IllegalStateException("no paper");
		});
		assertThat(this.kept.last("nightly", 5)).extracting(JobRun::outcome, JobRun::exception)
			.containsExactly(tuple(JobOutcome.FAILED, "java.lang.IllegalStateException"));
	}

	private static Terms limited(Duration most) {
		return new Terms("nightly", cron("0 0 3 * * *"), CatchUp.NONE, Duration.ofMinutes(5), OnAbandoned.RERUN, 3, 1,
				Duration.ofMinutes(1), most, OnLost.INTERRUPT);
	}

	private @Nullable Duration look(Terms terms, JobWork<?> work) {
		return next(
				this.runner.runDue(terms, this.kept.readState("nightly", terms.trigger(), TICK.minusSeconds(1)), work));
	}

	@Test
	void theEndOfWorkThatLeavesItsThreadInterruptedIsWrittenAllTheSame() {
		JobRun ended = this.jobs.run("nightly", TICK, (run) -> Thread.currentThread().interrupt()).orElseThrow();
		assertThat(Thread.interrupted()).isTrue();
		assertThat(ended.outcome()).isEqualTo(JobOutcome.SUCCEEDED);
		assertThat(this.jobs.last("nightly", 1)).containsExactly(ended);
	}

	@Test
	void workThatFailsAtTheEndOfTheApplicationIsLeftForOthers(CapturedOutput output) {
		Instant since = this.clock.get();
		this.clock.set(TICK);
		look("0 0 3 * * *", since, CatchUp.NONE, (run) -> {
			this.runner.cutOff();
			throw new IllegalStateException("interrupted");
		});
		assertThat(this.jobs.last("nightly", 1)).extracting(JobRun::outcome, JobRun::cutOff)
			.containsExactly(tuple(JobOutcome.RUNNING, true));
		assertThat(output).contains("was cut off by the end of the application", "IllegalStateException: interrupted")
			.as("which would say that nobody runs it again")
			.doesNotContain("Job 'nightly' failed at its tick");
	}

	@Test
	void theLogTellsTheAttemptsOfATickApart(CapturedOutput output) {
		Instant since = this.clock.get();
		this.clock.set(TICK);
		for (int attempt = 1; attempt <= 2; attempt++) {
			look("0 0 3 * * *", since, CatchUp.NONE, (run) -> {
				throw new IllegalStateException("no printer");
			});
			this.clock.updateAndGet((time) -> time.plusSeconds(60));
		}
		assertThat(output).contains("Job 'nightly' failed at its tick 2026-05-04T01:00:00Z, in attempt 1",
				"Job 'nightly' failed at its tick 2026-05-04T01:00:00Z, in attempt 2");
	}

	@Test
	void aJobThatIsRunInsideARunOfItselfIsRefused() {
		this.jobs.run("nightly", TICK,
				(run) -> assertThatIllegalStateException()
					.isThrownBy(() -> this.jobs.run("nightly", TICK.plusSeconds(1), this.runs::add))
					.withMessageContaining("is already running on this thread"));
		assertTicks();
	}

	@Test
	void aRunOfALaterHolderIsNotTakenOverByCode() {
		this.kept.add(JobRun.begun("nightly", TICK, 1, Long.MAX_VALUE, TICK, "another"));
		assertThat(this.jobs.run("nightly", TICK, this.runs::add)).isEmpty();
		this.kept.add(JobRun.begun("other", TICK, 1, Long.MAX_VALUE, TICK, "another"));
		assertThat(this.jobs.run("other", TICK.plusSeconds(1), this.runs::add)).isEmpty();
		assertTicks();
	}

	@Test
	void workThatFailedIsRunAgainUnderTheSameTick() {
		Instant since = this.clock.get();
		this.clock.set(TICK);
		look("0 0 3 * * *", since, CatchUp.NONE, (run) -> {
			this.runs.add(run);
			throw new IllegalStateException("no paper");
		});
		assertThat(look("0 0 3 * * *", since, CatchUp.NONE)).isEqualTo(Duration.ofMinutes(1));
		this.clock.set(TICK.plusSeconds(60));
		look("0 0 3 * * *", since, CatchUp.NONE);
		assertThat(look("0 0 3 * * *", since, CatchUp.NONE)).isEqualTo(DAY.minusSeconds(60));
		assertTicks(TICK, TICK);
		assertThat(this.jobs.last("nightly", 5)).extracting(JobRun::attempt, JobRun::outcome)
			.containsExactly(tuple(2, JobOutcome.SUCCEEDED));
	}

	@Test
	void allTicksAreCaughtUpTheOldestFirst() {
		schedule("0 0 3 * * *");
		look("0 0 3 * * *", this.clock.get(), CatchUp.ALL);
		this.clock.set(TICK);
		look("0 0 3 * * *", TICK.minusSeconds(1), CatchUp.ALL);
		this.clock.set(TICK.plus(DAY.multipliedBy(3)).plusSeconds(3600));
		Instant since = this.clock.get();
		while (Duration.ZERO.equals(look("0 0 3 * * *", since, CatchUp.ALL))) {
			assertThat(this.runs).hasSizeLessThan(5);
		}
		assertTicks(TICK, TICK.plus(DAY), TICK.plus(DAY.multipliedBy(2)), TICK.plus(DAY.multipliedBy(3)));
	}

	@Test
	void theLockOfAJobIsOfOneRenewedAndNeitherAwaitedNorKeptWhateverIsSetForLocks() {
		LockOperations locks = Mockito.mock();
		BDDMockito.given(locks.tryAcquire(BDDMockito.any())).willReturn(Optional.empty());
		JobRunner runner = new JobRunner(locks, this.kept, (event) -> {
		}, "one");
		assertThat(runner.run("nightly", TICK, null, this.runs::add)).isNull();
		BDDMockito.then(locks)
			.should()
			.tryAcquire(ArgumentMatchers
				.assertArg((request) -> assertThat(request.settings()).returns(true, LockSettings::autoRenew)
					.returns(1, LockSettings::limit)
					.returns(Duration.ZERO, LockSettings::waitTimeout)
					.returns(Duration.ZERO, LockSettings::minHold)
					.returns(Duration.ZERO, LockSettings::linger)));
	}

}
