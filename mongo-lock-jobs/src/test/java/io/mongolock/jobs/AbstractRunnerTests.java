package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.springframework.scheduling.support.CronExpression;

import io.mongolock.LockClock;
import io.mongolock.LockOwner;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.jobs.JobDecision.Terms;
import io.mongolock.test.InMemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A runner with a clock that is set, and without an application.
 */
abstract class AbstractRunnerTests {

	/** Three o'clock in Berlin. */
	static final Instant TICK = Instant.parse("2026-05-04T01:00:00Z");

	static final Duration DAY = Duration.ofDays(1);

	final AtomicReference<Instant> clock = new AtomicReference<>(TICK.minusSeconds(600));

	final List<JobRun> runs = new CopyOnWriteArrayList<>();

	final List<Object> heard = new CopyOnWriteArrayList<>();

	final JobRegistry declared = new JobRegistry();

	final LockTemplate locks = new LockTemplate(new InMemoryLockStore(this.clock::get), new ClientOptions(
			ConfiguredSettings.NONE, new LockOwner("shop", "one", "host", 1, "one"), LockClock.system(), List.of()));

	final JobRuns kept;

	final JobRunner runner;

	final Jobs jobs;

	AbstractRunnerTests() {
		this.kept = open(this.clock::get);
		this.runner = new JobRunner(this.locks, this.kept, this.heard::add, "one");
		this.jobs = new Jobs(this.runner, this.kept, this.declared, new DueJobs(this.runner, this.kept),
				Duration.ofMinutes(5));
	}

	/** Called once, before the fields of the class are set. */
	abstract JobRuns open(InstantSource clock);

	@AfterEach
	void stop() {
		this.locks.stop(Duration.ZERO);
	}

	@Nullable Duration look(String cron, Instant since, CatchUp catchUp) {
		return look(cron, since, catchUp, this.runs::add);
	}

	@Nullable Duration look(String cron, Instant since, CatchUp catchUp, JobWork<RuntimeException> work) {
		Terms terms = terms(cron, catchUp, OnAbandoned.RERUN);
		return next(this.runner.runDue(terms, this.kept.readState("nightly", terms.trigger(), since), work));
	}

	/** Zero after anything was written, as the next look says when it is due. */
	static @Nullable Duration next(JobRunner.Done done) {
		return (done.written()) ? Duration.ZERO : done.next();
	}

	static Terms terms(String cron, CatchUp catchUp, OnAbandoned onAbandoned) {
		return new Terms("nightly", cron(cron), catchUp, Duration.ofMinutes(5), onAbandoned, 3, 1,
				Duration.ofMinutes(1));
	}

	static JobTrigger cron(String expression) {
		return new JobTrigger.Cron(CronExpression.parse(expression), ZoneId.of("Europe/Berlin"));
	}

	void schedule(String cron) {
		this.kept.schedule("nightly", cron(cron), this.clock.get());
	}

	void assertTicks(Instant... ticks) {
		assertThat(this.runs).extracting(JobRun::tick).containsExactly(ticks);
	}

}
