package io.mongolock.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;

import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.data.Sequences;
import io.mongolock.documents.DocumentLockOperations;
import io.mongolock.documents.LockedDocument;
import io.mongolock.documents.OptimisticUpdater;

/**
 * Many threads that increment one document, by {@code $inc}, optimistically, under a lock
 * beside it and under its own: how long it takes and how many attempts; then numbers of a
 * sequence by the size of its block. Runs on a {@link MeasuredServer}. Arguments: threads
 * (64), increments of each (100).
 */
public final class DocumentBenchmark {

	private static final Query COUNTER = Query.query(Criteria.where("id").is("a"));

	private DocumentBenchmark() {
	}

	public static void main(String[] args) throws Exception {
		int threads = (args.length > 0) ? Integer.parseInt(args[0]) : 64;
		int times = (args.length > 1) ? Integer.parseInt(args[1]) : 100;
		try (MeasuredServer server = MeasuredServer.start()) {
			run(server.uri(), threads, times);
		}
	}

	private static void run(String uri, int threads, int times) throws Exception {
		SpringApplication application = new SpringApplication(Subject.class);
		try (ConfigurableApplicationContext context = application.run("--spring.mongodb.uri=" + uri,
				"--spring.mongodb.database=benchmark", "--logging.level.root=warn", "--spring.main.banner-mode=off",
				"--mongo-lock.wait-timeout=10m", "--mongo-lock.sequences.b50.block=50",
				"--mongo-lock.sequences.b1000.block=1000")) {
			increments(context, threads, times);
			numbers(context.getBean(Sequences.class), threads, times);
		}
	}

	private static void increments(ConfigurableApplicationContext context, int threads, int times) throws Exception {
		MongoTemplate mongo = context.getBean(MongoTemplate.class);
		AtomicInteger attempts = new AtomicInteger();
		Map<String, Runnable> subjects = subjects(context, mongo, attempts);
		Table table = new Table("One document, incremented " + times + " times by each of " + threads + " threads",
				"how", "seconds", "the document says", "attempts each");
		for (String subject : List.of("$inc", "optimistic", "lock", "document lock")) {
			mongo.dropCollection(Counter.class);
			mongo.insert(new Counter("a", 0, null));
			double seconds = seconds(threads, times, Objects.requireNonNull(subjects.get(subject)));
			table.add(subject, seconds, counter(mongo).n(),
					(attempts.get() > 0) ? attempts.get() / (double) (threads * times) : Double.NaN);
			attempts.set(0);
		}
		System.out.print(table.toMarkdown());
	}

	private static Map<String, Runnable> subjects(ConfigurableApplicationContext context, MongoTemplate mongo,
			AtomicInteger attempts) {
		OptimisticUpdater updater = context.getBean(OptimisticUpdater.class);
		LockOperations locks = context.getBean(LockOperations.class);
		DocumentLockOperations documents = context.getBean(DocumentLockOperations.class);
		return Map.of("$inc", () -> mongo.updateFirst(COUNTER, new Update().inc("n", 1), Counter.class), "optimistic",
				() -> updater.update(Counter.class, "a", (counter) -> {
					attempts.incrementAndGet();
					return counter.next();
				}), "lock",
				() -> locks.execute(LockRequest.of("counter:a"), (lock) -> mongo.save(counter(mongo).next())),
				"document lock", () -> {
					LockedDocument<Counter> locked = documents.lock(Counter.class, "a");
					locked.save(locked.entity().next());
				});
	}

	private static Counter counter(MongoTemplate mongo) {
		return Objects.requireNonNull(mongo.findById("a", Counter.class));
	}

	private static void numbers(Sequences sequences, int threads, int times) throws Exception {
		Table table = new Table("Numbers of a sequence, taken by " + threads + " threads", "numbers in a block",
				"numbers/s");
		for (String name : List.of("b1", "b50", "b1000")) {
			table.add(name.substring(1), threads * times / seconds(threads, times, () -> sequences.next(name)));
		}
		System.out.print(table.toMarkdown());
	}

	private static double seconds(int threads, int times, Runnable work) throws Exception {
		ExecutorService pool = Executors.newFixedThreadPool(threads);
		try {
			List<Callable<Boolean>> all = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				all.add(() -> {
					for (int j = 0; j < times; j++) {
						work.run();
					}
					return true;
				});
			}
			long begun = System.nanoTime();
			for (Future<Boolean> one : pool.invokeAll(all)) {
				one.get();
			}
			return (System.nanoTime() - begun) / 1e9;
		}
		finally {
			pool.shutdownNow();
		}
	}

	record Counter(@Id String id, int n, @Version @Nullable Long version) {

		Counter next() {
			return new Counter(this.id, this.n + 1, this.version);
		}

	}

}
