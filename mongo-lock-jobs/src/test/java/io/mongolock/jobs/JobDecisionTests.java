package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.springframework.scheduling.support.CronExpression;

import io.mongolock.jobs.JobDecision.Abandon;
import io.mongolock.jobs.JobDecision.Note;
import io.mongolock.jobs.JobDecision.Paused;
import io.mongolock.jobs.JobDecision.Run;
import io.mongolock.jobs.JobDecision.Seen;
import io.mongolock.jobs.JobDecision.Settle;
import io.mongolock.jobs.JobDecision.Terms;
import io.mongolock.jobs.JobDecision.Wait;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JobDecision}.
 */
@Execution(ExecutionMode.CONCURRENT)
class JobDecisionTests {

	private static final Instant START = Instant.parse("2026-05-04T00:00:00Z");

	private static final JobTrigger HOURLY = new JobTrigger.Cron(CronExpression.parse("0 0 * * * *"), ZoneOffset.UTC);

	private static final Instant ONE = START.plus(Duration.ofHours(1));

	private static final Instant TWO = START.plus(Duration.ofHours(2));

	@Test
	void aTickIsRunWithinItsGraceAndMissedAfter() {
		JobRun ran = begun(START, 1).ended(START, JobOutcome.SUCCEEDED, null);
		Duration grace = terms(CatchUp.NONE, OnAbandoned.RERUN).grace();
		assertThat(decide(CatchUp.NONE, 0, ONE.plus(grace), ran, null)).isEqualTo(new Run(ONE, null));
		Instant late = ONE.plus(grace).plusMillis(1);
		assertThat(decide(CatchUp.NONE, 0, late, ran, null)).isEqualTo(missed(ONE, ONE, 1));
		assertThat(decide(CatchUp.LAST, 0, late, ran, null)).isEqualTo(new Run(ONE, null));
	}

	@Test
	void ofSeveralTicksTheLastIsRunOnceTheOthersAreNotedTogether() {
		JobRun ran = begun(START, 1).ended(START, JobOutcome.SUCCEEDED, null);
		for (CatchUp catchUp : List.of(CatchUp.NONE, CatchUp.LAST)) {
			Instant now = TWO.plusSeconds(7200);
			assertThat(decide(catchUp, 0, now, ran, null)).isEqualTo(missed(ONE, now.minusSeconds(3600), 3));
			JobRun noted = JobRun.notRun("job", ONE, now.minusSeconds(3600), 3, now, JobOutcome.MISSED, "so", "one");
			assertThat(decide(catchUp, 0, now, noted, null)).isEqualTo(new Run(now, null));
		}
		Instant late = TWO.plusSeconds(1800);
		assertThat(decide(CatchUp.NONE, 0, late, ran, null)).isEqualTo(missed(ONE, TWO, 2));
	}

	@Test
	void aJobThatHasNeverRunBeginsWithTheFirstTickAfterTheStart() {
		Seen seen = seen(ONE.plusSeconds(9), ONE.plusSeconds(3), null, null, null);
		assertThat(JobDecision.decide(terms(CatchUp.LAST, OnAbandoned.RERUN), 0, seen)).isEqualTo(new Wait(TWO));
	}

	@Test
	void aRunThatGoesOnIsLeftAloneAndItsLockSaysWhetherItDoes() {
		JobRun open = begun(ONE, 1);
		assertThat(decide(CatchUp.NONE, 0, ONE.plusSeconds(9), open, open)).isEqualTo(new Settle(open));
		assertThat(decide(CatchUp.NONE, 0, TWO, open, open)).isEqualTo(skipped(TWO, TWO, 1, JobDecision.STILL_RAN));
		assertThat(decide(CatchUp.NONE, 2, TWO, open, open)).isEqualTo(new Run(ONE, open));
		// once for a run
		JobRun noted = JobRun.notRun("job", TWO, TWO, 1, TWO, JobOutcome.SKIPPED, JobDecision.STILL_RAN, "one");
		assertThat(decide(CatchUp.NONE, 0, TWO.plusSeconds(3600), noted, open)).isEqualTo(new Settle(open));
	}

	@Test
	void attemptsInWhichInstancesDieAreBounded() {
		JobRun open = begun(ONE, 1).again(1, ONE, "two");
		assertThat(decide(CatchUp.NONE, 2, ONE.plusSeconds(9), open, open)).isEqualTo(new Abandon(open));
		JobRun first = begun(ONE, 1);
		assertThat(JobDecision.decide(terms(CatchUp.NONE, OnAbandoned.REPORT), 2, seen(ONE, START, first, first, null)))
			.isEqualTo(new Abandon(first));
	}

	@Test
	void aClockThatWasSetBackNeitherRepeatsATickNorEndsTheJob() {
		JobRun ran = begun(ONE, 1).ended(ONE, JobOutcome.SUCCEEDED, null);
		// what comes later than now is not seen
		JobRun before = begun(START, 1).ended(START, JobOutcome.SUCCEEDED, null);
		assertThat(decide(CatchUp.LAST, 0, ONE.minusSeconds(60), before, null)).isEqualTo(new Wait(ONE));
		assertThat(decide(CatchUp.LAST, 0, ONE.plusSeconds(1), ran, null)).isEqualTo(new Wait(TWO));
	}

	@Test
	void aFailedRunIsRetriedWithADoubledDelayUntilTheNextTick() {
		JobRun first = begun(ONE, 1).ended(ONE, JobOutcome.FAILED, null);
		Duration minute = Duration.ofMinutes(1);
		assertThat(decide(CatchUp.NONE, 0, ONE, first, null)).isEqualTo(new Wait(ONE.plus(minute)));
		assertThat(decide(CatchUp.NONE, 0, ONE.plus(minute), first, null)).isEqualTo(new Run(ONE, first));
		JobRun second = failed(first, ONE);
		assertThat(decide(CatchUp.NONE, 0, ONE, second, null)).isEqualTo(new Wait(ONE.plus(minute.multipliedBy(2))));
		assertThat(decide(CatchUp.NONE, 0, TWO, second, null)).isEqualTo(new Run(TWO, null));
		JobRun late = failed(first, TWO.minusSeconds(60));
		assertThat(decide(CatchUp.NONE, 0, TWO.minusSeconds(60), late, null)).isEqualTo(new Wait(TWO));
		JobRun third = failed(second, ONE);
		assertThat(decide(CatchUp.NONE, 0, ONE.plus(minute.multipliedBy(4)), third, null)).isEqualTo(new Wait(TWO));
		StoredJob paused = new StoredJob("", START, START, START, new StoredJob.Pause("alice", "heavy", START), null);
		assertThat(JobDecision.decide(terms(CatchUp.NONE, OnAbandoned.RERUN), 0,
				seen(ONE.plus(minute), START, first, null, paused)))
			.isEqualTo(new Wait(TWO));
	}

	@Test
	void deathsAndFailuresAreCountedApart() {
		JobRun died = begun(ONE, 1).again(2, ONE, "two");
		JobRun failed = died.ended(ONE, JobOutcome.FAILED, null);
		assertThat(failed.deaths()).isEqualTo(1);
		assertThat(decide(CatchUp.NONE, 0, ONE, failed, null)).as("the first pause")
			.isEqualTo(new Wait(ONE.plus(Duration.ofMinutes(1))));
		JobRun third = failed.again(3, ONE, "three");
		assertThat(third.attempt()).isEqualTo(3);
		JobRun second = failed(begun(ONE, 1).ended(ONE, JobOutcome.FAILED, null), ONE).again(5, ONE, "one");
		assertThat(decide(CatchUp.NONE, 6, ONE, second, second)).as("the first death").isEqualTo(new Run(ONE, second));
	}

	@Test
	void aDeploymentIsNeitherADeathNorAFailure() {
		JobRun run = begun(ONE, 1);
		for (long fence = 2; fence < 20; fence++) {
			JobRun left = run.leftByCutOff();
			assertThat(decide(CatchUp.NONE, fence, ONE, left, left)).isEqualTo(new Run(ONE, left));
			run = left.again(fence, ONE, "next");
			assertThat(run.cutOff()).isFalse();
		}
		assertThat(run.attempt()).isEqualTo(19);
		assertThat(run.deaths() + run.failures()).isZero();
	}

	@Test
	void aPauseBeforeARetryIsBounded() {
		JobRun run = begun(ONE, 1).ended(ONE, JobOutcome.FAILED, null);
		for (int more = 0; more < 99; more++) {
			run = failed(run, ONE);
		}
		Terms terms = new Terms("job", new JobTrigger.Rate(Duration.ofDays(100_000)), CatchUp.NONE,
				Duration.ofMinutes(5), OnAbandoned.RERUN, 2, 1000, Duration.ofSeconds(1));
		assertThat(JobDecision.decide(terms, 0, seen(ONE, START, run, null, null)))
			.isEqualTo(new Wait(ONE.plusSeconds(1 << 20)));
	}

	@Test
	void aRetryIsAsLateAsATickMayBe() {
		JobRun failed = begun(ONE, 1).ended(ONE, JobOutcome.FAILED, null);
		Instant last = ONE.plus(Duration.ofMinutes(1)).plus(terms(CatchUp.NONE, OnAbandoned.RERUN).grace());
		assertThat(decide(CatchUp.NONE, 0, last, failed, null)).isEqualTo(new Run(ONE, failed));
		assertThat(decide(CatchUp.NONE, 0, last.plusMillis(1), failed, null)).isEqualTo(new Wait(TWO));
		assertThat(decide(CatchUp.LAST, 0, last.plusMillis(1), failed, null)).isEqualTo(new Run(ONE, failed));
	}

	@Test
	void ofAllTicksTheOldestIsRunAndAtMostAHundred() {
		JobRun ran = begun(START, 1).ended(START, JobOutcome.SUCCEEDED, null);
		assertThat(decide(CatchUp.ALL, 0, TWO.plusSeconds(1800), ran, null)).isEqualTo(new Run(ONE, null));
		Instant first = START.plus(Duration.ofHours(151));
		Instant now = START.plus(Duration.ofHours(250));
		assertThat(decide(CatchUp.ALL, 0, now, ran, null)).isEqualTo(
				new Note(ONE, first.minusSeconds(3600), 150, JobOutcome.MISSED, "more than 100 ticks were waiting"));
		JobRun noted = JobRun.notRun("job", ONE, first.minusSeconds(3600), 150, now, JobOutcome.MISSED, "so", "one");
		assertThat(decide(CatchUp.ALL, 0, now, noted, null)).isEqualTo(new Run(first, null));
		JobRun open = begun(ONE, 1);
		assertThat(decide(CatchUp.ALL, 0, TWO, open, open)).isEqualTo(new Settle(open));
	}

	@Test
	void aPausedJobSkipsItsTicksAndRunsNoneAgain() {
		StoredJob paused = new StoredJob("", START, START, START, new StoredJob.Pause("alice", "heavy", START), null);
		JobRun ran = begun(START, 1).ended(START, JobOutcome.SUCCEEDED, null);
		JobRun open = begun(ONE, 1);
		Terms terms = terms(CatchUp.LAST, OnAbandoned.RERUN);
		assertThat(JobDecision.decide(terms, 0, seen(ONE, START, ran, null, paused)))
			.isEqualTo(skipped(ONE, ONE, 1, JobDecision.PAUSED));
		assertThat(JobDecision.decide(terms, 0, seen(ONE.minusSeconds(1), START, ran, null, paused)))
			.isEqualTo(new Wait(ONE));
		assertThat(JobDecision.decide(terms, 2, seen(ONE, START, open, open, paused))).isEqualTo(new Abandon(open));
		assertThat(JobDecision.decide(terms(CatchUp.ALL, OnAbandoned.RERUN), 0, seen(TWO, START, open, open, paused)))
			.isEqualTo(skipped(TWO, TWO, 1, JobDecision.PAUSED));
		Terms delay = new Terms("job", new JobTrigger.Delay(Duration.ofHours(1)), CatchUp.NONE, Duration.ofMinutes(5),
				OnAbandoned.RERUN, 2, 0, Duration.ZERO);
		assertThat(JobDecision.decide(delay, 0, seen(TWO, START, ran, null, paused))).isEqualTo(new Paused());
	}

	@Test
	void aTickThatCameWhileTheLastRunWentOnIsSkippedThoughNobodyElseWasThere() {
		JobRun ran = begun(ONE, 1).ended(TWO, JobOutcome.SUCCEEDED, null);
		assertThat(decide(CatchUp.LAST, 0, TWO, ran, null)).isEqualTo(skipped(TWO, TWO, 1, JobDecision.STILL_RAN));
		// all of them in one note, which an instance may have begun meanwhile
		JobRun longer = begun(ONE, 1).ended(TWO.plusSeconds(7201), JobOutcome.SUCCEEDED, null);
		Instant last = TWO.plusSeconds(7200);
		assertThat(decide(CatchUp.LAST, 0, last.plusSeconds(9), longer, null))
			.isEqualTo(skipped(TWO, last, 3, JobDecision.STILL_RAN));
		JobRun noted = JobRun.notRun("job", TWO, TWO, 1, TWO, JobOutcome.SKIPPED, JobDecision.STILL_RAN, "two");
		Seen after = new Seen(last.plusSeconds(9), START, noted, longer, longer, null, null);
		assertThat(JobDecision.decide(terms(CatchUp.LAST, OnAbandoned.RERUN), 0, after))
			.isEqualTo(skipped(TWO.plusSeconds(3600), last, 2, JobDecision.STILL_RAN));
		JobRun rest = JobRun.notRun("job", TWO.plusSeconds(3600), last, 2, last, JobOutcome.SKIPPED,
				JobDecision.STILL_RAN, "two");
		Seen closed = new Seen(last.plusSeconds(9), START, rest, longer, longer, null, null);
		assertThat(JobDecision.decide(terms(CatchUp.LAST, OnAbandoned.RERUN), 0, closed))
			.isEqualTo(new Wait(last.plusSeconds(3600)));
		assertThat(decide(CatchUp.ALL, 0, TWO, ran, null)).isEqualTo(new Run(TWO, null));
		assertThat(decide(CatchUp.NONE, 0, TWO, begun(ONE, 1).ended(TWO.minusMillis(1), JobOutcome.FAILED, null), null))
			.isEqualTo(new Run(TWO, null));
		JobRun ahead = begun(ONE, 1).ended(TWO.plusSeconds(9), JobOutcome.SUCCEEDED, null);
		assertThat(decide(CatchUp.NONE, 0, TWO, ahead, null)).as("set back since").isEqualTo(new Run(TWO, null));
		JobRun left = begun(ONE, 1).ended(TWO, JobOutcome.ABANDONED, null);
		assertThat(decide(CatchUp.NONE, 0, TWO, left, null)).isEqualTo(new Run(TWO, null));
	}

	@Test
	void aPauseIsNotedOnceAndNothingOfItIsMadeUpFor() {
		StoredJob paused = new StoredJob("", START, START, START, new StoredJob.Pause("alice", "heavy", ONE), null);
		JobRun noted = JobRun.notRun("job", ONE, ONE, 1, ONE, JobOutcome.SKIPPED, "it is paused", "one");
		JobRun left = begun(START, 1);
		for (CatchUp catchUp : CatchUp.values()) {
			Terms terms = terms(catchUp, OnAbandoned.RERUN);
			assertThat(JobDecision.decide(terms, 0, seen(TWO, START, noted, null, paused)))
				.isEqualTo(new Wait(TWO.plusSeconds(3600)));
			assertThat(JobDecision.decide(terms, 0, seen(TWO, START, noted, left, paused))).isEqualTo(new Settle(left));
			Instant resumed = TWO.plusSeconds(1);
			assertThat(JobDecision.decide(terms, 0, seen(TWO.plusSeconds(9), resumed, noted, null, null)))
				.as("closed by its last tick")
				.isEqualTo(skipped(TWO, TWO, 1, JobDecision.PAUSED));
			JobRun closed = JobRun.notRun("job", TWO, TWO, 1, TWO, JobOutcome.SKIPPED, "it is paused", "one");
			assertThat(JobDecision.decide(terms, 0, seen(TWO.plusSeconds(9), resumed, closed, null, null)))
				.isEqualTo(new Wait(TWO.plusSeconds(3600)));
			assertThat(JobDecision.decide(terms, 0, seen(TWO.plusSeconds(3600), resumed, closed, null, null)))
				.isEqualTo(new Run(TWO.plusSeconds(3600), null));
			// resumed while the clock was ahead
			assertThat(JobDecision.decide(terms, 0, seen(TWO, TWO.plusSeconds(9999), noted, null, null)))
				.isEqualTo(new Run(TWO, null));
		}
	}

	@Test
	void ticksCountFromTheFirstInstanceThatHadTheScheduleOrFromTheResumption() {
		Instant here = TWO;
		Instant now = TWO.plusSeconds(9);
		StoredJob same = new StoredJob(HOURLY.toString(), TWO, ONE, START, null, null);
		assertThat(same.from(HOURLY, here, now)).isEqualTo(ONE);
		assertThat(same.from(HOURLY, START.minusSeconds(1), now)).as("not before it is declared").isEqualTo(START);
		assertThat(same.from(HOURLY, START.plusSeconds(1), now)).as("this instance had it before")
			.isEqualTo(START.plusSeconds(1));
		assertThat(same.from(null, here, now)).isEqualTo(TWO);
		StoredJob changed = new StoredJob("cron 0 0 3 * * * (Z)", TWO, ONE, START, null, null);
		assertThat(changed.from(HOURLY, here, now)).as("another instance has another one").isEqualTo(TWO);
		StoredJob resumed = new StoredJob(HOURLY.toString(), TWO, ONE, now, null, null);
		assertThat(resumed.from(HOURLY, here, now)).isEqualTo(now);
		assertThat(resumed.from(HOURLY, here, now.minusMillis(1))).as("set back since").isEqualTo(ONE);
	}

	@Test
	void aJobIsOverdueFromTheFirstTickThatNoRunHasSucceededFor() {
		JobRun success = begun(ONE, 1).ended(ONE, JobOutcome.SUCCEEDED, null);
		assertThat(overdueFrom(START, null, null)).isEqualTo(ONE);
		assertThat(overdueFrom(START, success, null)).isEqualTo(TWO);
		// what runs is not late, but a run that meets the next tick is
		assertThat(overdueFrom(START, null, begun(ONE, 1))).isEqualTo(TWO);
		assertThat(overdueFrom(START, success, begun(START, 2))).isEqualTo(TWO);
		// nor does a run keep an earlier tick from being so
		assertThat(overdueFrom(START, success, begun(TWO.plusSeconds(3600), 1))).isEqualTo(TWO);
		// what was before it was resumed is not expected
		assertThat(overdueFrom(TWO.plusSeconds(1), success, null)).isEqualTo(START.plus(Duration.ofHours(3)));
	}

	private static Instant overdueFrom(Instant since, @Nullable JobRun success, @Nullable JobRun open) {
		return StoredJob.overdueFrom(HOURLY, new Seen(TWO, since, success, success, success, open, null));
	}

	@Test
	void aPeriodIsNotOverdueBeforeItsNextTickOnceItIsResumedOrChanged() {
		JobRun success = begun(ONE, 1).ended(ONE, JobOutcome.SUCCEEDED, null);
		Instant resumed = ONE.plusSeconds(60);
		Instant next = ONE.plus(Duration.ofDays(1));
		for (JobTrigger trigger : List.of(new JobTrigger.Rate(Duration.ofDays(1)),
				new JobTrigger.Delay(Duration.ofDays(1)))) {
			Seen seen = new Seen(TWO, resumed, success, success, success, null, null);
			assertThat(trigger.next(TWO, resumed, success)).isEqualTo(next);
			assertThat(StoredJob.overdueFrom(trigger, seen)).as(trigger.toString()).isEqualTo(next);
			JobRun failed = begun(next, 1).ended(next, JobOutcome.FAILED, null);
			Seen later = new Seen(next.plusSeconds(1), resumed, failed, failed, success, null, null);
			assertThat(StoredJob.overdueFrom(trigger, later)).as(trigger.toString()).isEqualTo(next);
		}
	}

	@Test
	void aRunByHandDoesNotHideThatRunsAfterADelayFail() {
		JobTrigger delay = new JobTrigger.Delay(Duration.ofSeconds(10));
		JobRun byHand = JobRun.byHand("job", ONE, 2, ONE, "one").ended(ONE, JobOutcome.SUCCEEDED, null);
		JobRun failed = begun(TWO, 1).ended(TWO, JobOutcome.FAILED, null);
		assertThat(StoredJob.overdueFrom(delay, new Seen(TWO, START, failed, failed, byHand, null, null)))
			.isEqualTo(ONE.plusSeconds(10));
	}

	@Test
	void aRunByHandMovesNoTickOfARate() {
		JobTrigger rate = new JobTrigger.Rate(Duration.ofSeconds(10));
		Terms terms = new Terms("job", rate, CatchUp.NONE, Duration.ofMinutes(5), OnAbandoned.RERUN, 2, 0,
				Duration.ofSeconds(1));
		JobRun last = begun(ONE, 1).ended(ONE, JobOutcome.SUCCEEDED, null);
		JobRun byHand = JobRun.byHand("job", ONE.plusSeconds(5), 2, ONE.plusSeconds(5), "one")
			.ended(ONE.plusSeconds(5), JobOutcome.SUCCEEDED, null);
		Seen seen = new Seen(ONE.plusSeconds(6), START, last, byHand, byHand, null, null);
		assertThat(JobDecision.decide(terms, 0, seen)).isEqualTo(new Wait(ONE.plusSeconds(10)));
		assertThat(StoredJob.overdueFrom(rate, seen)).isEqualTo(ONE.plusSeconds(10));
		JobRun later = begun(ONE.plusSeconds(30), 1).ended(ONE.plusSeconds(30), JobOutcome.FAILED, null);
		assertThat(StoredJob.overdueFrom(rate, new Seen(ONE.plusSeconds(31), START, later, later, byHand, null, null)))
			.isEqualTo(ONE.plusSeconds(10));
	}

	/**
	 * Two instances, three ticks. Each step is one that a real one could be interrupted
	 * after: read, ask for the lock, read again, write, begin, end, release; an instance
	 * may die, or stand still until its lease is over, and go on; work may fail; the
	 * server's clock may step back once. All orders of all of these are walked, with the
	 * decisions of the product.
	 */
	@Test
	void inNoOrderOfStepsATickIsRunTwiceWithoutASecondAttemptOrForgotten() {
		for (OnAbandoned onAbandoned : OnAbandoned.values()) {
			Search search = search(CatchUp.NONE, onAbandoned, 0);
			search.walk((onAbandoned == OnAbandoned.RERUN) ? 1 : 0, false);
			assertThat(search.seen).hasSizeGreaterThan(10_000);
			assertThat(search.outcomes).contains(JobOutcome.SUCCEEDED, JobOutcome.ABANDONED, JobOutcome.SKIPPED,
					JobOutcome.RUNNING);
		}
	}

	@Test
	void inNoOrderOfStepsARetryRunsBesideAnotherOrForever() {
		Search search = search(CatchUp.NONE, OnAbandoned.RERUN, 1);
		search.walk(0, true);
		assertThat(search.outcomes).contains(JobOutcome.FAILED, JobOutcome.SUCCEEDED, JobOutcome.RUNNING);
	}

	@Test
	void inNoOrderOfStepsATickIsLeftOutThatIsCaughtUp() {
		Search search = search(CatchUp.ALL, OnAbandoned.RERUN, 0);
		search.walk(1, false);
		assertThat(search.outcomes).doesNotContain(JobOutcome.SKIPPED, JobOutcome.MISSED);
	}

	private static Search search(CatchUp catchUp, OnAbandoned onAbandoned, int retries) {
		return new Search(new Terms("job", new JobTrigger.Rate(Duration.ofSeconds(1)), catchUp, Duration.ofSeconds(1),
				onAbandoned, 2, retries, Duration.ZERO));
	}

	private static JobDecision decide(CatchUp catchUp, long fence, Instant now, @Nullable JobRun last,
			@Nullable JobRun open) {
		return JobDecision.decide(terms(catchUp, OnAbandoned.RERUN), fence, seen(now, START, last, open, null));
	}

	private static Terms terms(CatchUp catchUp, OnAbandoned onAbandoned) {
		return new Terms("job", HOURLY, catchUp, Duration.ofMinutes(5), onAbandoned, 2, 2, Duration.ofMinutes(1));
	}

	// As when all is read, and the last run is the last record
	private static Seen seen(Instant now, Instant since, @Nullable JobRun last, @Nullable JobRun open,
			@Nullable StoredJob stored) {
		JobRun ran = (last != null && last.attempt() > 0) ? last : null;
		return new Seen(now, since, last, ran, (ran != null && ran.outcome() == JobOutcome.SUCCEEDED) ? ran : null,
				open, stored);
	}

	private static JobRun failed(JobRun before, Instant at) {
		return before.again(1, ONE, "one").ended(at, JobOutcome.FAILED, null);
	}

	private static Note missed(Instant first, Instant last, int ticks) {
		return new Note(first, last, ticks, JobOutcome.MISSED, JobDecision.NOBODY);
	}

	private static Note skipped(Instant first, Instant last, int ticks, String why) {
		return new Note(first, last, ticks, JobOutcome.SKIPPED, why);
	}

	private static JobRun begun(Instant tick, int attempt) {
		return JobRun.begun("job", tick, attempt, 1, tick, "one");
	}

	/** Where an instance is. */
	private enum At {

		IDLE, ASKING, LOCKED, WRITING, WORKING, DEAD

	}

	/**
	 * An instance.
	 *
	 * @param at where it is
	 * @param holds whether it holds the lock, as the server sees it
	 * @param fence the fence that it was granted
	 * @param plan what it has decided
	 * @param run what it runs
	 */
	private record Instance(At at, boolean holds, int fence, @Nullable JobDecision plan, @Nullable JobRun run) {

	}

	/**
	 * All that there is.
	 *
	 * @param now the time of the server, in seconds
	 * @param back whether that was set back
	 * @param deaths how many instances may still die
	 * @param losses how many leases may still end though their holder lives
	 * @param fence the last fence
	 * @param instances two
	 * @param runs what is kept
	 * @param begun ticks and attempts whose work has begun, each time
	 */
	private record World(int now, boolean back, int deaths, int losses, int fence, List<Instance> instances,
			List<JobRun> runs, List<String> begun) {

	}

	private static final class Search {

		private static final int LAST = 2;

		private final Terms terms;

		private final Set<World> seen = new HashSet<>();

		private final Deque<World> open = new ArrayDeque<>();

		private final Set<JobOutcome> outcomes = new HashSet<>();

		private Search(Terms terms) {
			this.terms = terms;
		}

		private void walk(int losses, boolean back) {
			Instance idle = new Instance(At.IDLE, false, 0, null, null);
			visit(new World(0, back, 1, losses, 0, List.of(idle, idle), List.of(), List.of()));
			while (!this.open.isEmpty()) {
				next(this.open.pop());
			}
		}

		private void visit(World world) {
			if (this.seen.add(world)) {
				check(world);
				this.open.push(world);
			}
		}

		// Plainly, as it is asked often
		private void check(World world) {
			List<JobRun> runs = world.runs();
			runs.forEach((run) -> this.outcomes.add(run.outcome()));
			require(runs.stream().map(JobRun::tick).distinct().count() == runs.size(), "a tick is kept twice", world);
			require(new HashSet<>(world.begun()).size() == world.begun().size(), "an attempt has begun twice", world);
			// An instance that has nothing to do has left nothing to do
			if (world.now() == LAST && JobDecision.decide(this.terms, 0, see(world)) instanceof Wait) {
				require(runs.stream().noneMatch((run) -> run.outcome() == JobOutcome.RUNNING), "a run is left", world);
				require(runs.stream().mapToInt(JobRun::ticks).sum() >= LAST + 1, "a tick is forgotten", world);
				require(runs.stream()
					.filter((run) -> run.tick().equals(START.plusSeconds(LAST)))
					.noneMatch((run) -> run.outcome() == JobOutcome.FAILED && run.failures() <= this.terms.retries()),
						"the last tick is not retried", world);
			}
			// Work whose lock is held is the run that is kept, so no two overlap
			for (Instance one : world.instances()) {
				require(one.at() != At.WORKING || !one.holds() || runs.contains(one.run()), "a run was taken over",
						world);
			}
		}

		private static void require(boolean kept, String broken, World world) {
			if (!kept) {
				throw new AssertionError(broken + ": " + world);
			}
		}

		private void next(World world) {
			if (world.now() < LAST) {
				visit(new World(world.now() + 1, world.back(), world.deaths(), world.losses(), world.fence(),
						world.instances(), world.runs(), world.begun()));
			}
			if (!world.back() && world.now() > 0) {
				visit(new World(world.now() - 1, true, world.deaths(), world.losses(), world.fence(), world.instances(),
						world.runs(), world.begun()));
			}
			for (int who = 0; who < 2; who++) {
				Instance one = world.instances().get(who);
				if (one.at() == At.DEAD) {
					if (one.holds()) {
						visit(with(world, who, new Instance(At.DEAD, false, 0, null, null)));
					}
					continue;
				}
				if (world.deaths() > 0) {
					World died = with(world, who, new Instance(At.DEAD, one.holds(), 0, null, null));
					visit(new World(died.now(), died.back(), died.deaths() - 1, died.losses(), died.fence(),
							died.instances(), died.runs(), died.begun()));
				}
				if (one.holds() && world.losses() > 0) {
					World lost = with(world, who, new Instance(one.at(), false, one.fence(), one.plan(), one.run()));
					visit(new World(lost.now(), lost.back(), lost.deaths(), lost.losses() - 1, lost.fence(),
							lost.instances(), lost.runs(), lost.begun()));
				}
				step(world, who, one);
			}
		}

		// As JobRunner does it
		private void step(World world, int who, Instance one) {
			switch (one.at()) {
				case IDLE -> {
					JobDecision plan = JobDecision.decide(this.terms, 0, see(world));
					if (!(plan instanceof Wait)) {
						visit(with(world, who, new Instance(At.ASKING, false, 0, plan, null)));
					}
				}
				case ASKING -> {
					if (world.instances().stream().noneMatch(Instance::holds)) {
						World granted = with(world, who, new Instance(At.LOCKED, true, world.fence() + 1, null, null));
						visit(new World(granted.now(), granted.back(), granted.deaths(), granted.losses(),
								granted.fence() + 1, granted.instances(), granted.runs(), granted.begun()));
					}
					else if (isSkip(one.plan())
							&& world.runs().stream().anyMatch((run) -> run.outcome() == JobOutcome.RUNNING)) {
						visit(with(write(world, one.plan()), who, idle(false)));
					}
					else {
						visit(with(world, who, idle(false)));
					}
				}
				case LOCKED -> visit(with(world, who, new Instance(At.WRITING, one.holds(), one.fence(),
						JobDecision.decide(this.terms, one.fence(), see(world)), one.run())));
				case WRITING -> write(world, who, one);
				case WORKING -> {
					JobRun run = Objects.requireNonNull(one.run());
					// released with the end, or lost before
					visit(with(replace(world, run, run.ended(run.startedAt(), JobOutcome.SUCCEEDED, null)), who,
							idle(false)));
					if (this.terms.retries() > 0 && mayFail(world)) {
						visit(with(replace(world, run, run.ended(run.startedAt(), JobOutcome.FAILED, null)), who,
								idle(false)));
					}
				}
				case DEAD -> {
				}
			}
		}

		// Once, which is enough to have one attempt too many
		private static boolean mayFail(World world) {
			return world.runs().stream().noneMatch((run) -> run.outcome() == JobOutcome.FAILED || run.attempt() > 1);
		}

		private void write(World world, int who, Instance one) {
			if (one.plan() instanceof Abandon abandon) {
				JobRun left = abandon.left();
				visit(with(replace(world, left, left.ended(left.startedAt(), JobOutcome.ABANDONED, null)), who,
						new Instance(At.LOCKED, one.holds(), one.fence(), null, null)));
			}
			else if (one.plan() instanceof Note) {
				World written = write(world, one.plan());
				visit(with(written, who, (written.equals(world)) ? idle(false)
						: new Instance(At.LOCKED, one.holds(), one.fence(), null, null)));
			}
			else if (one.plan() instanceof Run run) {
				JobRun left = run.left();
				JobRun begun = (left != null) ? left.again(one.fence(), run.tick(), "i" + who)
						: JobRun.begun("job", run.tick(), 1, one.fence(), run.tick(), "i" + who);
				World written = (left != null) ? replace(world, left, begun) : add(world, begun);
				boolean mine = !written.equals(world);
				if (mine && one.holds()) {
					List<String> all = new ArrayList<>(written.begun());
					all.add(begun.tick() + " " + begun.attempt());
					World working = with(written, who, new Instance(At.WORKING, true, one.fence(), null, begun));
					visit(new World(working.now(), working.back(), working.deaths(), working.losses(), working.fence(),
							working.instances(), working.runs(), all));
				}
				else {
					visit(with(written, who, idle(false)));
				}
			}
			else {
				visit(with(world, who, idle(false)));
			}
		}

		private static Instance idle(boolean holds) {
			return new Instance(At.IDLE, holds, 0, null, null);
		}

		private Seen see(World world) {
			Instant now = START.plusSeconds(world.now());
			List<JobRun> until = world.runs().stream().filter((run) -> !run.tick().isAfter(now)).toList();
			return new Seen(now, START, newest(until, (run) -> true), newest(until, (run) -> run.attempt() > 0),
					newest(until, (run) -> run.outcome() == JobOutcome.SUCCEEDED),
					newest(world.runs(), (run) -> run.outcome() == JobOutcome.RUNNING), null);
		}

		private static @Nullable JobRun newest(List<JobRun> runs, Predicate<JobRun> which) {
			return runs.stream()
				.filter(which)
				.reduce((one, other) -> (one.tick().isAfter(other.tick())) ? one : other)
				.orElse(null);
		}

		private static boolean isSkip(@Nullable JobDecision plan) {
			return plan instanceof Note note && note.outcome() == JobOutcome.SKIPPED;
		}

		private static World write(World world, @Nullable JobDecision plan) {
			if (plan instanceof Note note) {
				return add(world, JobRun.notRun("job", note.first(), note.last(), note.ticks(), note.last(),
						note.outcome(), note.why(), ""));
			}
			return world;
		}

		private static World add(World world, JobRun run) {
			if (world.runs().stream().anyMatch((one) -> one.tick().equals(run.tick()))) {
				return world;
			}
			List<JobRun> runs = new ArrayList<>(world.runs());
			runs.add(run);
			return new World(world.now(), world.back(), world.deaths(), world.losses(), world.fence(),
					world.instances(), sorted(runs), world.begun());
		}

		private static World replace(World world, JobRun before, JobRun after) {
			List<JobRun> runs = new ArrayList<>(world.runs());
			runs.replaceAll((run) -> (run.tick().equals(before.tick()) && run.fence() == before.fence()
					&& run.attempt() == before.attempt() && run.outcome() == before.outcome()) ? after : run);
			return new World(world.now(), world.back(), world.deaths(), world.losses(), world.fence(),
					world.instances(), sorted(runs), world.begun());
		}

		private static List<JobRun> sorted(List<JobRun> runs) {
			return runs.stream().sorted((one, other) -> one.tick().compareTo(other.tick())).toList();
		}

		private static World with(World world, int who, Instance one) {
			List<Instance> instances = new ArrayList<>(world.instances());
			instances.set(who, one);
			return new World(world.now(), world.back(), world.deaths(), world.losses(), world.fence(), instances,
					world.runs(), world.begun());
		}

	}

}
