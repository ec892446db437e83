package io.mongolock.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import io.micrometer.observation.ObservationRegistry;
import org.bson.BsonDocument;
import org.bson.BsonValue;
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

/**
 * What a lock costs through the template, the annotation and a handle, as a ratio to the
 * two commands they send, sent bare, and those with a timeout. They take turns in short
 * rounds, in another order each, so that neither noise of the machine nor what ran before
 * hits one of them more than the others; the figure is the median of the rounds' ratios.
 * Runs on a {@link MeasuredServer}. Besides, what the meters, the MDC and events of an
 * application with the Actuator cost together, and what observations timed as Spring Boot
 * times them do, against a client without any of them on the same store. Arguments:
 * rounds (100), pairs a round (200).
 */
public final class OverheadBenchmark {

	private OverheadBenchmark() {
	}

	public static void main(String[] args) {
		int rounds = (args.length > 0) ? Integer.parseInt(args[0]) : 100;
		int pairs = (args.length > 1) ? Integer.parseInt(args[1]) : 200;
		try (MeasuredServer server = MeasuredServer.start()) {
			run(server.uri(), rounds, pairs);
		}
	}

	private static void run(String uri, int rounds, int pairs) {
		SpringApplication application = new SpringApplication(Subject.class);
		SpringApplication observed = new SpringApplication(Subject.class, Observed.class);
		String[] settings = { "--spring.mongodb.uri=" + uri, "--spring.mongodb.database=benchmark",
				"--logging.level.root=warn", "--spring.main.banner-mode=off" };
		try (ConfigurableApplicationContext context = application.run(settings);
				ConfigurableApplicationContext observing = observed.run(settings)) {
			measure(context, observing, rounds, pairs);
		}
	}

	private static void measure(ConfigurableApplicationContext context, ConfigurableApplicationContext observing,
			int rounds, int pairs) {
		LockOperations locks = context.getBean(LockOperations.class);
		Work work = context.getBean(Work.class);
		LockRequest request = LockRequest.of("work:1");
		Commands commands = context.getBean(Commands.class);
		work.run(1);
		commands.stopRecording();
		MongoCollection<BsonDocument> collection = context.getBean(MongoClient.class)
			.getDatabase("benchmark")
			.getCollection("locks", BsonDocument.class);
		Runnable bare = bare(collection, commands.claim(), commands.release());
		Runnable timed = bare(collection.withTimeout(3, TimeUnit.SECONDS), commands.claim(), commands.release());
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
		List<Runnable> subjects = List.of(bare, timed, template, annotation, handle, unobserved, withAll, withSpans);
		report(Turns.of(subjects, pairs, 20, rounds), rounds, pairs);
		silent.close();
		traced.close();
	}

	private static LockTemplate client(ConfigurableApplicationContext context, List<LockListener> listeners) {
		return new LockTemplate(context.getBean(LockStore.class),
				new ClientOptions(context.getBean(ConfiguredSettings.class), context.getBean(LockOwner.class),
						LockClock.system(), listeners));
	}

	private static void report(Turns turns, int rounds, int pairs) {
		Table table = new Table("What the library adds, median of " + rounds + " rounds of " + pairs + " pairs", "what",
				"µs a pair", "ratio", "to");
		String bare = "two bare commands";
		String silent = "LockTemplate without any of them";
		table.add(bare, turns.micros(0), 1.0, bare);
		table.add("the same with a timeoutMS", turns.micros(1), turns.ratio(1, 0), bare);
		table.add("LockTemplate.execute", turns.micros(2), turns.ratio(2, 0), bare);
		table.add("@DistributedLock", turns.micros(3), turns.ratio(3, 0), bare);
		table.add("acquire and close", turns.micros(4), turns.ratio(4, 0), bare);
		table.add("meters, MDC and events", turns.micros(6), turns.ratio(6, 5), silent);
		table.add("observations timed, and MDC", turns.micros(7), turns.ratio(7, 5), silent);
		System.out.print(table.toMarkdown());
	}

	private static Runnable bare(MongoCollection<BsonDocument> collection, BsonDocument claim, BsonDocument release) {
		MongoCollection<BsonDocument> locks = collection.withWriteConcern(WriteConcern.MAJORITY);
		MongoCollection<BsonDocument> fast = locks.withWriteConcern(WriteConcern.W1);
		List<BsonDocument> pipeline = new ArrayList<>();
		for (BsonValue stage : claim.getArray("update")) {
			pipeline.add(stage.asDocument());
		}
		FindOneAndUpdateOptions options = new FindOneAndUpdateOptions().upsert(true)
			.returnDocument(ReturnDocument.AFTER)
			.projection(claim.getDocument("fields"));
		BsonDocument filter = claim.getDocument("query");
		BsonDocument update = release.getArray("updates").get(0).asDocument().getDocument("u");
		return () -> {
			locks.findOneAndUpdate(filter, pipeline, options);
			fast.updateOne(filter, update);
		};
	}

}
