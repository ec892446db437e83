package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opentest4j.TestAbortedException;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockClock;
import io.mongolock.LockOwner;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.jobs.JobDecision.Terms;
import io.mongolock.store.mongo.RealServerCondition;
import io.mongolock.test.InMemoryLockStore;
import io.mongolock.test.server.MongodBinary;
import io.mongolock.test.server.RealMongo;
import io.mongolock.test.server.SuiteServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A real server that answers a statement with an error, executed or not, and whether the
 * work of a job then runs, once, under one attempt.
 */
@Isolated
@Tag("real-server")
@ExtendWith(RealServerCondition.class)
class LostAnswerTests {

	private static final Instant TICK = Instant.parse("2026-05-04T01:00:00Z");

	private static RealMongo server;

	private final MongoClient client = MongoClients.create(server.connectionString());

	private final MongoTemplate template = new MongoTemplate(this.client, "jobs-" + UUID.randomUUID());

	private final LockTemplate locks = new LockTemplate(new InMemoryLockStore(), new ClientOptions(
			ConfiguredSettings.NONE, new LockOwner("shop", "one", "host", 1, "one"), LockClock.system(), List.of()));

	private final MongoJobRuns kept = new MongoJobRuns(() -> this.template, "lockJobRuns", Duration.ofSeconds(3),
			Duration.ofHours(1), 100, null, "shop");

	private final List<Object> heard = new CopyOnWriteArrayList<>();

	private final JobRunner runner = new JobRunner(this.locks, this.kept, this.heard::add, "one");

	private final List<JobRun> runs = new CopyOnWriteArrayList<>();

	@BeforeAll
	static void start() {
		MongodBinary binary = SuiteServer.get()
			.binary()
			.orElseThrow(() -> new TestAbortedException("needs a mongod to start: set " + MongodBinary.NAME));
		server = RealMongo.builder(binary).replicaSet(1).testCommands().start();
	}

	@AfterAll
	static void end() {
		if (server != null) {
			server.close();
		}
	}

	@AfterEach
	void close() {
		failNone();
		this.template.getDb().drop();
		this.client.close();
		this.locks.stop(Duration.ZERO);
	}

	/** With a report of abandoned runs, a spent attempt would be the only one. */
	@ParameterizedTest
	@CsvSource({ "insert, true", "insert, false", "findAndModify, true", "findAndModify, false" })
	void whenAnAnswerIsLostThenTheTickRunsInItsFirstAttempt(String command, boolean executed) {
		Terms terms = new Terms("nightly", new JobTrigger.Rate(Duration.ofHours(1)), CatchUp.NONE,
				Duration.ofMinutes(5), OnAbandoned.REPORT, 3, 0, Duration.ofMinutes(1));
		Instant since = this.kept.now();
		this.kept.schedule("nightly", terms.trigger(), since);
		fail(command, executed);
		this.runner.runDue(terms, this.kept.readState("nightly", terms.trigger(), since), this.runs::add);
		assertThat(failures()).isPositive();
		this.runner.runDue(terms, this.kept.readState("nightly", terms.trigger(), since), this.runs::add);
		assertRunsOnce(1);
	}

	@ParameterizedTest
	@CsvSource({ "true", "false" })
	void whenTheAnswerToAFurtherAttemptIsLostThenItRunsInThatAttempt(boolean executed) {
		this.kept.add(JobRun.begun("nightly", TICK, 1, 0, TICK, "gone"));
		fail("update", executed);
		this.runner.run("nightly", TICK, null, this.runs::add);
		assertThat(failures()).isPositive();
		assertRunsOnce(2);
	}

	private void assertRunsOnce(int attempt) {
		assertThat(this.runs).extracting(JobRun::attempt).containsExactly(attempt);
		assertThat(this.kept.last("nightly", 5)).singleElement().satisfies((run) -> {
			assertThat(run.outcome()).isEqualTo(JobOutcome.SUCCEEDED);
			assertThat(run.attempt()).isEqualTo(attempt);
			assertThat(run.deaths()).isEqualTo(attempt - 1);
		});
		assertThat(this.heard).hasSize(2);
	}

	// Twice, as the driver repeats a write whose connection is closed
	private void fail(String command, boolean executed) {
		Document data = new Document("failCommands", List.of(command)).append("namespace",
				this.template.getDb().getName() + ".lockJobRuns");
		Document how = (executed)
				? data.append("writeConcernError",
						new Document("code", 64).append("errmsg", "waiting for replication timed out"))
				: data.append("closeConnection", true);
		admin(new Document("configureFailPoint", "failCommand").append("mode", new Document("times", 2))
			.append("data", how));
	}

	private int failures() {
		return failNone().get("count", Number.class).intValue();
	}

	private Document failNone() {
		return admin(new Document("configureFailPoint", "failCommand").append("mode", "off"));
	}

	private Document admin(Document command) {
		return this.client.getDatabase("admin").runCommand(command);
	}

}
