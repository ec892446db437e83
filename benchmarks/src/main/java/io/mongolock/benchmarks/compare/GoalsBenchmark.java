package io.mongolock.benchmarks.compare;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.Updates;
import org.bson.Document;

import io.mongolock.benchmarks.OverheadBenchmark;
import io.mongolock.benchmarks.Table;
import io.mongolock.benchmarks.Turns;

/**
 * What {@code mongo-lock.linger} is for: a lone user of a lock, and two who take turns,
 * with it and without it, as ratios. A commit is a bare update that the majority
 * confirms, timed between those of locks. Ends with the tables of
 * {@link OverheadBenchmark}, whose arguments it takes.
 */
public final class GoalsBenchmark {

	private static final Duration LINGER = Duration.ofSeconds(1);

	private static final long MILLIS = 2_000;

	/** So that ten of them are slower than the 99th percentile. */
	private static final int TURNS = 1_000;

	private static final int RECALLS = 60;

	private final Table table = new Table("A lock that stays where it is used, lingering for 1 s", "what", "figure",
			"ratio", "to");

	private final Servers servers;

	private GoalsBenchmark(Servers servers) {
		this.servers = servers;
	}

	public static void main(String[] args) throws IOException {
		try (Servers servers = new Servers()) {
			System.out.println("Measured on " + servers.mongo());
			GoalsBenchmark goals = new GoalsBenchmark(servers);
			goals.repeated();
			goals.working();
			goals.ownKeys();
			goals.takingTurns();
			goals.recalled();
			System.out.print(goals.table.toMarkdown());
		}
		System.out.print(Jvms.tables(OverheadBenchmark.class, List.of(args)));
	}

	private void repeated() {
		try (Competitor plain = connect(Duration.ZERO); Competitor lingering = connect(LINGER)) {
			Turns turns = Turns.of(
					List.of(() -> plain.lock("plain").unlock(), () -> lingering.lock("lingering").unlock()), 50, 20,
					40);
			this.table.add("one key again and again, µs a pair", turns.micros(1), 1 / turns.ratio(1, 0),
					"times as fast as without");
		}
	}

	private void working() {
		Load load = new Load(1, 1, 1000, MILLIS);
		double limit = perSecond(new NoLock(), load);
		String to = "the limit of one thread that takes no lock";
		String what = "1 ms of work, 1 thread, grants/s: ";
		add(what + "lingering", perSecond(connect(LINGER), load), limit, to);
		add(what + "without", perSecond(connect(Duration.ZERO), load), limit, to);
		if (this.servers.has(Kind.REDISSON)) {
			add(what + Kind.REDISSON.title(), perSecond(redisson(), load), limit, to);
		}
	}

	private void ownKeys() {
		Load load = new Load(64, 16, 0, MILLIS);
		double other = (this.servers.has(Kind.REDISSON)) ? perSecond(new OwnKeys(redisson()), load) : Double.NaN;
		String what = "1,024 keys, 64 threads, each its own keys, no work, grants/s: ";
		add(what + "lingering", perSecond(new OwnKeys(connect(LINGER)), load), other, Kind.REDISSON.title());
		add(what + "without", perSecond(new OwnKeys(connect(Duration.ZERO)), load), other, Kind.REDISSON.title());
	}

	/**
	 * Two clients that no hand-over reaches, each after a pause of 50 ms. With and
	 * without lingering they take turns at going first.
	 */
	private void takingTurns() {
		try (Competitor one = connect(Duration.ZERO);
				Competitor two = connect(Duration.ZERO);
				Competitor lingering = connect(LINGER);
				Competitor next = connect(LINGER)) {
			Samples without = new Samples();
			Samples with = new Samples();
			for (int i = 0; i < TURNS; i++) {
				Competitor plain = (i % 2 == 0) ? one : two;
				Competitor lingers = (i % 2 == 0) ? lingering : next;
				pause();
				boolean first = i % 4 < 2;
				if (first) {
					with.add(nanos(() -> lingers.lock("lingering turns").unlock()));
				}
				without.add(nanos(() -> plain.lock("turns").unlock()));
				if (!first) {
					with.add(nanos(() -> lingers.lock("lingering turns").unlock()));
				}
			}
			Outcome plainly = outcome(without);
			Outcome lingers = outcome(with);
			String to = "without lingering";
			String what = "two clients take turns every 50 ms, " + TURNS + " turns, pair, ";
			add(what + "p50 ms", lingers.p50(), plainly.p50(), to);
			add(what + "p99 ms", lingers.p99(), plainly.p99(), to);
		}
	}

	/**
	 * A second client takes the lock after the first one has taken it twice.
	 */
	private void recalled() {
		try (MongoClient client = MongoClients.create(this.servers.uri(Kind.MONGO_LOCK));
				Competitor lingering = connect(LINGER);
				Competitor next = connect(LINGER)) {
			MongoCollection<Document> plain = client.getDatabase(CommandCount.DATABASE)
				.getCollection("plain")
				.withWriteConcern(WriteConcern.MAJORITY);
			Samples commits = new Samples();
			Samples recalls = new Samples();
			for (int i = 0; i < RECALLS; i++) {
				pause();
				commits.add(nanos(() -> plain.updateOne(Filters.eq("commit"), Updates.inc("n", 1),
						new UpdateOptions().upsert(true))));
				// A key of its own: one that was recalled is not kept again so soon
				String recalled = "recalled " + i;
				lingering.lock(recalled).unlock();
				pause();
				lingering.lock(recalled).unlock();
				pause();
				recalls.add(nanos(() -> next.lock(recalled).unlock()));
			}
			Outcome commit = outcome(commits);
			Outcome recall = outcome(recalls);
			add("commit, p50 ms", commit.p50(), commit.p50(), "a commit");
			add("recall to grant and release, p50 ms", recall.p50(), commit.p50(), "a commit");
			add("recall to grant and release, p99 ms", recall.p99(), commit.p50(), "a commit");
		}
	}

	private void add(String what, double figure, double other, String to) {
		this.table.add(what, figure, figure / other, to);
	}

	private Competitor connect(Duration linger) {
		return new MongoLock(this.servers.uri(Kind.MONGO_LOCK), linger);
	}

	private Competitor redisson() {
		return Kind.REDISSON.connect(this.servers.uri(Kind.REDISSON));
	}

	private static double perSecond(Competitor competitor, Load load) {
		try (competitor) {
			Load.warmUp(competitor);
			return load.run(competitor).perSecond();
		}
	}

	private static Outcome outcome(Samples samples) {
		return Outcome.of(List.of(samples), 1, -1);
	}

	private static void pause() {
		LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
	}

	private static long nanos(Runnable timed) {
		long begun = System.nanoTime();
		timed.run();
		return System.nanoTime() - begun;
	}

	/**
	 * Locks of which each thread has its own.
	 */
	private record OwnKeys(Competitor competitor) implements Competitor {

		@Override
		public Held lock(String key) {
			return this.competitor.lock(key + " of " + Thread.currentThread().getId());
		}

		@Override
		public long requests() {
			return this.competitor.requests();
		}

		@Override
		public void close() {
			this.competitor.close();
		}

	}

}
