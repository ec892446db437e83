package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.logging.LoggingApplicationListener;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.dao.DataAccessException;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.jobs.JobsEndpoint.ErrorDescriptor;
import io.mongolock.jobs.JobsEndpoint.JobDescriptor;
import io.mongolock.jobs.JobsEndpoint.JobsDescriptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Whole applications, each an instance, and their jobs on one server. Tests run side by
 * side, as they wait for ticks; each has a database of its own.
 */
@Execution(ExecutionMode.CONCURRENT)
abstract class AbstractJobsTests {

	private static final Instant TICK = Instant.parse("2026-05-04T03:00:00Z");

	/** A change may take three seconds until it is answered, not half of one. */
	private static final String PATIENT = "mongo-lock.ttl=30s";

	private final String uri;

	private final String database = "jobs-" + UUID.randomUUID();

	private final MongoClient client;

	private final Gate gate = new Gate(new CountDownLatch(1), new AtomicInteger());

	private final List<ConfigurableApplicationContext> instances = new ArrayList<>();

	AbstractJobsTests(String uri) {
		this.uri = uri;
		this.client = MongoClients.create(uri);
	}

	@AfterEach
	void end() {
		this.gate.free().countDown();
		this.instances.forEach(ConfigurableApplicationContext::close);
		this.client.getDatabase(this.database).drop();
		this.client.close();
	}

	@Test
	void eachTickIsRunOnceHoweverManyInstancesThereAre() {
		String patient = "spring.lifecycle.timeout-per-shutdown-phase=30s";
		ConfigurableApplicationContext one = start(EverySecond.class, patient);
		start(EverySecond.class, patient);
		ConfigurableApplicationContext three = start(EverySecond.class, patient);
		await().until(() -> ended(one, "every-second").size() >= 4);
		three.close();
		this.instances.forEach(ConfigurableApplicationContext::close);
		// A machine that stands still for longer than a second misses a tick, or skips it
		List<JobRun> runs = history("every-second").stream()
			.filter((run) -> run.outcome() != JobOutcome.MISSED && run.outcome() != JobOutcome.SKIPPED)
			.toList();
		List<JobRun> begun = this.instances.stream().map(EverySecond::runs).flatMap(List::stream).toList();
		assertThat(begun).extracting(JobRun::tick)
			.doesNotHaveDuplicates()
			.containsExactlyInAnyOrderElementsOf(runs.stream().map(JobRun::tick).toList());
		assertThat(runs).allSatisfy((run) -> {
			assertThat(run.outcome()).isEqualTo(JobOutcome.SUCCEEDED);
			assertThat(run.tick().getNano()).isZero();
			assertThat(run.attempt()).isEqualTo(1);
			assertThat(run.startedAt()).isAfterOrEqualTo(run.tick());
			assertThat(run.runner()).contains("pid " + ProcessHandle.current().pid());
		});
		assertThat(runs).extracting(JobRun::fence).isSortedAccordingTo((first, next) -> Long.compare(next, first));
	}

	@Test
	void aRunIsUnderTheLockOfItsJobAndHeardOf() {
		ConfigurableApplicationContext one = start(EverySecond.class);
		EverySecond job = one.getBean(EverySecond.class);
		// A machine that stands still for longer than a second misses a tick
		List<JobRunEvent> heard = await().until(() -> job.heard.stream()
			.filter((event) -> event instanceof JobRunEvent.Started || event.run().outcome() == JobOutcome.SUCCEEDED)
			.toList(), (events) -> events.size() > 3);
		assertThat(job.keys).containsOnly("job:every-second");
		assertThat(heard.get(0)).isInstanceOf(JobRunEvent.Started.class);
		JobRun ended = heard.get(1).run();
		assertThat(heard.get(1)).isInstanceOf(JobRunEvent.Ended.class);
		assertThat(ended).isEqualTo(one.getBean(Jobs.class)
			.last("every-second", 100)
			.stream()
			.filter((run) -> run.tick().equals(ended.tick()))
			.findFirst()
			.orElseThrow());
		assertThat(one.getBean(MeterRegistry.class)
			.get("mongo.lock.job.runs")
			.tags("name", "every-second", "outcome", "succeeded")
			.timer()
			.count()).isPositive();
		assertThat(one.getBean(MeterRegistry.class)
			.get(JobObservationConvention.NAME)
			.tags("name", "every-second", "outcome", "succeeded", "error", "none")
			.timer()
			.count()).isPositive();
	}

	@Test
	void whereAnInstanceWasCutOffAnotherRunsTheTickAgain() {
		ConfigurableApplicationContext one = start(Blocking.class);
		await().until(() -> this.gate.running().get() == 1);
		JobRun first = one.getBean(Blocking.class).runs.get(0);
		ConfigurableApplicationContext two = start(Blocking.class);
		one.close();
		await().until(() -> two.getBean(Blocking.class).runs.size() == 1);
		JobRun again = two.getBean(Blocking.class).runs.get(0);
		assertThat(again.tick()).isEqualTo(first.tick());
		assertThat(again.attempt()).isEqualTo(2);
		assertThat(again.fence()).isGreaterThan(first.fence());
		this.gate.free().countDown();
		await().untilAsserted(() -> assertThat(history("blocking")).last()
			.satisfies((run) -> assertThat(run.outcome()).isEqualTo(JobOutcome.SUCCEEDED)));
	}

	@Test
	void aRunThatWasTakenOverDoesNotOverwriteWhatTheNextAttemptWrites() {
		ConfigurableApplicationContext one = start(Blocking.class);
		await().until(() -> this.gate.running().get() == 1);
		// as after a lease that ended while the process stood still
		one.getBean(MongoTemplate.class).getCollection("locks").deleteOne(new Document("_id", "job:blocking"));
		ConfigurableApplicationContext two = start(Blocking.class);
		Jobs jobs = two.getBean(Jobs.class);
		await().until(() -> two.getBean(Blocking.class).runs.size() == 1);
		this.gate.free().countDown();
		await().until(() -> ended(two, "blocking").stream().anyMatch((run) -> run.attempt() == 2));
		assertThat(history("blocking").stream()
			.filter((run) -> run.attempt() == 1)
			.filter((run) -> run.tick().equals(two.getBean(Blocking.class).runs.get(0).tick()))).isEmpty();
		assertThat(jobs.last("blocking", 1)).hasSize(1);
	}

	@Test
	void aTickThatMeetsARunIsSkippedAndRecorded() {
		ConfigurableApplicationContext one = start(Blocking.class);
		await().until(() -> this.gate.running().get() == 1);
		start(Blocking.class);
		await().until(() -> ended(one, "blocking").stream().anyMatch((run) -> run.outcome() == JobOutcome.SKIPPED));
		assertThat(one.getBean(Blocking.class).runs).hasSize(1);
		this.gate.free().countDown();
		await().until(() -> ended(one, "blocking").stream()
			.filter((run) -> run.outcome() == JobOutcome.SUCCEEDED)
			.count() >= 2);
	}

	@Test
	void aFailureIsRecordedAndTheNextTickIsRunAllTheSame() {
		ConfigurableApplicationContext one = start(Failing.class);
		await().until(() -> ended(one, "failing").size() >= 2);
		assertThat(history("failing")).filteredOn((run) -> run.endedAt() != null).allSatisfy((run) -> {
			assertThat(run.outcome()).isEqualTo(JobOutcome.FAILED);
			assertThat(run.exception()).isEqualTo("java.lang.IllegalStateException");
			assertThat(run.message()).hasSize(JobRun.MAX_MESSAGE).startsWith("no paper");
		});
	}

	@Test
	void aRunEndsWhenItsResultDoes() {
		ConfigurableApplicationContext one = start(Later.class);
		Later job = one.getBean(Later.class);
		await().until(() -> job.keys.size() == 4);
		assertThat(job.keys).containsExactlyInAnyOrder("job:mono", "job:flux", "job:stage", "job:flow");
		for (String name : List.of("mono", "flux", "stage", "flow")) {
			assertThat(one.getBean(Jobs.class).last(name, 1)).extracting(JobRun::outcome)
				.containsExactly(JobOutcome.RUNNING);
		}
		job.end.complete("done");
		for (String name : List.of("mono", "flux", "stage", "flow")) {
			await().until(() -> ended(one, name).size() == 1);
			assertThat(ended(one, name).get(0).outcome()).as(name).isEqualTo(JobOutcome.SUCCEEDED);
		}
	}

	@Test
	void aRunFailsAsItsResultDoes() {
		ConfigurableApplicationContext one = start(LaterFailure.class);
		for (String name : List.of("mono", "stage")) {
			await().until(() -> ended(one, name).size() == 1);
			JobRun failed = ended(one, name).get(0);
			assertThat(failed.outcome()).as(name).isEqualTo(JobOutcome.FAILED);
			assertThat(failed.exception()).as(name).isEqualTo("java.lang.IllegalStateException");
			assertThat(failed.message()).as(name).isEqualTo("no paper");
		}
		await().until(() -> ended(one, "none").size() == 1);
		assertThat(ended(one, "none").get(0).message()).contains("has returned null. Return a completed ");
	}

	@Test
	void aResultWhoseLockIsLostIsCancelledAndItsTickIsRunAgain() {
		ConfigurableApplicationContext one = start(Endless.class);
		Endless job = one.getBean(Endless.class);
		await().until(() -> job.flux.size() == 1 && job.stages.size() == 1);
		one.getBean(MongoTemplate.class).getCollection("locks").deleteMany(new Document());
		await().until(() -> job.flux.size() == 2 && job.stages.size() == 2);
		assertThat(job.cancelled).hasValue(1);
		assertThat(job.stages.get(0)).isCancelled();
		assertThat(job.stages.get(1)).isNotDone();
		assertThat(job.flux).extracting(JobRun::attempt).containsExactly(1, 2);
		assertThat(job.flux).extracting(JobRun::tick).containsOnly(job.flux.get(0).tick());
	}

	@Test
	void aResultThatDoesNotEndIsCutOffWithTheApplication() {
		ConfigurableApplicationContext one = start(Endless.class);
		Endless job = one.getBean(Endless.class);
		await().until(() -> job.flux.size() == 1 && job.stages.size() == 1);
		one.close();
		await().untilAsserted(() -> assertThat(job.cancelled).hasValue(1));
		await().untilAsserted(() -> assertThat(job.stages.get(0)).isCancelled());
		assertThat(history("flux")).extracting(JobRun::outcome).containsExactly(JobOutcome.RUNNING);
		ConfigurableApplicationContext two = start(Endless.class);
		await().until(() -> two.getBean(Endless.class).flux.size() == 1);
		assertThat(two.getBean(Endless.class).flux.get(0).attempt()).isEqualTo(2);
	}

	@Test
	void aFailureIsRunAgainUnderTheSameTick() {
		ConfigurableApplicationContext one = start(Retried.class);
		start(Retried.class);
		await().until(() -> ended(one, "retried").stream().anyMatch((run) -> run.outcome() == JobOutcome.SUCCEEDED));
		assertThat(history("retried")).singleElement().satisfies((run) -> {
			assertThat(run.attempt()).isEqualTo(2);
			assertThat(run.exception()).isNull();
		});
		assertThat(show(one, "retried").overdueSince()).isNull();
	}

	@Test
	void aTickIsRunByCodeOnce() {
		Jobs one = start(None.class).getBean(Jobs.class);
		Jobs two = start(None.class).getBean(Jobs.class);
		List<JobRun> runs = new CopyOnWriteArrayList<>();
		JobRun run = one.run("import", TICK.plusNanos(17), runs::add).orElseThrow();
		assertThat(run.tick()).isEqualTo(TICK);
		assertThat(run.outcome()).isEqualTo(JobOutcome.SUCCEEDED);
		assertThat(two.run("import", TICK, runs::add)).isEmpty();
		assertThat(two.run("import", TICK.plusSeconds(1), runs::add)).isPresent();
		assertThat(two.run("export", TICK, runs::add)).isPresent();
		assertThat(runs).hasSize(3);
		assertThat(one.last("import", 5)).extracting(JobRun::tick).containsExactly(TICK.plusSeconds(1), TICK);
		assertThat(one.last("import", 1)).hasSize(1);
	}

	@Test
	void whileAJobRunsByCodeNoOtherTickOfItIs() {
		Jobs one = start(None.class).getBean(Jobs.class);
		Jobs two = start(None.class).getBean(Jobs.class);
		List<JobRun> runs = new CopyOnWriteArrayList<>();
		assertThat(one.run("import", TICK, (run) -> {
			CompletableFuture.runAsync(() -> {
				assertThat(two.run("import", TICK, runs::add)).isEmpty();
				assertThat(two.run("import", TICK.plusSeconds(1), runs::add)).isEmpty();
				assertThat(two.run("export", TICK, runs::add)).isPresent();
			}).join();
			assertThatIllegalStateException().isThrownBy(() -> one.run("import", TICK.plusSeconds(1), runs::add))
				.withMessageContaining("Job 'import' is already running on this thread");
		})).isPresent();
		assertThat(runs).hasSize(1);
	}

	@Test
	void aRunSaysHowFarItIsUntilItEnds() {
		ConfigurableApplicationContext one = start(None.class);
		Jobs jobs = one.getBean(Jobs.class);
		JobRun ended = jobs.run("import", TICK, (run) -> {
			jobs.note(run, "3 of 7");
			assertThat(Objects.requireNonNull(show(one, "import").running()).note()).isEqualTo("3 of 7");
			jobs.note(run, "x".repeat(501));
			assertThat(jobs.last("import", 1).get(0).note()).hasSize(500);
		}).orElseThrow();
		assertThat(jobs.last("import", 1)).containsExactly(ended);
		assertThat(ended.note()).isNull();
		JobRun begun = JobRun.begun("import", TICK, 1, ended.fence(), TICK, "one");
		assertThatIllegalStateException().isThrownBy(() -> jobs.note(begun, "7 of 7"))
			.withMessageContaining("is not running any more");
	}

	@Test
	void anExceptionOfTheWorkReachesTheCallerAndIsRecorded() {
		Jobs jobs = start(None.class).getBean(Jobs.class);
		assertThatIllegalStateException().isThrownBy(() -> jobs.run("import", TICK, (run) -> {
			throw new IllegalStateException("no feed");
		})).withMessage("no feed");
		assertThat(jobs.last("import", 1).get(0).message()).isEqualTo("no feed");
		assertThat(jobs.run("import", TICK, (run) -> {
		})).isEmpty();
	}

	@Test
	void aRunLeftByADeadInstanceIsRunAgainForItsTickAndAbandonedForALaterOne() {
		ConfigurableApplicationContext one = start(None.class);
		Jobs jobs = one.getBean(Jobs.class);
		JobRuns runs = one.getBean(JobRuns.class);
		runs.add(JobRun.begun("import", TICK, 1, 0, TICK, "gone"));
		assertThat(jobs.run("import", TICK, (run) -> {
		}).orElseThrow().attempt()).isEqualTo(2);
		runs.add(JobRun.begun("import", TICK.plusSeconds(1), 1, 0, TICK, "gone"));
		assertThat(jobs.run("import", TICK.plusSeconds(2), (run) -> {
		}).orElseThrow().attempt()).isEqualTo(1);
		assertThat(jobs.last("import", 3)).extracting(JobRun::outcome)
			.containsExactly(JobOutcome.SUCCEEDED, JobOutcome.ABANDONED, JobOutcome.SUCCEEDED);
	}

	@Test
	void aCallThatCannotBeKeptIsRefused() {
		Jobs jobs = start(None.class).getBean(Jobs.class);
		assertThatIllegalArgumentException().isThrownBy(() -> jobs.run(" ", TICK, (run) -> {
		})).withMessageContaining("must not be blank");
		assertThatIllegalArgumentException().isThrownBy(() -> jobs.run("x".repeat(101), TICK, (run) -> {
		})).withMessageContaining("has 101");
		assertThatIllegalArgumentException().isThrownBy(() -> jobs.last("import", 0)).withMessageContaining("it is 0");
		TransactionSynchronizationManager.setActualTransactionActive(true);
		try {
			assertThatIllegalStateException().isThrownBy(() -> jobs.run("import", TICK, (run) -> {
			})).withMessageContaining("Begin the transaction inside the JobWork");
		}
		finally {
			TransactionSynchronizationManager.setActualTransactionActive(false);
		}
	}

	@Test
	void theHistoryIsBoundedByATtlIndexAndKeepsTheLastRun() {
		ConfigurableApplicationContext one = start(EverySecond.class, "mongo-lock.jobs.max-runs=3",
				"mongo-lock.jobs.history=1h");
		Jobs jobs = one.getBean(Jobs.class);
		for (int i = 0; i < 6; i++) {
			jobs.run("import", TICK.plusSeconds(i), (run) -> {
			});
		}
		MongoTemplate template = one.getBean(MongoTemplate.class);
		Map<Instant, Duration> left = new ConcurrentHashMap<>();
		template.getCollection("lockJobRuns").find(new Document("job", "import")).forEach((run) -> {
			if (run.containsKey("expireAt")) {
				left.put(run.getDate("tick").toInstant(),
						Duration.between(run.getDate("endedAt").toInstant(), run.getDate("expireAt").toInstant()));
			}
		});
		assertThat(left.keySet()).containsExactlyInAnyOrder(TICK, TICK.plusSeconds(1), TICK.plusSeconds(2),
				TICK.plusSeconds(3), TICK.plusSeconds(4));
		assertThat(left.get(TICK)).isLessThan(Duration.ofMinutes(30));
		assertThat(left.get(TICK.plusSeconds(2))).isLessThan(Duration.ofMinutes(30));
		assertThat(left.get(TICK.plusSeconds(3))).isGreaterThan(Duration.ofMinutes(30));
		await().untilAsserted(() -> assertThat(template.getCollection("lockJobRuns").listIndexes()).anySatisfy(
				(index) -> assertThat(index.toJson()).contains("\"expireAt\": 1", "\"expireAfterSeconds\": 0")));
	}

	@Test
	void anInstanceThatShallNotRunJobsDoesNot() {
		ConfigurableApplicationContext off = start(EverySecond.class, "mongo-lock.jobs.enabled=false");
		ConfigurableApplicationContext on = start(EverySecond.class);
		await().until(() -> ended(on, "every-second").size() >= 2);
		assertThat(EverySecond.runs(off)).isEmpty();
		assertThat(off.getBeansOfType(JobScheduler.class)).isEmpty();
		assertThat(off.getBean(Jobs.class).last("every-second", 1)).isNotEmpty();
	}

	@Test
	void anInstanceShowsTheJobsOfAll() {
		ConfigurableApplicationContext on = start(EverySecond.class,
				"management.endpoint.mongojobs.show-values=always");
		ConfigurableApplicationContext off = start(EverySecond.class, "mongo-lock.jobs.enabled=false");
		await().until(() -> ended(on, "every-second").size() >= 2);
		off.getBean(Jobs.class).run("import", TICK, (run) -> {
		});
		List<JobDescriptor> jobs = ((JobsDescriptor) body(
				off.getBean(JobsEndpoint.class).jobs(SecurityContext.NONE, null, null, null, null)))
			.jobs();
		assertThat(jobs).extracting(JobDescriptor::name, JobDescriptor::state, JobDescriptor::schedule)
			.containsExactly(tuple("every-second", "scheduled", "cron * * * * * * (Europe/Berlin)"),
					tuple("import", "run by code", null));
		assertThat(jobs).extracting(JobDescriptor::next).containsOnlyNulls();
		assertThat(jobs).extracting(JobDescriptor::last).allSatisfy((run) -> {
			assertThat(run).isNotNull();
			assertThat(run.runner()).isEqualTo("******");
		});
		JobDescriptor shown = show(on, "every-second");
		assertThat(shown.next()).isNotNull();
		// Each tick is overdue until its run has succeeded
		await().untilAsserted(() -> assertThat(show(on, "every-second").overdueSince()).isNull());
		assertThat(shown.runs()).hasSizeGreaterThan(1)
			.allSatisfy((run) -> assertThat(run.runner()).contains("pid " + ProcessHandle.current().pid()));
		on.close();
		off.getBean(MongoTemplate.class)
			.getCollection("lockJobRuns")
			.updateOne(new Document("_id", new Document("job", "every-second")),
					new Document("$set", new Document("scheduledAt", Instant.EPOCH)));
		assertThat(show(off, "every-second").state()).isEqualTo("no longer scheduled");
	}

	@Test
	void manyJobsAreShownPageByPageWithTheirLastRuns() {
		ConfigurableApplicationContext one = start(None.class, "management.endpoint.mongojobs.roles=OPERATOR");
		for (String job : List.of("c", "a", "b")) {
			one.getBean(Jobs.class).run(job, TICK, (run) -> {
			});
		}
		JobsDescriptor first = page(one, null, 2);
		assertThat(first.jobs()).extracting(JobDescriptor::name).containsExactly("a", "b");
		assertThat(first.jobs()).allSatisfy((job) -> {
			assertThat(job.runs()).hasSize(1);
			assertThat(job.now()).isAfter(TICK);
		});
		assertThat(first.mayChange()).isFalse();
		JobsDescriptor second = page(one, first.next(), 2);
		assertThat(second.jobs()).extracting(JobDescriptor::name).containsExactly("c");
		assertThat(second.next()).isNull();
		assertThat(page(one, "a ", 1).jobs()).extracting(JobDescriptor::name).containsExactly("b");
		assertThat(page(start(None.class), "d", 1)).satisfies((none) -> {
			assertThat(none.jobs()).isEmpty();
			assertThat(none.mayChange()).isTrue();
		});
	}

	private static void haveBeenScheduledSince1970(ConfigurableApplicationContext context, String job) {
		await().until(() -> context.getBean(JobRuns.class).stored(job) != null);
		MongoTemplate template = context.getBean(MongoTemplate.class);
		// On the embedded server a write may fail while an index is created
		await().until(() -> template.indexOps("lockJobRuns").getIndexInfo().size() == 3);
		template.getCollection("lockJobRuns")
			.updateOne(new Document("_id", new Document("job", job)),
					new Document("$set", new Document("since", Instant.EPOCH).append("scheduledSince", Instant.EPOCH)));
	}

	@Test
	void jobsThatAreOverdueAreShownFirst() {
		ConfigurableApplicationContext one = start(Yearly.class);
		haveBeenScheduledSince1970(one, "yearly");
		one.getBean(Jobs.class).run("a", TICK, (run) -> {
		});
		one.getBean(Jobs.class).runDue();
		assertThat(page(one, null, 1).jobs()).extracting(JobDescriptor::name).containsExactly("yearly", "a");
		assertThat(page(one, "b", 1).jobs()).extracting(JobDescriptor::name).containsExactly("yearly");
	}

	private static JobsDescriptor page(ApplicationContext instance, @Nullable String from, int limit) {
		return (JobsDescriptor) body(
				instance.getBean(JobsEndpoint.class).jobs(SecurityContext.NONE, null, from, limit, 20));
	}

	@Test
	void whenRunsAreDroppedOrWrittenByHandThenJobsGoOnAndUnknownOutcomesAreShown() {
		ConfigurableApplicationContext one = start(EverySecond.class);
		ConfigurableApplicationContext two = start(EverySecond.class);
		await().until(() -> ended(one, "every-second").size() >= 2);
		MongoTemplate template = one.getBean(MongoTemplate.class);
		template.dropCollection("lockJobRuns");
		await().until(() -> template.indexOps("lockJobRuns").getIndexInfo().size() == 3);
		Instant now = two.getBean(JobRuns.class).now();
		Document id = new Document("job", "every-second").append("tick", now);
		template.getCollection("lockJobRuns")
			.insertMany(List.of(
					new Document("_id", id).append("job", "every-second").append("tick", now).append("outcome", "NEW"),
					new Document("job", "every-second").append("tick", now.minusMillis(1)).append("outcome", "RUNNING"),
					new Document("job", "every-second").append("outcome", "RUNNING"),
					new Document("job", List.of("forged", 7)), new Document("_id", new Document("job", "forged"))));
		await().until(() -> ended(one, "every-second").stream()
			.filter((run) -> run.outcome() == JobOutcome.SUCCEEDED)
			.anyMatch((run) -> run.tick().isAfter(now.plusSeconds(2))));
		JobsDescriptor all = page(two, null, 10);
		assertThat(all.jobs()).extracting(JobDescriptor::name).containsExactly("every-second");
		assertThat(show(two, "every-second").runs())
			.anySatisfy((run) -> assertThat(run.outcome()).isEqualTo("unknown"));
		assertRefused(change(two.getBean(JobsEndpoint.class), "every-second", "rerun", now.toString(), null), 409,
				"has an outcome that this version of mongo-lock does not know");
	}

	@Test
	void aRunThatADeadInstanceLeftOfARemovedJobIsAbandoned() {
		ConfigurableApplicationContext off = start(None.class);
		JobRuns runs = off.getBean(JobRuns.class);
		runs.schedule("removed", new JobTrigger.Rate(Duration.ofDays(1)), Instant.EPOCH);
		runs.add(JobRun.begun("removed", TICK, 1, 0, TICK, "gone"));
		assertThat(show(off, "removed").state()).as("its only instance may run it for long").isEqualTo("scheduled");
		start(EverySecond.class);
		await().until(() -> runs.last("removed", 1).get(0).outcome() == JobOutcome.ABANDONED);
		assertThat(show(off, "removed").state()).isEqualTo("no longer scheduled");
	}

	@Test
	void aPauseHoldsForAllInstancesUntilTheJobIsResumed() {
		ConfigurableApplicationContext one = start(EverySecond.class);
		ConfigurableApplicationContext two = start(EverySecond.class);
		JobsEndpoint endpoint = start(None.class).getBean(JobsEndpoint.class);
		await().until(() -> ended(one, "every-second").size() >= 2);
		JobDescriptor paused = (JobDescriptor) body(change(endpoint, "every-second", "pause", null, "heavy"));
		assertThat(paused.state()).isEqualTo("paused");
		assertThat(paused.paused()).isNotNull();
		assertThat(paused.paused().reason()).isEqualTo("heavy");
		assertThat(paused.paused().by()).isEqualTo("******");
		await().until(() -> !skipped(one).isEmpty());
		Instant first = skipped(one).get(0).tick();
		await().until(() -> one.getBean(JobRuns.class).now().isAfter(first.plusSeconds(3)));
		assertThat(skipped(one)).as("one for all ticks of the pause").hasSize(1);
		assertThat(EverySecond.runs(one)).extracting(JobRun::tick).allMatch(first::isAfter);
		assertThat(EverySecond.runs(two)).extracting(JobRun::tick).allMatch(first::isAfter);
		await().until(() -> overdue(one, "every-second") == 0);
		assertThat(change(endpoint, "every-second", "resume", null, null).getStatus()).isEqualTo(200);
		assertRefused(change(endpoint, "every-second", "resume", null, null), 409, "is not paused");
		StoredJob resumed = Objects.requireNonNull(one.getBean(JobRuns.class).stored("every-second"));
		assertThat(resumed.since()).as("since when it may be overdue").isAfter(first);
		await().until(() -> ended(one, "every-second").get(0).outcome() == JobOutcome.SUCCEEDED);
	}

	private static List<JobRun> skipped(ApplicationContext instance) {
		return ended(instance, "every-second").stream()
			.filter((run) -> run.outcome() == JobOutcome.SKIPPED && "it is paused".equals(run.message()))
			.toList();
	}

	@Test
	void aJobIsRunNowAndOneOfItsTicksAgain() {
		ConfigurableApplicationContext one = start(Yearly.class, PATIENT);
		JobsEndpoint endpoint = one.getBean(JobsEndpoint.class);
		Yearly job = one.getBean(Yearly.class);
		runNow(endpoint, "yearly");
		await().until(() -> ended(one, "yearly").size() == 1);
		JobRun first = ended(one, "yearly").get(0);
		assertThat(first.outcome()).isEqualTo(JobOutcome.FAILED);
		assertThat(first.attempt()).isEqualTo(1);
		// the lock of the first run may be on its way back
		await().until(() -> change(endpoint, "yearly", "rerun", first.tick().plusNanos(17).toString(), "mended")
			.getStatus() == 200);
		await().until(() -> ended(one, "yearly").size() == 1 && ended(one, "yearly").get(0).attempt() == 2);
		assertThat(job.runs).extracting(JobRun::tick).containsExactly(first.tick(), first.tick());
		assertThat(job.audited).hasSize(2);
		assertThat(job.audited.get(1).getData()).containsEntry("action", "rerun").containsEntry("reason", "mended");
		// the schedule goes on
		assertThat(show(one, "yearly").next()).asString().endsWith("-01-01T00:00:00Z");
	}

	@Test
	void aRunByTheWishOfSomebodyIsCutOffAtTheEnd() {
		ConfigurableApplicationContext one = start(Wished.class, PATIENT,
				"spring.lifecycle.timeout-per-shutdown-phase=100ms");
		Wished job = one.getBean(Wished.class);
		runNow(one.getBean(JobsEndpoint.class), "wished");
		one.close();
		assertThat(job.interrupted).succeedsWithin(Duration.ofMinutes(1));
	}

	@Test
	void requestsThatCannotBeCarriedOutAreAnsweredWithTheReason() {
		ConfigurableApplicationContext one = start(Blocking.class, "blocking.rate=1h");
		await().until(() -> this.gate.running().get() == 1);
		JobsEndpoint endpoint = one.getBean(JobsEndpoint.class);
		assertRefused(change(endpoint, "none", "pause", null, "why"), 404, "pause your own scheduler instead");
		assertRefused(change(endpoint, "none", "resume", null, "why"), 404, "There is no scheduled job 'none'");
		assertRefused(change(endpoint, "none", "run", null, null), 409,
				"Send the request to an instance that schedules this job");
		assertRefused(change(endpoint, "blocking", "run", null, null), 409, "is being run");
		assertRefused(change(endpoint, "blocking", "rerun", "soon", null), 400, "for example 2026-05-04T03:00:00Z");
		assertRefused(change(endpoint, "blocking", "rerun", "2000-01-01T00:00:00Z", null), 404, "has no run");
		assertRefused(change(endpoint, "blocking", "rerun", "+999999999-12-31T23:59:59Z", null), 400, "for example");
		Instant first = Instant.parse("2026-05-04T01:00:00Z");
		Instant last = first.plusSeconds(18_000);
		one.getBean(JobRuns.class)
			.add(JobRun.notRun("blocking", first, last, 6, last, JobOutcome.MISSED, JobDecision.NOBODY, "one"));
		for (Instant tick : List.of(first, first.plusSeconds(3_600), last)) {
			assertRefused(change(endpoint, "blocking", "rerun", tick.toString(), null), 409, "The tick " + tick
					+ " of job 'blocking' cannot be run again, because one record stands for 6 ticks that were not run, from "
					+ first + " to " + last);
		}
		assertRefused(change(endpoint, "blocking", "stop", null, null), 400, "it is stop");
		assertRefused(change(endpoint, "blocking", "pause", null, null), 400, "needs a reason");
		assertRefused(change(endpoint, "blocking", "pause", null, "x".repeat(501)), 400, "at most 500");
		assertRefused(change(endpoint, null, "run", null, null), 400, "names no job");
		assertRefused(endpoint.jobs(SecurityContext.NONE, null, null, 0, null), 400, "it is 0");
		assertRefused(endpoint.jobs(SecurityContext.NONE, "blocking", null, null, 1001), 400,
				"0 to 1000, but it is 1001");
		assertRefused(endpoint.jobs(SecurityContext.NONE, "none", null, null, 1), 404, "There is no job 'none'");
		JobsEndpoint guarded = start(None.class, "management.endpoint.mongojobs.roles=OPERATOR")
			.getBean(JobsEndpoint.class);
		assertThat(change(guarded, "blocking", "pause", null, "why").getStatus()).isEqualTo(403);
		assertThat(show(one, "blocking").state()).isEqualTo("scheduled");
		assertThat(show(one, "blocking").running()).isNotNull();
	}

	@Test
	void aJobIsOverdueUntilARunOfItSucceeds() {
		ConfigurableApplicationContext one = start(Failing.class);
		ConfigurableApplicationContext two = start(EverySecond.class);
		await().until(() -> overdue(one, "failing") > 2);
		await().until(() -> ended(two, "every-second").size() >= 2);
		await().until(() -> overdue(two, "every-second") == 0);
		JobDescriptor failing = show(one, "failing");
		assertThat(failing.overdueSince()).isNotNull();
		assertThat(overdue(one, "failing")).isGreaterThan(2);
		assertThat(failing.runs()).isNotEmpty()
			.filteredOn((run) -> run.endedAt() != null)
			.allSatisfy((run) -> assertThat(run.message()).isEqualTo("******"));
	}

	@Test
	void aJobIsNotOverdueAfterItsFirstRunAtTheStartOfTheFirstInstance() {
		ConfigurableApplicationContext one = start(Hourly.class);
		await().until(() -> ended(one, "hourly").size() == 1);
		StoredJob stored = Objects.requireNonNull(one.getBean(JobRuns.class).stored("hourly"));
		assertThat(stored.since()).isEqualTo(ended(one, "hourly").get(0).tick());
		assertThat(show(one, "hourly").overdueSince()).isNull();
	}

	@Test
	void aRunByTheWishOfSomebodyIsSeenByTheGaugeAtOnce() {
		ConfigurableApplicationContext one = start(Yearly.class, PATIENT);
		haveBeenScheduledSince1970(one, "yearly");
		JobsEndpoint endpoint = one.getBean(JobsEndpoint.class);
		runNow(endpoint, "yearly");
		await().until(() -> overdue(one, "yearly") > 1e9);
		// Its ticks since 1970 are recorded as missed
		JobRun failed = await().until(() -> ended(one, "yearly").get(0), (run) -> run.outcome() == JobOutcome.FAILED);
		// the lock of the first run may be on its way back
		await().until(() -> change(endpoint, "yearly", "rerun", failed.tick().toString(), null).getStatus() == 200);
		await().until(() -> overdue(one, "yearly") == 0);
	}

	@Test
	void aRunThatBeginsAfterItsAnswerIsAudited() {
		ConfigurableApplicationContext one = start(Yearly.class);
		await().until(() -> one.getBean(JobRuns.class).stored("yearly") != null);
		JobsEndpoint hurried = new JobsEndpoint(one.getBean(JobRuns.class), one.getBean(JobScheduler.class), one,
				Duration.ZERO, Show.NEVER, Set.of());
		assertRefused(change(hurried, "yearly", "run", null, null), 503, "may still begin");
		await().until(() -> ended(one, "yearly").size() == 1);
		assertThat(one.getBean(Yearly.class).audited).hasSize(1);
	}

	private static JobDescriptor show(ApplicationContext instance, String job) {
		JobsEndpoint endpoint = instance.getBean(JobsEndpoint.class);
		return (JobDescriptor) await().until(() -> body(endpoint.jobs(SecurityContext.NONE, job, null, null, null)),
				JobDescriptor.class::isInstance);
	}

	private static WebEndpointResponse<OperationResponseBody> change(JobsEndpoint endpoint, @Nullable String job,
			String action, @Nullable String tick, @Nullable String reason) {
		return endpoint.change(SecurityContext.NONE, job, action, tick, reason);
	}

	// A check of the job may have its lock
	private static void runNow(JobsEndpoint endpoint, String job) {
		await().until(() -> change(endpoint, job, "run", null, null).getStatus() == 200);
	}

	private static void assertRefused(WebEndpointResponse<OperationResponseBody> answer, int status, String error) {
		assertThat(((ErrorDescriptor) body(answer)).error()).contains(error);
		assertThat(answer.getStatus()).isEqualTo(status);
	}

	private static OperationResponseBody body(WebEndpointResponse<OperationResponseBody> answer) {
		return Objects.requireNonNull(answer.getBody());
	}

	private static double overdue(ApplicationContext instance, String job) {
		return instance.getBean(MeterRegistry.class)
			.get("mongo.lock.job.overdue")
			.tag("name", job)
			.timeGauge()
			.value(TimeUnit.SECONDS);
	}

	@Test
	void anInstanceThatRefusesTrafficRunsNoJobUntilItAcceptsIt() {
		ConfigurableApplicationContext one = start(EverySecond.class);
		ConfigurableApplicationContext two = start(EverySecond.class, "mongo-lock.jobs.only-when-ready=false");
		AvailabilityChangeEvent.publish(one, ReadinessState.REFUSING_TRAFFIC);
		AvailabilityChangeEvent.publish(two, ReadinessState.REFUSING_TRAFFIC);
		// what had begun before
		int before = EverySecond.runs(one).size() + 1;
		int other = EverySecond.runs(two).size();
		await().until(() -> EverySecond.runs(two).size() >= other + 4);
		assertThat(EverySecond.runs(one)).hasSizeLessThanOrEqualTo(before);
		two.close();
		AvailabilityChangeEvent.publish(one, ReadinessState.ACCEPTING_TRAFFIC);
		await().until(() -> EverySecond.runs(one).size() >= before + 2);
	}

	@Test
	void twoServicesOnOneDatabaseRunTheirOwnTicks() {
		ConfigurableApplicationContext billing = start(EverySecond.class, "spring.application.name=billing",
				"mongo-lock.key-prefix=billing:");
		ConfigurableApplicationContext shipping = start(EverySecond.class, "spring.application.name=shipping",
				"mongo-lock.key-prefix=shipping:");
		for (ConfigurableApplicationContext service : List.of(billing, shipping)) {
			await().until(() -> ended(service, "every-second").size() >= 4);
		}
		assertThat(change(billing.getBean(JobsEndpoint.class), "every-second", "pause", null, "heavy").getStatus())
			.isEqualTo(200);
		assertThat(show(billing, "every-second").state()).isEqualTo("paused");
		assertThat(show(shipping, "every-second").state()).isEqualTo("scheduled");
		for (ConfigurableApplicationContext service : List.of(billing, shipping)) {
			service.close();
			String name = service.getEnvironment().getProperty("spring.application.name");
			ConfigurableApplicationContext reader = start(None.class, "mongo-lock.key-prefix=" + name + ":");
			List<JobRun> runs = reader.getBean(Jobs.class).last("every-second", 1000);
			assertThat(runs).allSatisfy((run) -> assertThat(run.runner()).startsWith(name + " "));
			assertThat(EverySecond.runs(service)).extracting(JobRun::tick)
				.doesNotHaveDuplicates()
				.containsExactlyInAnyOrderElementsOf(
						runs.stream().filter((run) -> run.attempt() == 1).map(JobRun::tick).toList());
		}
	}

	@Test
	void aJobThatIsMadeAtRunTimeIsRunByOneInstanceAndByTheOtherOnceThatHasItNoMore() {
		ConfigurableApplicationContext one = start(None.class);
		ConfigurableApplicationContext two = start(None.class);
		List<String> by = new CopyOnWriteArrayList<>();
		one.getBean(Jobs.class).schedule("made", JobSchedule.fixedRate(Duration.ofMillis(200)), (run) -> by.add("one"));
		await().until(() -> by.size() >= 3);
		assertThat(overdue(one, "made")).isLessThan(60);
		two.getBean(Jobs.class).schedule("made", JobSchedule.fixedRate(Duration.ofMillis(200)), (run) -> by.add("two"));
		assertThat(one.getBean(Jobs.class).unschedule("made")).isTrue();
		await().until(() -> by.lastIndexOf("two") > by.lastIndexOf("one") + 2);
		assertThat(one.getBean(MeterRegistry.class).find("mongo.lock.job.overdue").meters()).isEmpty();
	}

	@Test
	void noJobBeginsBeforeTheApplicationIsReady() {
		ConfigurableApplicationContext other = start(EverySecond.class);
		List<JobRun> early = new ArrayList<>();
		ConfigurableApplicationContext starting = start(Hourly.class, (context) -> {
			int before = EverySecond.runs(other).size();
			await().until(() -> EverySecond.runs(other).size() >= before + 3);
			early.addAll(context.getBean(Jobs.class).last("hourly", 1));
		});
		assertThat(early).isEmpty();
		await().until(() -> !starting.getBean(Jobs.class).last("hourly", 1).isEmpty());
	}

	@Test
	void withoutLocksThereAreNoJobs() {
		ConfigurableApplicationContext off = start(None.class, "mongo-lock.enabled=false");
		assertThat(off.getBeansOfType(Jobs.class)).isEmpty();
	}

	@Test
	void snippetsOfTheDocumentationRun() {
		ConfigurableApplicationContext one = start(JobSnippets.Reports.class, "report.cron=* * * * * *");
		await().untilAsserted(
				() -> assertThat(one.getBean(JobSnippets.Reports.class).written).contains("nightly-report SUCCEEDED")
					.anyMatch((text) -> text.startsWith("report of ")));
		new JobSnippets.Imports(one.getBean(Jobs.class)).fired(TICK);
		assertThat(one.getBean(Jobs.class).last("import", 1)).extracting(JobRun::tick).containsExactly(TICK);
	}

	@Test
	void whenWorkIsDividedThenInstancesRunEachPartOncePerTick() {
		ConfigurableApplicationContext one = start(JobSnippets.Invoices.class, "invoices.cron=* * * * * *");
		ConfigurableApplicationContext two = start(JobSnippets.Invoices.class, "invoices.cron=* * * * * *");
		for (int part = 0; part < 4; part++) {
			String job = "invoices-" + part;
			await().until(() -> ended(one, job).stream()
				.filter((run) -> run.outcome() == JobOutcome.SUCCEEDED)
				.anyMatch((run) -> run.attempt() == 1));
		}
		Set<Integer> billed = new HashSet<>(one.getBean(JobSnippets.Invoices.class).billed);
		billed.addAll(two.getBean(JobSnippets.Invoices.class).billed);
		assertThat(billed).containsExactlyInAnyOrder(0, 1, 2, 3);
	}

	@Test
	void whenARunHasLeftAStateThenTheNextGoesOnFromThere() {
		ConfigurableApplicationContext one = start(JobSnippets.Exports.class, PATIENT);
		await().until(() -> ended(one, "export").size() == 1);
		JobRun first = ended(one, "export").get(0);
		assertThat(first.state()).containsOnly(Map.entry("until", "00"));
		// the lock of the first run may be on its way back
		await().until(() -> change(one.getBean(JobsEndpoint.class), "export", "run", null, null).getStatus() == 200);
		await().until(() -> ended(one, "export").size() == 2);
		assertThat(one.getBean(JobSnippets.Exports.class).exported).containsExactly("0", "00");
	}

	private ConfigurableApplicationContext start(Class<?> job, String... properties) {
		return start(job, (context) -> {
		}, properties);
	}

	private ConfigurableApplicationContext start(Class<?> job, Consumer<ApplicationContext> atStart,
			String... properties) {
		List<String> all = new ArrayList<>(
				List.of("spring.mongodb.uri=" + this.uri, "spring.mongodb.database=" + this.database,
						"spring.application.name=shop", "mongo-lock.ttl=6s", "mongo-lock.jobs.check-interval=200ms",
						"mongo-lock.shutdown-timeout=1s", "spring.lifecycle.timeout-per-shutdown-phase=300ms",
						"spring.main.banner-mode=off", "management.endpoints.web.exposure.include=mongojobs",
						"management.endpoint.mongojobs.access=unrestricted"));
		all.addAll(List.of(properties));
		SpringApplicationBuilder builder = new SpringApplicationBuilder(Application.class, job);
		// Tests side by side would set up the one logging system at the same time
		builder.application()
			.setListeners(builder.application()
				.getListeners()
				.stream()
				.filter((listener) -> !(listener instanceof LoggingApplicationListener))
				.toList());
		ConfigurableApplicationContext instance = builder.web(WebApplicationType.NONE).initializers((context) -> {
			GenericApplicationContext beans = (GenericApplicationContext) context;
			beans.registerBean(ApplicationRunner.class, () -> (arguments) -> atStart.accept(context));
			beans.registerBean(Gate.class, () -> this.gate);
		}).properties(all.toArray(String[]::new)).run();
		this.instances.add(instance);
		return instance;
	}

	private List<JobRun> history(String job) {
		return new MongoJobRuns(() -> new MongoTemplate(this.client, this.database), "lockJobRuns",
				Duration.ofSeconds(3), Duration.ofHours(1), 100, null, "shop")
			.last(job, 1000);
	}

	private static List<JobRun> ended(ApplicationContext instance, String job) {
		return instance.getBean(Jobs.class)
			.last(job, 1000)
			.stream()
			.filter((run) -> run.outcome() != JobOutcome.RUNNING)
			.toList();
	}

	private static ConditionFactory await() {
		// On a busy machine an answer of the server may come too late
		return Awaitility.await().atMost(Duration.ofMinutes(1)).ignoreExceptionsInstanceOf(DataAccessException.class);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		MeterRegistry meters() {
			return new SimpleMeterRegistry();
		}

		@Bean
		ObservationRegistry observations(MeterRegistry meters) {
			ObservationRegistry registry = ObservationRegistry.create();
			registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
			return registry;
		}

	}

	static class None {

	}

	static class Hourly {

		@ScheduledJob(name = "hourly", fixedDelay = "1h")
		void run() {
		}

	}

	static class EverySecond {

		private static final Map<ApplicationContext, List<JobRun>> RUNS = new ConcurrentHashMap<>();

		final Set<String> keys = ConcurrentHashMap.newKeySet();

		final List<JobRunEvent> heard = new CopyOnWriteArrayList<>();

		private final List<JobRun> runs = new CopyOnWriteArrayList<>();

		EverySecond(ApplicationContext context) {
			RUNS.put(context, this.runs);
		}

		static List<JobRun> runs(ApplicationContext context) {
			return RUNS.getOrDefault(context, List.of());
		}

		@ScheduledJob(name = "every-second", cron = "* * * * * *", zone = "Europe/Berlin")
		void run(JobRun run) {
			this.keys.add(LockContext.current().key());
			this.runs.add(run);
		}

		@EventListener
		void on(JobRunEvent event) {
			this.heard.add(event);
		}

	}

	/** What keeps the runs of all instances of a test, and how many it keeps. */
	record Gate(CountDownLatch free, AtomicInteger running) {

	}

	static class Blocking {

		final List<JobRun> runs = new CopyOnWriteArrayList<>();

		private final Gate gate;

		Blocking(Gate gate) {
			this.gate = gate;
		}

		@ScheduledJob(name = "blocking", fixedRate = "${blocking.rate:1s}")
		void run(JobRun run) throws InterruptedException {
			this.runs.add(run);
			this.gate.running().incrementAndGet();
			this.gate.free().await();
		}

	}

	/** Their results end when the test wants it, one of them empty. */
	static class Later {

		final CompletableFuture<String> end = new CompletableFuture<>();

		final Set<String> keys = ConcurrentHashMap.newKeySet();

		@ScheduledJob(name = "mono", fixedRate = "1h")
		Mono<String> mono() {
			return Mono.deferContextual((context) -> {
				this.keys.add(context.get(LockHandle.class).key());
				return Mono.fromFuture(this.end).then(Mono.empty());
			});
		}

		@ScheduledJob(name = "flux", fixedRate = "1h")
		Flux<Integer> flux(JobRun run) {
			this.keys.add("job:" + run.job());
			return Flux.range(0, 1000).concatWith(Mono.fromFuture(this.end).thenReturn(7));
		}

		@ScheduledJob(name = "stage", fixedRate = "1h")
		CompletionStage<String> stage() {
			this.keys.add(LockContext.current().key());
			return this.end.minimalCompletionStage();
		}

		@ScheduledJob(name = "flow", fixedRate = "1h")
		Flow.Publisher<String> flow() {
			this.keys.add(LockContext.current().key());
			return JdkFlowAdapter.publisherToFlowPublisher(Mono.fromFuture(this.end));
		}

	}

	static class LaterFailure {

		@ScheduledJob(name = "mono", fixedRate = "1h")
		Mono<String> mono() {
			return Mono.error(new IllegalStateException("no paper"));
		}

		@ScheduledJob(name = "stage", fixedRate = "1h")
		CompletableFuture<@Nullable Void> stage() {
			return CompletableFuture.runAsync(() -> {
				throw new IllegalStateException("no paper");
			});
		}

		@ScheduledJob(name = "none", fixedRate = "1h")
		@Nullable Mono<String> none() {
			return null;
		}

	}

	static class Endless {

		final List<JobRun> flux = new CopyOnWriteArrayList<>();

		final AtomicInteger cancelled = new AtomicInteger();

		final List<CompletableFuture<?>> stages = new CopyOnWriteArrayList<>();

		@ScheduledJob(name = "flux", fixedRate = "1h")
		Flux<String> flux(JobRun run) {
			this.flux.add(run);
			return Flux.<String>never().doOnCancel(this.cancelled::incrementAndGet);
		}

		@ScheduledJob(name = "stage", fixedRate = "1h")
		CompletableFuture<String> stage() {
			CompletableFuture<String> stage = new CompletableFuture<>();
			this.stages.add(stage);
			return stage;
		}

	}

	static class Wished {

		final CompletableFuture<@Nullable Void> interrupted = new CompletableFuture<>();

		@ScheduledJob(name = "wished", cron = "@yearly")
		void run() throws InterruptedException {
			try {
				new CountDownLatch(1).await();
			}
			catch (InterruptedException ex) {
				this.interrupted.complete(null);
				throw ex;
			}
		}

	}

	static class Retried {

		@ScheduledJob(name = "retried", fixedRate = "1h", retries = 1, retryAfter = "300ms")
		void run(JobRun run) {
			if (run.attempt() == 1) {
				throw new IllegalStateException("no paper");
			}
		}

	}

	static class Yearly {

		final List<JobRun> runs = new CopyOnWriteArrayList<>();

		final List<AuditEvent> audited = new CopyOnWriteArrayList<>();

		@ScheduledJob(name = "yearly", cron = "@yearly", zone = "UTC")
		void run(JobRun run) {
			this.runs.add(run);
			if (run.attempt() == 1) {
				throw new IllegalStateException("no paper");
			}
		}

		@EventListener
		void on(AuditApplicationEvent event) {
			this.audited.add(event.getAuditEvent());
		}

	}

	static class Failing {

		@ScheduledJob(name = "failing", fixedDelay = "100ms")
		void run() {
			throw new IllegalStateException("no paper" + "!".repeat(1000));
		}

	}

}
