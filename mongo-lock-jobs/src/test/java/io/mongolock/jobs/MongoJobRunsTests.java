package io.mongolock.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.result.UpdateResult;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import org.bson.BsonReader;
import org.bson.BsonType;
import org.bson.BsonWriter;
import org.bson.Document;
import org.bson.codecs.BsonTypeClassMap;
import org.bson.codecs.Codec;
import org.bson.codecs.DecoderContext;
import org.bson.codecs.DocumentCodecProvider;
import org.bson.codecs.EncoderContext;
import org.bson.codecs.configuration.CodecRegistries;
import org.bson.codecs.configuration.CodecRegistry;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.mongodb.core.CollectionCallback;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.jobs.JobRunner.Attempt;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests for {@link MongoJobRuns}, by a clock of the server that is set.
 */
@Isolated
@ExtendWith(OutputCaptureExtension.class)
class MongoJobRunsTests extends AbstractJobRunsContractTests {

	private EmbeddedMongo server;

	private MongoClient client;

	private MongoTemplate template;

	@Override
	JobRuns open(InstantSource clock) {
		this.server = EmbeddedMongo.builder().clock(clock).start();
		this.client = MongoClients.create(this.server.connectionString());
		this.template = new MongoTemplate(this.client, "shop");
		return kept(() -> this.template);
	}

	@Override
	void drop() {
		this.template.dropCollection("lockJobRuns");
	}

	private static MongoJobRuns kept(Supplier<MongoOperations> template) {
		return new MongoJobRuns(template, "lockJobRuns", Duration.ofSeconds(3), Duration.ofHours(1), 100, null, "shop");
	}

	@AfterEach
	void close() {
		this.client.close();
		this.server.close();
	}

	@Test
	void recordsOfANewerVersionOrWrittenByHandAreShownAndEndNoJob() {
		schedule("0 0 3 * * *");
		this.kept.schedule("removed", cron("0 0 3 * * *"), Instant.EPOCH);
		this.kept.add(JobRun.begun("removed", TICK, 1, 0, TICK, "gone"));
		MongoCollection<Document> collection = this.template.getCollection("lockJobRuns");
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
		assertThat(this.jobs.run("nightly", TICK, this.runs::add)).as("may have been run").isEmpty();
		assertThat(look("0 0 3 * * *", this.clock.get(), CatchUp.NONE)).isZero();
		assertThat(look("0 0 3 * * *", this.clock.get(), CatchUp.NONE)).isEqualTo(DAY);
		assertTicks(TICK.plus(DAY.multipliedBy(2)));
		assertThat(this.jobs.last("nightly", 10)).extracting(JobRun::outcome)
			.hasSize(6)
			.contains(JobOutcome.SUCCEEDED, JobOutcome.UNKNOWN);
		assertThat(this.kept.names()).contains("nightly", "removed");
		for (String name : List.of("paused", "odd")) {
			assertThat(this.kept.readState(name, null, TICK).paused()).isTrue();
			this.kept.schedule(name, cron("0 0 3 * * *"), this.clock.get());
			assertThat(this.kept.readState(name, null, TICK).paused()).isTrue();
		}
		this.runner.abandonUnattended(this.clock.get());
		assertThat(this.jobs.last("removed", 1)).extracting(JobRun::outcome).containsExactly(JobOutcome.ABANDONED);
	}

	@Test
	void recordsBelongToTheApplicationsThatShareTheirLocks() {
		MongoJobRuns billing = kept("locks", "billing:", "billing");
		MongoJobRuns shipping = kept("locks", "shipping:", "shipping");
		MongoJobRuns own = kept("billingLocks", "", "own");
		List<MongoJobRuns> all = List.of(billing, shipping, own, (MongoJobRuns) this.kept);
		for (MongoJobRuns one : all) {
			assertThat(one.schedule("nightly", cron("0 0 3 * * *"), TICK)).isNull();
			assertThat(one.add(JobRun.begun("nightly", TICK, 1, 1, TICK, "one"))).isTrue();
			assertThat(one.names()).containsExactly("nightly");
			assertThat(one.last("nightly", 5)).hasSize(1);
			assertThat(one.running(null)).hasSize(1);
		}
		billing.schedule("invoices", cron("0 0 3 * * *"), TICK);
		assertThat(shipping.names()).containsExactly("nightly");
		billing.pause("nightly", new StoredJob.Pause("alice", "heavy", TICK));
		assertThat(shipping.newest("nightly").stored()).isNotNull().extracting(StoredJob::paused).isNull();
		assertThat(this.template.getCollection("lockJobRuns").countDocuments()).isEqualTo(9);
	}

	@Test
	void whenAnOperatorForgetsAJobAsOnThePageThenOtherServicesKeepTheirPausesAndRuns() throws IOException {
		String page = Files.readString(Path.of("../docs/jobs.md"));
		assertThat(page).contains("var application = \"" + MongoJobRuns.application("locks", "shop:") + "\"");
		List<String> prefixes = List.of("shop:", "billing:", "");
		for (String prefix : prefixes) {
			for (String job : List.of("nightly-report", "old-report")) {
				MongoJobRuns service = kept("locks", prefix, "");
				service.schedule(job, cron("0 0 3 * * *"), TICK);
				service.pause(job, new StoredJob.Pause("alice", "heavy", TICK));
				service.add(JobRun.begun(job, TICK, 1, 1, TICK, "one"));
			}
		}
		MongoCollection<Document> collection = this.template.getCollection("lockJobRuns");
		long left = collection.countDocuments();
		for (String prefix : prefixes) {
			String application = MongoJobRuns.application("locks", prefix);
			assertThat(collection.find(filter(page, "find", application)).sort(new Document("tick", -1)))
				.extracting((found) -> found.get("application"), (found) -> found.get("schedule") != null)
				.containsExactly(tuple(application, true), tuple(application, false));
			assertThat(collection.deleteMany(filter(page, "deleteMany", application)).getDeletedCount()).isEqualTo(2);
			left -= 2;
			assertThat(collection.countDocuments()).isEqualTo(left);
			assertThat(kept("locks", prefix, "").stored("old-report")).isNull();
		}
	}

	private static Document filter(String page, String operation, @Nullable String application) {
		Matcher statement = Pattern.compile("\ndb\\.lockJobRuns\\." + operation + "\\((.*?)\\)").matcher(page);
		assertThat(statement.find()).isTrue();
		String value = (application != null) ? "\"" + application + "\"" : "null";
		return Document.parse(statement.group(1).replace("{ application,", "{ application: " + value + ","));
	}

	@Test
	void recordsFromBeforeTheyBelongedToAnApplicationGoOn() {
		this.kept.schedule("nightly", cron("0 0 3 * * *"), TICK);
		this.kept.pause("nightly", new StoredJob.Pause("alice", "heavy", TICK));
		this.kept.add(JobRun.begun("nightly", TICK, 1, 1, TICK, "billing 1 (host a, pid 7)")
			.ended(TICK, JobOutcome.SUCCEEDED, null));
		this.kept.add(JobRun.begun("nightly", TICK.plus(DAY), 1, 2, TICK, "shipping 1 (host a, pid 7)")
			.ended(TICK, JobOutcome.SUCCEEDED, null));
		MongoJobRuns billing = kept("locks", "billing:", "billing");
		billing.schedule("nightly", cron("0 0 3 * * *"), TICK.plus(DAY));
		assertThat(billing.last("nightly", 5)).extracting(JobRun::tick).containsExactly(TICK);
		assertThat(billing.newest("nightly").stored()).isNotNull().extracting(StoredJob::paused).isNotNull();
		MongoJobRuns fresh = kept("locks", "fresh:", "fresh");
		fresh.schedule("nightly", cron("0 0 3 * * *"), TICK.plus(DAY));
		assertThat(fresh.last("nightly", 5)).isEmpty();
		assertThat(fresh.newest("nightly").stored()).isNotNull().extracting(StoredJob::paused).isNull();
	}

	@Test
	void whenATestRunsATickThatANewerVersionHasRecordedThenItSaysSo() {
		this.declared
			.add(new Job("nightly", () -> terms("0 0 3 * * *", CatchUp.NONE, OnAbandoned.RERUN), this.runs::add));
		this.kept.add(JobRun.begun("nightly", TICK, 1, 0, TICK, "one").ended(TICK, JobOutcome.FAILED, null));
		this.template.getCollection("lockJobRuns")
			.updateOne(new Document("job", "nightly"), new Document("$set", new Document("outcome", "PUT_OFF")));
		assertThatIllegalStateException().isThrownBy(() -> this.jobs.runTick("nightly", TICK))
			.withMessage("The run of job 'nightly' for its tick 2026-05-04T01:00:00Z has an outcome that this version "
					+ "of mongo-lock does not know, because a newer version or a person has recorded this run. Send "
					+ "the request to an instance with the newer version");
		assertTicks();
		this.clock.set(TICK);
		this.runner.runNow(terms("0 0 3 * * *", CatchUp.NONE, OnAbandoned.RERUN), null, this.runs::add);
		assertTicks(TICK.plusMillis(1));
	}

	@Test
	void anotherApplicationWithTheSameJobIsSeenAsLongAsItSchedulesIt() {
		MongoJobRuns other = kept("locks", "", "other");
		assertThat(this.kept.schedule("nightly", cron("0 0 3 * * *"), TICK)).isNull();
		assertThat(this.kept.schedule("nightly", cron("0 0 3 * * *"), TICK)).isNull();
		assertThat(other.schedule("nightly", cron("0 0 3 * * *"), TICK)).isEqualTo("shop");
		assertThat(this.kept.schedule("nightly", cron("0 0 3 * * *"), TICK)).isEqualTo("other");
		assertThat(other.schedule("nightly", cron("0 0 3 * * *"), TICK.plus(DAY))).isNull();
	}

	private MongoJobRuns kept(String collection, String prefix, String name) {
		return new MongoJobRuns(() -> this.template, "lockJobRuns", Duration.ofSeconds(3), Duration.ofHours(1), 100,
				MongoJobRuns.application(collection, prefix), name);
	}

	@Test
	void aRunOfAnOldTickThatSomebodyHasWishedForIsFoundWhileItGoesOn() {
		schedule("0 0 3 * * *");
		JobRun old = JobRun.begun("nightly", TICK, 1, 1, TICK, "one").ended(TICK, JobOutcome.FAILED, null);
		this.kept.add(old);
		for (int day = 1; day < 50; day++) {
			Instant tick = TICK.plus(DAY.multipliedBy(day));
			this.kept.add(JobRun.begun("nightly", tick, 1, day, tick, "one").ended(tick, JobOutcome.FAILED, null));
		}
		this.clock.set(TICK.plus(DAY.multipliedBy(50)));
		JobTrigger trigger = cron("0 0 3 * * *");
		this.runner.runNow(terms("0 0 3 * * *", CatchUp.NONE, OnAbandoned.RERUN), TICK,
				(run) -> assertThat(this.kept.readState("nightly", trigger, TICK).open()).isEqualTo(run));
		assertThat(this.kept.readState("nightly", trigger, TICK)).satisfies((seen) -> {
			assertThat(seen.open()).isNull();
			assertThat(seen.success()).isNotNull().extracting(JobRun::tick).isEqualTo(TICK);
		});
	}

	/** A converter of the application for a type that the library stores, too. */
	@Test
	void datesAreReadAndWrittenAsTheyAreStoredWhateverCodecsTheApplicationHas() {
		CodecRegistry odd = CodecRegistries.fromRegistries(CodecRegistries.fromCodecs(new OddInstants()),
				CodecRegistries.fromProviders(
						new DocumentCodecProvider(new BsonTypeClassMap(Map.of(BsonType.DATE_TIME, Instant.class)))),
				MongoClientSettings.getDefaultCodecRegistry());
		try (MongoClient other = MongoClients.create(MongoClientSettings.builder()
			.applyConnectionString(new ConnectionString(this.server.connectionString()))
			.codecRegistry(odd)
			.build())) {
			MongoTemplate template = new MongoTemplate(other, "shop");
			JobRuns runs = kept(() -> template);
			assertThat(runs.now()).isEqualTo(this.clock.get());
			runs.schedule("nightly", cron("0 0 3 * * *"), TICK);
			JobRun run = JobRun.begun("nightly", TICK, 1, 1, TICK, "one");
			runs.add(run);
			assertThat(runs.last("nightly", 1)).containsExactly(run);
			assertThat(this.kept.last("nightly", 1)).containsExactly(run);
		}
	}

	@Test
	void aRunCostsFourStatementsBesideThoseOfItsLock() {
		List<String> sent = new CopyOnWriteArrayList<>();
		try (MongoClient counted = MongoClients.create(MongoClientSettings.builder()
			.applyConnectionString(new ConnectionString(this.server.connectionString()))
			.addCommandListener(new CommandListener() {

				@Override
				public void commandStarted(CommandStartedEvent event) {
					sent.add(event.getCommandName());
				}

			})
			.build())) {
			MongoTemplate template = new MongoTemplate(counted, "shop");
			JobRuns runs = kept(() -> template);
			JobRunner runner = new JobRunner(this.locks, runs, this.heard::add, "one");
			DueJobs due = new DueJobs(runner, runs);
			Job job = new Job("nightly", () -> terms("* * * * * *", CatchUp.NONE, OnAbandoned.RERUN), this.runs::add);
			due.run(job);
			for (int second = 1; second <= 20; second++) {
				this.clock.set(TICK.minusSeconds(600 - second));
				due.run(job);
			}
			assertThat(this.runs).hasSize(20);
			sent.clear();
			this.clock.set(TICK.minusSeconds(600 - 21));
			assertThat(due.run(job).next()).isEqualTo(Duration.ofSeconds(1));
			// and once in ten runs those that shorten the history
			assertThat(sent).containsExactly("find", "find", "insert", "findAndModify", "update", "find");
		}
	}

	@Test
	void theLastRunOutlivesTheHistory() {
		Instant since = this.clock.get();
		this.kept.createIndexes();
		for (int day = 0; day < 3; day++) {
			this.clock.set(TICK.plus(DAY.multipliedBy(day)));
			look("0 0 3 * * *", since, CatchUp.NONE);
		}
		this.clock.set(this.clock.get().plus(DAY).minusSeconds(1));
		this.server.runTtlMonitor();
		assertThat(this.jobs.last("nightly", 5)).extracting(JobRun::tick)
			.containsExactly(TICK.plus(DAY.multipliedBy(2)));
		assertThat(look("0 0 3 * * *", since, CatchUp.LAST)).isEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void theLastSuccessOutlivesTheHistorySoThatItStaysOverdueFromThere() {
		this.kept.createIndexes();
		Instant since = this.clock.get();
		JobTrigger trigger = cron("0 0 3 * * *");
		this.kept.schedule("nightly", trigger, since);
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
		assertThat(JobRuns.overdueFrom(trigger, this.kept.readState("nightly", trigger, since)))
			.isEqualTo(TICK.plus(DAY));
		this.clock.set(TICK.plus(DAY.multipliedBy(4)));
		look("0 0 3 * * *", since, CatchUp.NONE);
		this.clock.set(TICK.plus(DAY.multipliedBy(5)).minusSeconds(1));
		this.server.runTtlMonitor();
		assertThat(this.jobs.last("nightly", 5)).extracting(JobRun::tick)
			.containsExactly(TICK.plus(DAY.multipliedBy(4)));
	}

	@Test
	void whenARerunOfTheLastSuccessFailsThenTheOneBeforeOutlivesTheHistory() {
		this.kept.createIndexes();
		Instant since = this.clock.get();
		for (int day = 0; day < 2; day++) {
			this.clock.set(TICK.plus(DAY.multipliedBy(day)));
			look("0 0 3 * * *", since, CatchUp.NONE);
		}
		this.clock.set(TICK.plus(DAY).plusSeconds(1800));
		this.runner.runNow(terms("0 0 3 * * *", CatchUp.NONE, OnAbandoned.RERUN), TICK.plus(DAY), (run) -> {
			throw new IllegalStateException("no paper");
		});
		this.clock.set(TICK.plus(DAY.multipliedBy(2)).minusSeconds(1));
		this.server.runTtlMonitor();
		assertThat(this.jobs.last("nightly", 5)).extracting(JobRun::outcome)
			.containsExactly(JobOutcome.FAILED, JobOutcome.SUCCEEDED);
	}

	@Test
	void whenAClockWasAheadThenWhatLaterRunsFindOutlivesTheHistory() {
		this.kept.createIndexes();
		addSuccess(TICK.plusSeconds(1), 1, "ahead");
		addSuccess(TICK, 2, "last");
		this.clock.set(TICK.plusSeconds(2));
		JobRun failed = JobRun.begun("nightly", TICK.plusSeconds(2), 1, 3, TICK.plusSeconds(2), "one");
		this.kept.add(failed);
		this.kept
			.expireBefore(Objects.requireNonNull(this.kept.end(failed, failed.ended(TICK, JobOutcome.FAILED, null))));
		this.clock.set(TICK.plus(DAY));
		this.server.runTtlMonitor();
		assertThat(this.jobs.previous(failed)).isNotEmpty();
		assertThat(this.jobs.last("nightly", 5)).hasSize(3);
	}

	@Test
	void anEndThatCannotBeWrittenAtTheEndOfTheApplicationIsSaid(CapturedOutput output) {
		LockHandle handle = Mockito.mock();
		BDDMockito.given(handle.isHeld()).willReturn(true);
		LockOperations locks = Mockito.mock();
		BDDMockito.given(locks.tryAcquire(BDDMockito.any())).willReturn(Optional.of(handle));
		MongoOperations template = this.template;
		AtomicBoolean away = new AtomicBoolean();
		JobRuns kept = kept(() -> {
			if (away.get()) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException("no server");
			}
			return template;
		});
		new JobRunner(locks, kept, (event) -> {
		}, "one").run("nightly", TICK, null, (run) -> away.set(true));
		assertThat(Thread.interrupted()).isTrue();
		assertThat(output).contains("The end of job 'nightly' for its tick " + TICK + " could not be written");
	}

	@Test
	void anEndWhoseAnswerGotLostIsWrittenOnceAndHeardOf() {
		MongoTemplate template = Mockito.spy(this.template);
		AtomicBoolean lost = new AtomicBoolean();
		BDDMockito.willAnswer((call) -> {
			Object answer = call.callRealMethod();
			if (lost.getAndSet(false)) {
				throw new IllegalStateException("no answer");
			}
			return answer;
		}).given(template).execute(BDDMockito.anyString(), BDDMockito.<CollectionCallback<Object>>any());
		List<Object> heard = new CopyOnWriteArrayList<>();
		JobRuns kept = kept(() -> template);
		Attempt attempt = new JobRunner(this.locks, kept, heard::add, "one").run("nightly", TICK, null,
				(run) -> lost.set(true));
		assertThat(attempt).isNotNull();
		assertThat(attempt.run().outcome()).isEqualTo(JobOutcome.SUCCEEDED);
		assertThat(heard).hasSize(2).last().isEqualTo(new JobRunEvent.Ended(attempt.run()));
	}

	@Test
	void theCollectionOfRunsUsesTheMajorityThePrimaryAndTheTimeout() {
		MongoOperations template = Mockito.mock();
		MongoCollection<Document> documents = Mockito.mock();
		MongoCollection<Document> timed = Mockito.mock();
		MongoCollection<Document> plain = Mockito.mock();
		MongoCollection<Document> primary = Mockito.mock();
		MongoCollection<Document> majority = Mockito.mock();
		BDDMockito.given(template.execute(BDDMockito.eq("lockJobRuns"), BDDMockito.<CollectionCallback<Object>>any()))
			.willAnswer((call) -> call.<CollectionCallback<?>>getArgument(1).doInCollection(documents));
		BDDMockito.given(documents.withTimeout(3_000, TimeUnit.MILLISECONDS)).willReturn(timed);
		BDDMockito.given(timed.withCodecRegistry(MongoClientSettings.getDefaultCodecRegistry())).willReturn(plain);
		BDDMockito.given(plain.withReadPreference(ReadPreference.primary())).willReturn(primary);
		BDDMockito.given(primary.withWriteConcern(WriteConcern.MAJORITY)).willReturn(majority);
		BDDMockito.given(majority.updateOne(BDDMockito.any(Bson.class), BDDMockito.any(Bson.class)))
			.willReturn(UpdateResult.acknowledged(1, 1L, null));
		JobRuns kept = kept(() -> template);
		assertThat(kept.note(JobRun.begun("nightly", TICK, 1, 1, TICK, "one"), "half")).isTrue();
	}

	/** As text. */
	private static final class OddInstants implements Codec<Instant> {

		@Override
		public Instant decode(BsonReader reader, DecoderContext context) {
			return Instant.parse(reader.readString());
		}

		@Override
		public void encode(BsonWriter writer, Instant value, EncoderContext context) {
			writer.writeString(value.toString());
		}

		@Override
		public Class<Instant> getEncoderClass() {
			return Instant.class;
		}

	}

}
