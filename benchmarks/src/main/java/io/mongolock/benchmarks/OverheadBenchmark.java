package io.mongolock.benchmarks;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import io.micrometer.observation.ObservationRegistry;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.provider.mongo.MongoLockProvider;
import org.bson.BsonDocument;
import org.bson.Document;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockOperations;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.benchmarks.Subject.Commands;
import io.mongolock.benchmarks.Subject.Observed;
import io.mongolock.benchmarks.Subject.Work;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.observation.DefaultLockObservationConvention;
import io.mongolock.observation.LockMdc;
import io.mongolock.observation.LockObservations;
import io.mongolock.store.LockStore;
import io.mongolock.test.embedded.EmbeddedMongo;

/**
 * What a lock costs through the template, the annotation and a handle, as a ratio to the
 * two commands they send, sent bare, those with a timeout, two plain updates and
 * ShedLock. All share one client. They take turns in short rounds, in another order each,
 * so that neither noise of the machine nor what ran before hits one of them more than the
 * others; the figure is the median of the rounds' ratios. Runs on a
 * {@link MeasuredServer}. Besides, what the meters, the MDC and events of an application
 * with the Actuator cost together, and what observations timed as Spring Boot times them
 * do, against a client without any of them on the same store. Arguments: rounds (100),
 * pairs a round (200).
 */
public final class OverheadBenchmark {

	private static final int WARM_UP_ROUNDS = 20;

	private static final int WARM_UP_PAIRS = 1_000;

	private OverheadBenchmark() {
	}

	public static void main(String[] args) {
		int rounds = (args.length > 0) ? Integer.parseInt(args[0]) : 100;
		int pairs = (args.length > 1) ? Integer.parseInt(args[1]) : 200;
		try (EmbeddedMongo server = EmbeddedMongo.builder().replicaSet().start()) {
			run(server.connectionString(), WARM_UP_ROUNDS, WARM_UP_PAIRS);
		}
		try (MeasuredServer server = MeasuredServer.start()) {
			report(run(server.uri(), rounds, pairs), rounds, pairs);
		}
	}

	private static Turns run(String uri, int rounds, int pairs) {
		SpringApplication application = new SpringApplication(Subject.class);
		SpringApplication observed = new SpringApplication(Subject.class, Observed.class);
		String[] settings = { "--spring.mongodb.uri=" + uri, "--spring.mongodb.database=benchmark",
				"--logging.level.root=warn", "--spring.main.banner-mode=off" };
		try (ConfigurableApplicationContext context = application.run(settings);
				ConfigurableApplicationContext observing = observed.run(settings)) {
			return measure(context, observing, rounds, pairs);
		}
	}

	private static Turns measure(ConfigurableApplicationContext context, ConfigurableApplicationContext observing,
			int rounds, int pairs) {
		LockOperations locks = context.getBean(LockOperations.class);
		Work work = context.getBean(Work.class);
		LockRequest request = LockRequest.of("work:1");
		Commands commands = context.getBean(Commands.class);
		work.run(1);
		commands.stopRecording();
		MongoDatabase database = context.getBean(MongoClient.class).getDatabase("benchmark");
		MongoDatabase withTimeout = database.withTimeout(3, TimeUnit.SECONDS);
		Runnable bare = both(bare(database, commands.claim()), bare(database, commands.release()));
		Runnable timed = both(bare(withTimeout, commands.claim()), bare(withTimeout, commands.release()));
		Runnable template = () -> locks.execute(request, LockHandle::fence);
		Runnable annotation = () -> work.run(1);
		Runnable handle = () -> locks.acquire(request).close();
		LockTemplate silent = client(observing, List.of());
		LockTemplate traced = client(observing,
				List.of(new LockMdc(), new LockObservations(observing.getBean(ObservationRegistry.class),
						new DefaultLockObservationConvention(false))));
		LockOperations observed = observing.getBean(LockOperations.class);
		observing.getBean(Commands.class).stopRecording();
		Runnable unobserved = () -> silent.execute(LockRequest.of("work", 2), LockHandle::fence);
		Runnable withAll = () -> observed.execute(LockRequest.of("work", 2), LockHandle::fence);
		Runnable withSpans = () -> traced.execute(LockRequest.of("work", 2), LockHandle::fence);
		List<Runnable> subjects = List.of(bare, timed, template, annotation, handle, unobserved, withAll, withSpans,
				plain(database), shedLock(database));
		Turns turns = Turns.of(subjects, pairs, 5, rounds);
		silent.stop(Duration.ofSeconds(5));
		traced.stop(Duration.ofSeconds(5));
		return turns;
	}

	private static LockTemplate client(ConfigurableApplicationContext context, List<LockListener> listeners) {
		return new LockTemplate(context.getBean(LockStore.class),
				new ClientOptions(context.getBean(ConfiguredSettings.class), context.getBean(LockOwner.class),
						LockClock.system(), listeners));
	}

	private static void report(Turns turns, int rounds, int pairs) {
		Table table = new Table("What the library adds, median of " + rounds + " rounds of " + pairs + " pairs", "what",
				"µs a pair", "µs of CPU", "kB allocated", "ratio", "to");
		String bare = "two bare commands";
		String silent = "LockTemplate without any of them";
		add(table, bare, turns, 0, 0, bare);
		add(table, "the same with a timeoutMS", turns, 1, 0, bare);
		add(table, "LockTemplate.execute", turns, 2, 0, bare);
		add(table, "@DistributedLock", turns, 3, 0, bare);
		add(table, "acquire and close", turns, 4, 0, bare);
		add(table, "LockTemplate.execute", turns, 2, 8, "two plain `$set` updates");
		add(table, "LockTemplate.execute", turns, 2, 9, "ShedLock 7.9");
		add(table, "two plain `$set` updates", turns, 8, 0, bare);
		add(table, "ShedLock 7.9", turns, 9, 0, bare);
		add(table, "meters, MDC and events", turns, 6, 5, silent);
		add(table, "observations timed, and MDC", turns, 7, 5, silent);
		System.out.print(table.toMarkdown());
	}

	private static void add(Table table, String what, Turns turns, int subject, int other, String to) {
		table.add(what, turns.micros(subject), turns.cpuMicros(subject), turns.kilobytes(subject),
				turns.ratio(subject, other), to);
	}

	/**
	 * Sends a command again as the library sent it: plainly, or as the driver's own
	 * operation if that has numbered it.
	 */
	private static Runnable bare(MongoDatabase database, BsonDocument recorded) {
		BsonDocument command = recorded.clone();
		for (String added : List.of("$db", "lsid", "$clusterTime", "maxTimeMS", "$readPreference", "txnNumber")) {
			command.remove(added);
		}
		if (!recorded.containsKey("txnNumber")) {
			return () -> database.runCommand(command, BsonDocument.class);
		}
		MongoCollection<BsonDocument> locks = database.getCollection("locks", BsonDocument.class)
			.withWriteConcern(WriteConcern.W1);
		BsonDocument update = command.getArray("updates").get(0).asDocument();
		return () -> locks.updateOne(update.getDocument("q"), update.getDocument("u"));
	}

	private static Runnable plain(MongoDatabase database) {
		MongoCollection<Document> plain = database.getCollection("plain");
		plain.insertOne(new Document("_id", "work:1"));
		MongoCollection<Document> majority = plain.withWriteConcern(WriteConcern.MAJORITY);
		MongoCollection<Document> fast = plain.withWriteConcern(WriteConcern.W1);
		AtomicLong count = new AtomicLong();
		return () -> {
			majority.updateOne(Filters.eq("work:1"), Updates.set("holder", count.incrementAndGet()));
			fast.updateOne(Filters.eq("work:1"), Updates.set("holder", 0));
		};
	}

	private static Runnable shedLock(MongoDatabase database) {
		MongoLockProvider locks = new MongoLockProvider(database);
		return () -> locks.lock(new LockConfiguration(Instant.now(), "work:1", Duration.ofSeconds(30), Duration.ZERO))
			.orElseThrow()
			.unlock();
	}

	private static Runnable both(Runnable one, Runnable other) {
		return () -> {
			one.run();
			other.run();
		};
	}

}
