package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.result.UpdateResult;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.ArgumentMatchers;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.mongodb.core.CollectionCallback;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.scheduling.support.CronExpression;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockSettings;
import io.mongolock.LossReason;
import io.mongolock.jobs.JobDecision.Seen;
import io.mongolock.jobs.JobDecision.Terms;
import io.mongolock.jobs.JobRunner.Attempt;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests for {@link JobRunner}, by a clock of the server that is set.
 */
@ExtendWith(OutputCaptureExtension.class)
class JobRunnerTests {

	/** Three o'clock in Berlin. */
	private static final Instant TICK = Instant.parse("2026-05-04T01:00:00Z");

	private static final Duration DAY = Duration.ofDays(1);

	private final AtomicReference<Instant> clock = new AtomicReference<>(TICK.minusSeconds(600));

	private final EmbeddedMongo server = EmbeddedMongo.builder().clock(this.clock::get).start();

	private final List<JobRun> runs = new CopyOnWriteArrayList<>();

	private ConfigurableApplicationContext application;

	@BeforeEach
	void start() {
		this.application = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("spring.mongodb.uri=" + this.server.connectionString(), "spring.mongodb.database=shop",
					"spring.main.banner-mode=off", "mongo-lock.jobs.history=1h")
			.run();
	}

	@AfterEach
	void end() {
		this.application.close();
		this.server.close();
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
	void ofTheTicksAtWhichNobodyWasThereTheLastIsMissedOrCaughtUp() {
		schedule("0 0 3 * * *");
		look("0 0 3 * * *", this.clock.get(), CatchUp.NONE);
		this.clock.set(TICK);
		look("0 0 3 * * *", TICK.minusSeconds(1), CatchUp.NONE);
		this.clock.set(TICK.plus(DAY.multipliedBy(3)).plusSeconds(3600));
		look("0 0 3 * * *", this.clock.get(), CatchUp.NONE);
		assertTicks(TICK);
		assertThat(jobs().last("nightly", 5)).extracting(JobRun::tick, JobRun::outcome)
			.startsWith(tuple(TICK.plus(DAY.multipliedBy(3)), JobOutcome.MISSED));
		this.clock.set(TICK.plus(DAY.multipliedBy(5)).plusSeconds(3600));
		look("0 0 3 * * *", this.clock.get(), CatchUp.LAST);
		assertTicks(TICK, TICK.plus(DAY.multipliedBy(5)));
		this.clock.set(TICK.plus(DAY.multipliedBy(6)).plusSeconds(290));
		look("0 0 3 * * *", this.clock.get(), CatchUp.NONE);
		assertTicks(TICK, TICK.plus(DAY.multipliedBy(5)), TICK.plus(DAY.multipliedBy(6)));
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
		JobRuns kept = this.application.getBean(JobRuns.class);
		JobTrigger trigger = cron("0 * * * * *");
		assertThat(kept.overdueFrom("nightly", trigger, kept.see("nightly", trigger, changed)))
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
	void whatANewerVersionOrSomebodyByHandHasWrittenIsShownAndEndsNoJob() {
		JobRuns kept = this.application.getBean(JobRuns.class);
		schedule("0 0 3 * * *");
		kept.schedule("removed", cron("0 0 3 * * *"), Instant.EPOCH);
		kept.add(JobRun.begun("removed", TICK, 1, 0, TICK, "gone"));
		MongoCollection<Document> collection = this.application.getBean(MongoTemplate.class)
			.getCollection("lockJobRuns");
		Document id = new Document("job", "nightly").append("tick", Date.from(TICK));
		collection.insertMany(List.of(
				new Document("_id", id).append("job", "nightly")
					.append("tick", Date.from(TICK))
					.append("attempt", 1)
					.append("fence", 1L)
					.append("startedAt", Date.from(TICK))
					.append("outcome", "PUT_OFF"),
				// incomplete, in part of other types, and two that name no job
				new Document("job", "nightly").append("outcome", "RUNNING").append("runner", 7),
				new Document("job", "nightly").append("tick", Date.from(TICK.plus(DAY))).append("outcome", "RUNNING"),
				new Document("job", "nightly").append("tick", "now").append("attempt", "1").append("outcome", 7),
				new Document("job", List.of("nightly", 7)), new Document("job", 7),
				new Document("_id", new Document("job", 7)), new Document("_id", "other"),
				new Document("_id", new Document("job", "paused")).append("paused", true),
				new Document("_id", new Document("job", "odd")).append("schedule", 7)
					.append("since", "now")
					.append("paused", new Document("at", "now"))));
		this.clock.set(TICK.plus(DAY.multipliedBy(2)));
		assertThat(jobs().run("nightly", TICK, this.runs::add)).as("may have been run").isEmpty();
		assertThat(look("0 0 3 * * *", this.clock.get(), CatchUp.NONE)).isZero();
		assertThat(look("0 0 3 * * *", this.clock.get(), CatchUp.NONE)).isEqualTo(DAY);
		assertTicks(TICK.plus(DAY.multipliedBy(2)));
		assertThat(jobs().last("nightly", 10)).extracting(JobRun::outcome)
			.hasSize(6)
			.contains(JobOutcome.SUCCEEDED, JobOutcome.UNKNOWN);
		assertThat(kept.names()).contains("nightly", "removed", "paused", "odd");
		for (String name : List.of("paused", "odd")) {
			assertThat(kept.see(name, null, TICK).paused()).isTrue();
			kept.schedule(name, cron("0 0 3 * * *"), this.clock.get());
			assertThat(kept.see(name, null, TICK).paused()).isTrue();
		}
		this.application.getBean(JobRunner.class).abandonUnattended(this.clock.get());
		assertThat(jobs().last("removed", 1)).extracting(JobRun::outcome).containsExactly(JobOutcome.ABANDONED);
	}

	@Test
	void whatCannotBeAbandonedKeepsNobodyFromAbandoningTheRest() {
		JobRuns kept = this.application.getBean(JobRuns.class);
		for (String job : List.of("", "removed")) {
			kept.schedule(job, cron("0 0 3 * * *"), Instant.EPOCH);
			kept.add(JobRun.begun(job, TICK.plusSeconds(10L - job.length()), 1, 0, TICK, "gone"));
		}
		this.application.getBean(JobRunner.class).abandonUnattended(TICK);
		assertThat(jobs().last("removed", 1)).extracting(JobRun::outcome).containsExactly(JobOutcome.ABANDONED);
	}

	@Test
	void aSkippedTickThatAnotherInstanceHasNotedIsNotLookedAtAgainAtOnce() {
		JobRuns kept = this.application.getBean(JobRuns.class);
		JobRun ran = JobRun.begun("nightly", TICK.minus(DAY), 1, 1, TICK.minus(DAY), "one")
			.ended(TICK, JobOutcome.SUCCEEDED, null);
		Seen seen = new Seen(TICK, TICK.minus(DAY), ran, null, null);
		JobRunner runner = this.application.getBean(JobRunner.class);
		Terms terms = terms("0 0 3 * * *", CatchUp.NONE, OnAbandoned.RERUN);
		assertThat(runner.bringOn(terms, seen, this.runs::add)).isZero();
		assertThat(runner.bringOn(terms, seen, this.runs::add)).isNull();
		assertThat(kept.last("nightly", 5)).extracting(JobRun::outcome).containsExactly(JobOutcome.SKIPPED);
	}

	@Test
	void theLastRunOutlivesTheHistory() {
		Instant since = this.clock.get();
		this.application.getBean(JobRuns.class).createIndexes();
		for (int day = 0; day < 3; day++) {
			this.clock.set(TICK.plus(DAY.multipliedBy(day)));
			look("0 0 3 * * *", since, CatchUp.NONE);
		}
		this.clock.set(this.clock.get().plus(DAY).minusSeconds(1));
		this.server.runTtlMonitor();
		assertThat(jobs().last("nightly", 5)).extracting(JobRun::tick).containsExactly(TICK.plus(DAY.multipliedBy(2)));
		assertThat(look("0 0 3 * * *", since, CatchUp.LAST)).isEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void theLastSuccessOutlivesTheHistorySoThatItStaysOverdueFromThere() {
		JobRuns kept = this.application.getBean(JobRuns.class);
		kept.createIndexes();
		Instant since = this.clock.get();
		JobTrigger trigger = cron("0 0 3 * * *");
		kept.schedule("nightly", trigger, since);
		for (int day = 0; day < 4; day++) {
			boolean fails = day > 0;
			this.clock.set(TICK.plus(DAY.multipliedBy(day)));
			look("0 0 3 * * *", since, CatchUp.NONE, (run) -> {
				if (fails) {
					throw new IllegalStateException("no paper");
				}
			});
			this.server.runTtlMonitor();
		}
		assertThat(kept.overdueFrom("nightly", trigger, kept.see("nightly", trigger, since))).isEqualTo(TICK.plus(DAY));
		this.clock.set(TICK.plus(DAY.multipliedBy(4)));
		look("0 0 3 * * *", since, CatchUp.NONE);
		this.clock.set(TICK.plus(DAY.multipliedBy(5)).minusSeconds(1));
		this.server.runTtlMonitor();
		assertThat(jobs().last("nightly", 5)).extracting(JobRun::tick).containsExactly(TICK.plus(DAY.multipliedBy(4)));
	}

	@Test
	void aWishBesideARunThatWasLeftTakesThatUp() {
		JobRuns kept = this.application.getBean(JobRuns.class);
		JobRunner runner = this.application.getBean(JobRunner.class);
		Instant other = TICK.minus(DAY);
		kept.add(JobRun.begun("nightly", other, 1, 0, other, "another").ended(other, JobOutcome.FAILED, null));
		kept.add(JobRun.begun("nightly", TICK, 1, 0, TICK, "gone"));
		this.clock.set(TICK.plusSeconds(60));
		runner.runNow(terms("0 0 3 * * *", CatchUp.NONE, OnAbandoned.RERUN), other, this.runs::add);
		assertTicks();
		runner.runNow(terms("0 0 3 * * *", CatchUp.NONE, OnAbandoned.RERUN), null, this.runs::add);
		assertThat(jobs().last("nightly", 5)).extracting(JobRun::tick, JobRun::attempt, JobRun::outcome)
			.containsExactly(tuple(TICK, 2, JobOutcome.SUCCEEDED), tuple(other, 1, JobOutcome.FAILED));
	}

	@Test
	void aWishBesideARunThatIsNotRunAgainRecordsThatAsAbandoned() {
		JobRuns kept = this.application.getBean(JobRuns.class);
		kept.add(JobRun.begun("nightly", TICK, 1, 0, TICK, "gone"));
		this.clock.set(TICK.plusSeconds(60));
		this.application.getBean(JobRunner.class)
			.runNow(terms("0 0 3 * * *", CatchUp.NONE, OnAbandoned.REPORT), null, this.runs::add);
		assertTicks(TICK.plusSeconds(60));
		assertThat(jobs().last("nightly", 5)).extracting(JobRun::outcome)
			.containsExactly(JobOutcome.SUCCEEDED, JobOutcome.ABANDONED);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aListenerThatFailsDoesNotKeepAJobFromRunning(boolean error) {
		JobRunner runner = new JobRunner(this.application.getBean(LockOperations.class),
				this.application.getBean(JobRuns.class), (event) -> {
					if (error) {
						throw new NoClassDefFoundError("Paper");
					}
					throw new IllegalStateException("no listener");
				}, "one");
		assertThat(runner.run("nightly", TICK, this.runs::add)).isNotNull();
		assertTicks(TICK);
		assertThat(jobs().last("nightly", 1)).extracting(JobRun::outcome).containsExactly(JobOutcome.SUCCEEDED);
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
		JobRunner runner = new JobRunner(locks, this.application.getBean(JobRuns.class), (event) -> {
		}, "one");
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> runner.run("nightly", TICK, this.runs::add));
		assertTicks();
		assertThat(jobs().last("nightly", 1)).extracting(JobRun::outcome).containsExactly(JobOutcome.RUNNING);
		jobs().run("nightly", TICK, this.runs::add);
		assertThat(this.runs).extracting(JobRun::attempt).containsExactly(2);
	}

	@Test
	void workThatFailedAfterItsLockWasLostIsLeftForOthers() {
		LockHandle handle = Mockito.mock();
		BDDMockito.given(handle.key()).willReturn("job:nightly");
		BDDMockito.given(handle.isHeld()).willReturn(false);
		LockOperations locks = Mockito.mock();
		BDDMockito.given(locks.tryAcquire(BDDMockito.any())).willReturn(Optional.of(handle));
		JobRunner runner = new JobRunner(locks, this.application.getBean(JobRuns.class), (event) -> {
		}, "one");
		assertThat(runner.run("nightly", TICK, (run) -> {
			throw new IllegalStateException("cancelled");
		})).isNotNull();
		assertThat(jobs().last("nightly", 1)).extracting(JobRun::outcome).containsExactly(JobOutcome.RUNNING);
		jobs().run("nightly", TICK, this.runs::add);
		assertThat(this.runs).extracting(JobRun::attempt).containsExactly(2);
	}

	@Test
	void anEndThatCannotBeWrittenAtTheEndOfTheApplicationIsSaid(CapturedOutput output) {
		LockHandle handle = Mockito.mock();
		BDDMockito.given(handle.isHeld()).willReturn(true);
		LockOperations locks = Mockito.mock();
		BDDMockito.given(locks.tryAcquire(BDDMockito.any())).willReturn(Optional.of(handle));
		MongoOperations template = this.application.getBean(MongoTemplate.class);
		AtomicBoolean away = new AtomicBoolean();
		JobRuns kept = new JobRuns(() -> {
			if (away.get()) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException("no server");
			}
			return template;
		}, "lockJobRuns", Duration.ofSeconds(5), Duration.ofHours(1), 100);
		new JobRunner(locks, kept, (event) -> {
		}, "one").run("nightly", TICK, (run) -> away.set(true));
		assertThat(Thread.interrupted()).isTrue();
		assertThat(output).contains("The end of job 'nightly' for its tick " + TICK + " could not be written");
	}

	@Test
	void anEndWhoseAnswerGotLostIsWrittenOnceAndHeardOf() {
		MongoTemplate template = Mockito.spy(this.application.getBean(MongoTemplate.class));
		AtomicBoolean lost = new AtomicBoolean();
		BDDMockito.willAnswer((call) -> {
			Object answer = call.callRealMethod();
			if (lost.getAndSet(false)) {
				throw new IllegalStateException("no answer");
			}
			return answer;
		}).given(template).execute(BDDMockito.anyString(), BDDMockito.<CollectionCallback<Object>>any());
		List<Object> heard = new CopyOnWriteArrayList<>();
		JobRuns kept = new JobRuns(() -> template, "lockJobRuns", Duration.ofSeconds(5), Duration.ofHours(1), 100);
		Attempt attempt = new JobRunner(this.application.getBean(LockOperations.class), kept, heard::add, "one")
			.run("nightly", TICK, (run) -> lost.set(true));
		assertThat(attempt).isNotNull();
		assertThat(attempt.run().outcome()).isEqualTo(JobOutcome.SUCCEEDED);
		assertThat(heard).hasSize(2).last().isEqualTo(new JobRunEvent.Ended(attempt.run()));
	}

	@Test
	void theEndOfWorkThatLeavesItsThreadInterruptedIsWrittenAllTheSame() {
		JobRun ended = jobs().run("nightly", TICK, (run) -> Thread.currentThread().interrupt()).orElseThrow();
		assertThat(Thread.interrupted()).isTrue();
		assertThat(ended.outcome()).isEqualTo(JobOutcome.SUCCEEDED);
		assertThat(jobs().last("nightly", 1)).containsExactly(ended);
	}

	@Test
	void workThatFailsAtTheEndOfTheApplicationIsLeftForOthers() {
		JobRunner runner = this.application.getBean(JobRunner.class);
		assertThat(runner.run("nightly", TICK, (run) -> {
			runner.cutOff();
			throw new IllegalStateException("interrupted");
		})).isNotNull();
		assertThat(jobs().last("nightly", 1)).extracting(JobRun::outcome).containsExactly(JobOutcome.RUNNING);
	}

	@Test
	void aJobThatIsRunInsideARunOfItselfIsRefused() {
		jobs().run("nightly", TICK,
				(run) -> assertThatIllegalStateException()
					.isThrownBy(() -> jobs().run("nightly", TICK.plusSeconds(1), this.runs::add))
					.withMessageContaining("runs on this thread already"));
		assertTicks();
	}

	@Test
	void aRunOfALaterHolderIsNotTakenOverByCode() {
		JobRuns kept = this.application.getBean(JobRuns.class);
		kept.add(JobRun.begun("nightly", TICK, 1, Long.MAX_VALUE, TICK, "another"));
		assertThat(jobs().run("nightly", TICK, this.runs::add)).isEmpty();
		kept.add(JobRun.begun("other", TICK, 1, Long.MAX_VALUE, TICK, "another"));
		assertThat(jobs().run("other", TICK.plusSeconds(1), this.runs::add)).isEmpty();
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
		assertThat(jobs().last("nightly", 5)).extracting(JobRun::attempt, JobRun::outcome)
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
	void aRerunReplacesTheRunThatItHasSeenAlone() {
		JobRuns kept = this.application.getBean(JobRuns.class);
		JobRun left = JobRun.begun("nightly", TICK, 1, 1, TICK, "gone");
		kept.add(left);
		JobRun ended = left.ended(TICK, JobOutcome.SUCCEEDED, null);
		assertThat(kept.replace(left, ended)).isTrue();
		assertThat(kept.replace(left, JobRun.begun("nightly", TICK, 2, 2, TICK, "late"))).isFalse();
		assertThat(kept.replace(ended, JobRun.begun("nightly", TICK, 2, 2, TICK, "asked"))).isTrue();
	}

	private @Nullable Duration look(String cron, Instant since, CatchUp catchUp) {
		return look(cron, since, catchUp, this.runs::add);
	}

	private @Nullable Duration look(String cron, Instant since, CatchUp catchUp, JobWork<RuntimeException> work) {
		Terms terms = terms(cron, catchUp, OnAbandoned.RERUN);
		return this.application.getBean(JobRunner.class)
			.bringOn(terms, this.application.getBean(JobRuns.class).see("nightly", terms.trigger(), since), work);
	}

	private static Terms terms(String cron, CatchUp catchUp, OnAbandoned onAbandoned) {
		return new Terms("nightly", cron(cron), catchUp, Duration.ofMinutes(5), onAbandoned, 3, 1,
				Duration.ofMinutes(1));
	}

	private static JobTrigger cron(String expression) {
		return new JobTrigger.Cron(CronExpression.parse(expression), ZoneId.of("Europe/Berlin"));
	}

	@Test
	void theLockOfAJobIsOfOneRenewedAndNeitherAwaitedNorKeptWhateverIsSetForLocks() {
		LockOperations locks = Mockito.mock();
		BDDMockito.given(locks.tryAcquire(BDDMockito.any())).willReturn(Optional.empty());
		JobRunner runner = new JobRunner(locks, this.application.getBean(JobRuns.class), (event) -> {
		}, "one");
		assertThat(runner.run("nightly", TICK, this.runs::add)).isNull();
		BDDMockito.then(locks)
			.should()
			.tryAcquire(ArgumentMatchers
				.assertArg((request) -> assertThat(request.settings()).returns(true, LockSettings::autoRenew)
					.returns(1, LockSettings::limit)
					.returns(Duration.ZERO, LockSettings::waitTimeout)
					.returns(Duration.ZERO, LockSettings::minHold)
					.returns(Duration.ZERO, LockSettings::linger)));
	}

	@Test
	void whatIsKeptIsConfirmedByTheMajorityAndReadFromThePrimaryWithinTheTimeout() {
		MongoOperations template = Mockito.mock();
		MongoCollection<Document> documents = Mockito.mock();
		MongoCollection<Document> timed = Mockito.mock();
		MongoCollection<Document> primary = Mockito.mock();
		MongoCollection<Document> majority = Mockito.mock();
		BDDMockito.given(template.execute(BDDMockito.eq("lockJobRuns"), BDDMockito.<CollectionCallback<Object>>any()))
			.willAnswer((call) -> call.<CollectionCallback<?>>getArgument(1).doInCollection(documents));
		BDDMockito.given(documents.withTimeout(3_000, TimeUnit.MILLISECONDS)).willReturn(timed);
		BDDMockito.given(timed.withReadPreference(ReadPreference.primary())).willReturn(primary);
		BDDMockito.given(primary.withWriteConcern(WriteConcern.MAJORITY)).willReturn(majority);
		BDDMockito.given(majority.updateOne(BDDMockito.any(Bson.class), BDDMockito.any(Bson.class)))
			.willReturn(UpdateResult.acknowledged(1, 1L, null));
		JobRuns kept = new JobRuns(() -> template, "lockJobRuns", Duration.ofSeconds(3), Duration.ofHours(1), 100);
		assertThat(kept.note(JobRun.begun("nightly", TICK, 1, 1, TICK, "one"), "half")).isTrue();
	}

	private void schedule(String cron) {
		this.application.getBean(JobRuns.class).schedule("nightly", cron(cron), this.clock.get());
	}

	private Jobs jobs() {
		return this.application.getBean(Jobs.class);
	}

	private void assertTicks(Instant... ticks) {
		assertThat(this.runs).extracting(JobRun::tick).containsExactly(ticks);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
