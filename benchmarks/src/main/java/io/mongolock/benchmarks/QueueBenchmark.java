package io.mongolock.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import org.bson.Document;
import org.springframework.data.mongodb.SessionSynchronization;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.ClientOptions.LeakDetection;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.store.mongo.MongoLockStore;

/**
 * What many clients cost that wait for one key, and how fast the lock goes from one to
 * the next: clients as those of as many JVMs, each with one thread, all in this JVM over
 * one {@code MongoClient}. Three queues are emptied before, unmeasured: a JVM that has
 * just begun is nearly twice as slow. Runs on a {@link MeasuredServer}. Arguments:
 * seconds to wait (20), then numbers of clients (25, 100, 300).
 */
public final class QueueBenchmark {

	private static final Duration PATIENCE = Duration.ofMinutes(10);

	private static final long SETTLED = 20_000;

	private static final int WARM_UP_CLIENTS = 40;

	private static final int AT_A_TIME = 25;

	/** A millisecond. */
	private static final long WORK = 1_000_000;

	private static final LockRequest REQUEST = LockRequest.of("awaited");

	private QueueBenchmark() {
	}

	public static void main(String[] args) throws Exception {
		int seconds = (args.length > 0) ? Integer.parseInt(args[0]) : 20;
		int[] numbers = (args.length > 1) ? Arrays.stream(args).skip(1).mapToInt(Integer::parseInt).toArray()
				: new int[] { 25, 100, 300 };
		try (MeasuredServer server = MeasuredServer.start()) {
			String uri = server.uri() + ((server.uri().contains("?")) ? "&" : "/?") + "maxPoolSize=2000";
			try (MongoClient client = MongoClients.create(uri)) {
				for (int i = 0; i < 3; i++) {
					new Line(client, WARM_UP_CLIENTS).measure(0, 0, new Table("Warm-up"));
				}
				Table table = new Table("Clients that wait for one key", "clients", "requests/s", "MB/s",
						"% of a core of the server", "one commit, ms", "release to grant, ms: p50", "p99", "longest",
						"p50 in commits", "all, s", "out of order");
				for (int clients : numbers) {
					new Line(client, clients).measure(SETTLED, seconds, table);
				}
				System.out.println(table.toMarkdown());
			}
		}
	}

	/**
	 * Some clients that wait for one key.
	 */
	private static final class Line {

		private final MongoClient client;

		private final MongoTemplate template;

		private final int clients;

		private final List<Turn> turns = Collections.synchronizedList(new ArrayList<>());

		Line(MongoClient client, int clients) {
			this.client = client;
			this.template = new MongoTemplate(client, "benchmark");
			this.template.setSessionSynchronization(SessionSynchronization.NEVER);
			this.clients = clients;
		}

		void measure(long settled, int seconds, Table table) throws Exception {
			List<LockTemplate> templates = IntStream.range(0, this.clients).mapToObj(this::locks).toList();
			LockTemplate first = locks(this.clients);
			LockHandle held = first.acquire(REQUEST);
			List<Thread> waiters = IntStream.range(0, this.clients)
				.mapToObj((number) -> new Thread(() -> take(templates.get(number), number)))
				.toList();
			// Not all at one moment, or requests wait too long for a connection
			for (int from = 0; from < this.clients; from += AT_A_TIME) {
				int to = Math.min(from + AT_A_TIME, this.clients);
				waiters.subList(from, to).forEach(Thread::start);
				await(to);
			}
			// Those who were near while the queue was short keep their streams for a
			// while
			Thread.sleep(settled);
			Usage before = Usage.of(this.client);
			Thread.sleep(seconds * 1000L);
			Usage used = Usage.of(this.client).since(before);
			double commit = commit();
			List<Integer> order = queue().stream()
				.map((waiter) -> Integer.valueOf(waiter.get("owner", Document.class).getString("instance")))
				.toList();
			long released = System.nanoTime();
			held.close();
			for (Thread waiter : waiters) {
				waiter.join();
			}
			report(table, used, commit, order, released);
			templates.forEach((locks) -> locks.stop(Duration.ofSeconds(5)));
			first.stop(Duration.ofSeconds(5));
		}

		private void take(LockTemplate locks, int number) {
			locks.execute(REQUEST, (handle) -> {
				long granted = System.nanoTime();
				LockSupport.parkNanos(WORK);
				this.turns.add(new Turn(number, granted, System.nanoTime()));
				return handle.fence();
			});
		}

		private void report(Table table, Usage used, double commit, List<Integer> order, long released) {
			double[] gaps = new double[this.turns.size()];
			long end = released;
			for (int i = 0; i < gaps.length; i++) {
				gaps[i] = (this.turns.get(i).granted() - end) / 1e6;
				end = this.turns.get(i).released();
			}
			Arrays.sort(gaps);
			double median = gaps[gaps.length / 2];
			table.add(this.clients, used.requests(), used.bytes() / 1e6, used.cpu() * 100, commit, median,
					gaps[gaps.length * 99 / 100], gaps[gaps.length - 1], median / commit, (end - released) / 1e9,
					IntStream.range(0, gaps.length).filter((i) -> this.turns.get(i).client() != order.get(i)).count());
		}

		private void await(int places) throws InterruptedException {
			while (queue().size() < places) {
				Thread.sleep(100);
			}
		}

		private List<Document> queue() {
			Document lock = this.client.getDatabase("benchmark").getCollection("locks").find().first();
			return (lock != null) ? lock.getList("queue", Document.class, List.of()) : List.of();
		}

		// The median of a bare write that waits for the majority
		private double commit() {
			MongoCollection<Document> other = this.client.getDatabase("benchmark")
				.getCollection("commits")
				.withWriteConcern(WriteConcern.MAJORITY);
			double[] millis = new double[100];
			for (int i = 0; i < millis.length; i++) {
				long begun = System.nanoTime();
				other.insertOne(new Document());
				millis[i] = (System.nanoTime() - begun) / 1e6;
			}
			return Turns.median(millis);
		}

		private LockTemplate locks(int number) {
			LockSettings settings = LockSettings.builder().waitTimeout(PATIENCE).build();
			return new LockTemplate(new MongoLockStore(this.template, "locks", ""),
					new ClientOptions(new ConfiguredSettings(settings, Map.of()),
							new LockOwner("benchmark", String.valueOf(number), "host.example", number, "main"),
							LockClock.system(), List.of())
						.withLeakDetection(LeakDetection.OFF));
		}

	}

	/**
	 * A client's turn.
	 *
	 * @param client its number
	 * @param granted when it began
	 * @param released when it ended
	 */
	private record Turn(int client, long granted, long released) {

	}

}
