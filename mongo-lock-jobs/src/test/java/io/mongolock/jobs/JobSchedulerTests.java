package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.jobs.JobDecision.Terms;
import io.mongolock.test.InMemoryLockStore;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JobScheduler}.
 */
@Isolated
@ExtendWith(OutputCaptureExtension.class)
class JobSchedulerTests {

	private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);

	private final EmbeddedMongo server = EmbeddedMongo.builder()
		.clock(() -> Instant.now().plus(this.ahead.get()))
		.start();

	private final MongoClient client = MongoClients.create(this.server.connectionString());

	private final MongoTemplate template = new MongoTemplate(this.client, "shop");

	private final JobRuns kept = runs(() -> {
	});

	private final LockTemplate locks = new LockTemplate(new InMemoryLockStore(), new ClientOptions(
			ConfiguredSettings.NONE, new LockOwner("shop", "one", "host", 1, "one"), LockClock.system(), List.of()));

	private final JobRunner runner = new JobRunner(this.locks, this.kept, (event) -> {
	}, "one");

	/** Has a parent, as with Spring Cloud. */
	private final GenericApplicationContext context = new GenericApplicationContext(new GenericApplicationContext());

	private final AtomicInteger runs = new AtomicInteger();

	private final JobRegistry declared = new JobRegistry();

	@AfterEach
	void end() {
		this.locks.stop(Duration.ZERO);
		this.client.close();
		this.server.close();
	}

	@Test
	void noErrorEndsTheLooksAtAJob() {
		AtomicInteger asked = new AtomicInteger();
		JobRuns kept = runs(() -> {
			if (asked.incrementAndGet() == 1) {
				throw new NoClassDefFoundError("Paper");
			}
		});
		awaitRuns(kept, (look) -> new Thread(look).start());
	}

	@Test
	void aJobThatGotNoThreadIsLookedAtAgain() {
		AtomicInteger asked = new AtomicInteger();
		awaitRuns((look) -> {
			if (asked.incrementAndGet() % 2 == 1) {
				throw new OutOfMemoryError("no thread");
			}
			new Thread(look).start();
		});
	}

	@Test
	void whileAnotherInstanceIsAtWorkThenAJobIsLookedAtLongBeforeItsNextTick() {
		AtomicInteger looks = new AtomicInteger();
		Executor threads = (look) -> {
			looks.incrementAndGet();
			new Thread(look).start();
		};
		JobScheduler scheduler = scheduler("1d", this.kept, threads, false, (run) -> this.runs.incrementAndGet());
		try (LockHandle other = this.locks.tryAcquire(LockRequest.of("job", "hurried")).orElseThrow()) {
			scheduler.start();
			Awaitility.await().until(() -> looks.get() >= 3);
			assertThat(other.isHeld()).isTrue();
			assertThat(this.runs).hasValue(0);
		}
		Awaitility.await().until(() -> this.runs.get() == 1);
		scheduler.destroy();
	}

	@Test
	void aCollectionThatIsDroppedHasItsIndexesAndJobsAgain() {
		whileItRuns("100ms", () -> {
			Awaitility.await().until(() -> this.runs.get() >= 3);
			this.template.dropCollection("lockJobRuns");
			Awaitility.await().until(() -> this.kept.stored("hurried") != null);
			Awaitility.await().until(() -> this.template.indexOps("lockJobRuns").getIndexInfo().size() == 3);
			int before = this.runs.get();
			Awaitility.await().until(() -> this.runs.get() >= before + 3);
		});
	}

	@Test
	void whenAnotherServiceHasAJobOfTheSameNameThenTheStartSaysSo(CapturedOutput output) {
		runs(() -> {
		}, "billing").schedule("hurried", terms("1h").trigger(), Instant.now());
		whileItRuns("100ms",
				() -> Awaitility.await()
					.untilAsserted(() -> assertThat(output)
						.contains("Job 'hurried' is also scheduled by the application 'billing'")
						.contains("Set a different mongo-lock.key-prefix in each")));
	}

	@Test
	void aJobThatCannotBeLookedAfterIsSaidOnceUntilItIs(CapturedOutput output) {
		AtomicInteger asked = new AtomicInteger();
		awaitRuns((look) -> {
			if (Set.of(1, 2, 3, 5).contains(asked.incrementAndGet())) {
				throw new OutOfMemoryError("no thread");
			}
			new Thread(look).start();
		});
		assertThat(output.toString().split("Could not check job 'hurried'", -1)).hasSize(3);
	}

	/** As when the server is down, which hundreds of jobs meet at once. */
	@Test
	void whenManyJobsCannotBeCheckedThenTheFirstAloneIsLoggedWithItsStack(CapturedOutput output) {
		JobWork<?> work = (run) -> this.runs.incrementAndGet();
		JobScheduler scheduler = scheduler(
				List.of(new Job("first", () -> terms("1h"), work), new Job("second", () -> terms("1h"), work)),
				this.kept, (look) -> {
					throw new OutOfMemoryError("no thread");
				}, false);
		scheduler.start();
		Awaitility.await()
			.untilAsserted(() -> assertThat(output).contains("check job 'first'").contains("check job 'second'"));
		assertThat(output)
			.containsOnlyOnce(", so this instance tries again every 100 ms: java.lang.OutOfMemoryError: no thread")
			.containsOnlyOnce("\tat " + JobScheduler.class.getName() + ".begin(");
		scheduler.destroy();
	}

	@Test
	void aClockThatIsSetBackToBeforeTheStartDoesNotEndANewJob() {
		this.ahead.set(Duration.ofHours(1));
		whileItRuns("100ms", () -> {
			Awaitility.await().until(() -> this.runs.get() >= 3);
			this.ahead.set(Duration.ZERO);
			int before = this.runs.get();
			Awaitility.await().until(() -> this.runs.get() >= before + 3);
		});
	}

	@Test
	void aJobWhoseNextTickIsCenturiesAwayIsRun() {
		whileItRuns("400000d",
				() -> Awaitility.await()
					.untilAsserted(() -> assertThat(this.kept.last("hurried", 1)).extracting(JobRun::outcome)
						.containsExactly(JobOutcome.SUCCEEDED)));
	}

	@Test
	void aRunByTheWishOfSomebodyHasNotFailedBecauseTheLookAfterItDoes(CapturedOutput output) {
		JobScheduler scheduler = scheduler("1h", runs(() -> {
			throw new IllegalStateException("no server");
		}), Runnable::run, true, (run) -> this.runs.incrementAndGet());
		scheduler.start();
		assertThat(scheduler.runNow("hurried", null)).isCompletedWithValueMatching(Optional::isPresent);
		scheduler.destroy();
		assertThat(this.kept.last("hurried", 1)).extracting(JobRun::outcome).containsExactly(JobOutcome.SUCCEEDED);
		assertThat(output).doesNotContain("Job 'hurried' could not be run");
	}

	@Test
	void aStopIsOverWhenTheRunsThatHaveBegunHaveEnded() throws Exception {
		CountDownLatch working = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		JobScheduler scheduler = scheduler("1h", this.kept, (look) -> new Thread(look).start(), true, (run) -> {
			working.countDown();
			goOn.await();
		});
		scheduler.start();
		scheduler.runNow("hurried", null);
		working.await();
		CountDownLatch stopped = new CountDownLatch(1);
		scheduler.stop(stopped::countDown);
		assertThat(stopped.getCount()).isOne();
		goOn.countDown();
		Awaitility.await().until(() -> stopped.getCount() == 0);
		assertThat(this.kept.last("hurried", 1)).extracting(JobRun::outcome).containsExactly(JobOutcome.SUCCEEDED);
	}

	/** As a worker is built, whose main loop is a CommandLineRunner. */
	@Test
	void whenARunnerDoesNotReturnThenJobsSaySoOnceAndAreOverdue(CapturedOutput output) {
		Job job = new Job("hurried", () -> terms("100ms"), (run) -> this.runs.incrementAndGet());
		JobScheduler scheduler = scheduler(List.of(job), this.kept, (look) -> new Thread(look).start(), true);
		scheduler.start();
		Awaitility.await().until(() -> job.overdue() > 0);
		assertThat(output).containsOnlyOnce("No job has begun, because this instance has not accepted traffic")
			.contains("mongo-lock.jobs.only-when-ready=false");
		assertThat(this.runs).hasValue(0);
		scheduler.on(new AvailabilityChangeEvent<>(this.context, ReadinessState.ACCEPTING_TRAFFIC));
		Awaitility.await().until(() -> this.runs.get() > 0);
		scheduler.destroy();
	}

	/**
	 * As a command that is to end after its work, and whose class path has this module.
	 */
	@Test
	void whenThereIsNoJobThenNoThreadKeepsTheProcessAlive(CapturedOutput output) throws Exception {
		JobScheduler scheduler = scheduler(List.of(), this.kept, (look) -> new Thread(look).start(), true);
		ThreadGroup started = new ThreadGroup("started");
		Thread main = new Thread(started, scheduler::start);
		main.start();
		main.join();
		assertThat(started.activeCount()).isZero();
		this.declared.add(new Job("hurried", () -> terms("1h"), (run) -> this.runs.incrementAndGet()));
		Awaitility.await().untilAsserted(() -> assertThat(output).containsOnlyOnce("No job has begun"));
		scheduler.destroy();
	}

	@Test
	void theReadinessOfAChildContextBeginsAndEndsNothing() {
		JobScheduler scheduler = scheduler("100ms", this.kept, (look) -> new Thread(look).start(), true,
				(run) -> this.runs.incrementAndGet());
		scheduler.start();
		GenericApplicationContext child = new GenericApplicationContext(new GenericApplicationContext(this.context));
		scheduler.on(new AvailabilityChangeEvent<>(child, ReadinessState.ACCEPTING_TRAFFIC));
		Awaitility.await().until(() -> this.kept.stored("hurried") != null);
		assertThat(this.runs).hasValue(0);
		scheduler.on(new AvailabilityChangeEvent<>(this.context, ReadinessState.ACCEPTING_TRAFFIC));
		scheduler.on(new AvailabilityChangeEvent<>(child, ReadinessState.REFUSING_TRAFFIC));
		Awaitility.await().until(() -> this.runs.get() >= 3);
		scheduler.destroy();
	}

	/** As after a start of the application that failed. */
	@Test
	void aSchedulerThatIsDestroyedWithoutAStopIsStopped() {
		JobScheduler scheduler = scheduler("1h", this.kept, Runnable::run, true, (run) -> this.runs.incrementAndGet());
		scheduler.start();
		scheduler.destroy();
		assertThat(scheduler.isRunning()).isFalse();
		assertThat(scheduler.runNow("hurried", null)).isCompletedWithValue(Optional.empty());
	}

	private void awaitRuns(Executor threads) {
		awaitRuns(this.kept, threads);
	}

	private void awaitRuns(JobRuns kept, Executor threads) {
		run("100ms", kept, threads, () -> Awaitility.await().until(() -> this.runs.get() >= 3));
	}

	private void whileItRuns(String rate, Runnable meanwhile) {
		run(rate, this.kept, (look) -> new Thread(look).start(), meanwhile);
	}

	private void run(String rate, JobRuns kept, Executor threads, Runnable meanwhile) {
		JobScheduler scheduler = scheduler(rate, kept, threads, false, (run) -> this.runs.incrementAndGet());
		scheduler.start();
		meanwhile.run();
		scheduler.destroy();
	}

	private JobScheduler scheduler(String rate, JobRuns kept, Executor threads, boolean becomesReady, JobWork<?> work) {
		return scheduler(List.of(new Job("hurried", () -> terms(rate), work)), kept, threads, becomesReady);
	}

	private JobScheduler scheduler(List<Job> jobs, JobRuns kept, Executor threads, boolean becomesReady) {
		JobScheduler scheduler = new JobScheduler(this.declared, this.runner, new DueJobs(this.runner, kept), threads,
				Duration.ofMillis(100), true, becomesReady, this.context, Duration.ofMillis(100),
				new DefaultListableBeanFactory().getBeanProvider(JobScheduler.Watch.class));
		jobs.forEach(this.declared::add);
		scheduler.afterSingletonsInstantiated();
		return scheduler;
	}

	private static Terms terms(String rate) {
		return new Terms("hurried", new JobTrigger.Rate(DurationStyle.detectAndParse(rate)), CatchUp.NONE,
				Duration.ofMinutes(5), OnAbandoned.RERUN, 3, 0, Duration.ofMinutes(1));
	}

	private JobRuns runs(Runnable before) {
		return runs(before, "shop");
	}

	private JobRuns runs(Runnable before, String application) {
		return new MongoJobRuns(() -> {
			before.run();
			return this.template;
		}, "lockJobRuns", Duration.ofSeconds(5), Duration.ofHours(1), 100, null, application);
	}

}
