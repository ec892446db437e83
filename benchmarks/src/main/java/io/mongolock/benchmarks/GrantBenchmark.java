package io.mongolock.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.Updates;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.client.LockTemplate;
import io.mongolock.store.Claim;
import io.mongolock.store.LeaseId;
import io.mongolock.store.ReleaseAnswer;
import io.mongolock.store.mongo.GrantingStore;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.test.server.MongodBinary;
import io.mongolock.test.server.RealMongo;

/**
 * How long it takes from a release to the grant of another JVM: as it is, and if the
 * release were the grant. This JVM releases, another one waits at the head of the queue,
 * a third one has the streams of those behind it. All ways take turns. Needs a
 * {@code mongod}. Arguments: rounds (51), then sizes of replica sets (1, 3).
 */
public final class GrantBenchmark implements AutoCloseable {

	private static final int[] PLACES = { 1, 25, 300 };

	private static final int[] STREAMS = { 1, 3, 10 };

	private static final List<GrantWay> ALL = List.of(GrantWay.values());

	private static final int BLOCKS = 3;

	private static final int NEW_JVMS = 3;

	private static final int NEW_ROUNDS = 13;

	private static final String NEW = "new";

	private static final String RESULT = "RESULT ";

	private static final int COMMITS = 5;

	private static final Duration LONG = Duration.ofMinutes(30);

	private final MongoClient client;

	private final MongoTemplate template;

	private final MongoCollection<Document> collection;

	private final MongoLockStore store;

	private final GrantingStore granting;

	private final LockTemplate locks;

	private final ExecutorService confirmations = Executors.newCachedThreadPool();

	private final Jvm waiter;

	private final String uri;

	/** The JVM with the streams of those behind, once there are any. */
	private @Nullable Jvm listeners;

	private Document lock = new Document();

	private GrantBenchmark(String uri) throws IOException {
		this.client = MongoClients.create(uri);
		this.template = GrantWaiter.template(this.client);
		this.collection = this.template.getCollection(GrantWaiter.COLLECTION).withWriteConcern(WriteConcern.MAJORITY);
		this.store = new MongoLockStore(this.template, GrantWaiter.COLLECTION, "");
		this.granting = new GrantingStore(this.template, GrantWaiter.COLLECTION, GrantWaiter.LENT);
		this.locks = GrantWaiter.locks(this.template, owner(0));
		this.waiter = new Jvm(GrantWaiter.class, uri, "waiter");
		this.uri = uri;
	}

	public static void main(String[] args) throws Exception {
		if (args.length > 0 && args[0].equals(NEW)) {
			System.out.println(RESULT + measureNew(GrantWay.valueOf(args[1]), args[2]));
			return;
		}
		int rounds = (args.length > 0) ? Integer.parseInt(args[0]) : 51;
		int[] sets = (args.length > 1) ? Arrays.stream(args).skip(1).mapToInt(Integer::parseInt).toArray()
				: new int[] { 1, 3 };
		MongodBinary binary = MeasuredServer.binary()
			.orElseThrow(() -> new IllegalStateException("No mongod: see CONTRIBUTING.md"));
		for (int members : sets) {
			try (RealMongo server = RealMongo.builder(binary).replicaSet(members).start();
					GrantBenchmark benchmark = new GrantBenchmark(server.connectionString())) {
				System.out.println("Measured on " + server.label());
				benchmark.measure(members, rounds);
			}
		}
		for (int members : sets) {
			try (RealMongo server = RealMongo.builder(binary).replicaSet(members).start()) {
				measureNew(members, server.connectionString());
			}
		}
	}

	/**
	 * The same by JVMs that have just begun, with one that waits.
	 */
	private static void measureNew(int members, String uri) throws IOException {
		Table table = new Table("JVMs that have just begun, replica set of " + members, "way", "p50 / p90 ms");
		Map<GrantWay, List<Double>> times = new EnumMap<>(GrantWay.class);
		for (int i = 0; i < NEW_JVMS; i++) {
			for (GrantWay way : ALL) {
				Jvm jvm = new Jvm(GrantBenchmark.class, NEW, way.name(), uri);
				times.computeIfAbsent(way, (key) -> new ArrayList<>())
					.addAll(Arrays.stream(jvm.read(RESULT).split(" ")).map(Double::valueOf).toList());
			}
		}
		times.forEach((way, some) -> table.add(way.title(), shown(some)));
		System.out.println(table.toMarkdown());
	}

	private static String measureNew(GrantWay way, String uri) throws IOException {
		try (GrantBenchmark benchmark = new GrantBenchmark(uri)) {
			benchmark.prepare(1);
			Map<GrantWay, Times> times = new EnumMap<>(GrantWay.class);
			benchmark.run(List.of(way), 1, 1, NEW_ROUNDS, 1, times);
			return String.join(" ", times(times, way).granted().stream().map(String::valueOf).toList());
		}
	}

	private void measure(int members, int rounds) throws IOException {
		new GrantRules(this.template, this.granting).check();
		this.waiter.send("warm");
		GrantWaiter.warmUp(this.template, owner(0));
		this.waiter.read(GrantWaiter.DONE);
		Table alone = new Table("Releases for which nobody waits, µs, replica set of " + members, "release", "p50",
				"p90");
		releasesForNobody(rounds * 5, alone);
		prepare(25);
		run(ALL, 25, 3, 1 + rounds / 2, 1, new EnumMap<>(GrantWay.class));
		Table table = new Table("From a release to the grant of another JVM, p50 / p90 ms, replica set of " + members,
				"places", "streams", "a commit", GrantWay.CLAIM.title(), GrantWay.GRANT.title(),
				GrantWay.RENEWED.title(), GrantWay.BEHIND.title(), GrantWay.LIBRARY.title(),
				"release call p50: as it is, granting, behind, library", "claim / grant", "claim / behind");
		for (int places : PLACES) {
			prepare(places);
			for (int streams : STREAMS) {
				Map<GrantWay, Times> times = new EnumMap<>(GrantWay.class);
				List<Double> commits = run(ALL, places, streams, rounds, BLOCKS, times);
				report(table, places, streams, commits, times);
			}
		}
		System.out.println(alone.toMarkdown());
		System.out.println(table.toMarkdown());
	}

	private static void report(Table table, int places, int streams, List<Double> commits, Map<GrantWay, Times> times) {
		List<Object> cells = new ArrayList<>(List.of(places, streams, shown(commits)));
		for (GrantWay way : GrantWay.values()) {
			cells.add(shown(times(times, way).granted()));
		}
		cells.add(String.format(Locale.ROOT, "%.1f, %.1f, %.1f, %.1f",
				quantile(times(times, GrantWay.CLAIM).released(), 0.5),
				quantile(times(times, GrantWay.GRANT).released(), 0.5),
				quantile(times(times, GrantWay.BEHIND).released(), 0.5),
				quantile(times(times, GrantWay.LIBRARY).released(), 0.5)));
		double claim = quantile(times(times, GrantWay.CLAIM).granted(), 0.5);
		cells.add(claim / quantile(times(times, GrantWay.GRANT).granted(), 0.5));
		cells.add(claim / quantile(times(times, GrantWay.BEHIND).granted(), 0.5));
		table.add(cells.toArray());
	}

	private static Times times(Map<GrantWay, Times> times, GrantWay way) {
		return Objects.requireNonNull(times.get(way));
	}

	/**
	 * Have a lock that is held, for which so many wait, each place entered by a claim.
	 */
	private void prepare(int places) {
		this.collection.deleteMany(new Document());
		this.store.acquire(claim(0), GrantWaiter.TIMEOUT);
		for (int i = 1; i <= places; i++) {
			this.store.acquire(claim(i).inQueue(LONG), GrantWaiter.TIMEOUT);
		}
		this.lock = Objects.requireNonNull(this.collection.find(Filters.eq(GrantWaiter.KEY)).first());
	}

	private static Claim claim(int number) {
		return Claim.of(new LeaseId(GrantWaiter.KEY, token("place")), owner(number), LONG);
	}

	private static LockOwner owner(int number) {
		return new LockOwner("benchmark", "instance-" + number, "host-" + number + ".example", 1 + number, "main");
	}

	private static String token(String client) {
		return client + UUID.randomUUID().toString().replace("-", "");
	}

	private List<Double> run(List<GrantWay> ways, int places, int streams, int rounds, int blocks,
			Map<GrantWay, Times> times) throws IOException {
		List<Double> commits = new ArrayList<>();
		for (int block = 0; block < blocks; block++) {
			for (int i = 0; i < ways.size(); i++) {
				GrantWay way = ways.get((i + block * 2) % ways.size());
				Times known = times.computeIfAbsent(way, (key) -> new Times(new ArrayList<>(), new ArrayList<>()));
				open(way, streams);
				for (int commit = 0; commit < COMMITS; commit++) {
					pause(5, 10);
					commits.add(commit());
				}
				// One more to begin with, which opens the stream of the library
				for (int round = -1; round < rounds / blocks; round++) {
					Times some = (round < 0) ? new Times(new ArrayList<>(), new ArrayList<>()) : known;
					if (way == GrantWay.LIBRARY) {
						byLibrary(places, some);
					}
					else {
						byStore(way, some);
					}
				}
				closeStreams();
			}
		}
		return commits;
	}

	private void open(GrantWay way, int streams) throws IOException {
		this.waiter.ask("open " + way + " " + ((way != GrantWay.LIBRARY) ? 1 : 0));
		if (streams > 1) {
			Jvm behind = (this.listeners != null) ? this.listeners : new Jvm(GrantWaiter.class, this.uri, "behind");
			behind.ask("open " + way + " " + (streams - 1));
			this.listeners = behind;
		}
	}

	private void closeStreams() throws IOException {
		this.waiter.ask("close");
		if (this.listeners != null) {
			this.listeners.ask("close");
		}
	}

	private double commit() {
		long begun = System.nanoTime();
		this.template.getCollection("commits")
			.withWriteConcern(WriteConcern.MAJORITY.withJournal(true))
			.insertOne(new Document());
		return millis(System.nanoTime() - begun);
	}

	private void byStore(GrantWay way, Times times) throws IOException {
		LeaseId held = new LeaseId(GrantWaiter.KEY, token("holder"));
		String head = token("waiter");
		this.lock.getList("holders", Document.class).get(0).put("token", held.leaseToken());
		this.lock.getList("queue", Document.class).get(0).put("token", head);
		this.collection.replaceOne(Filters.eq(GrantWaiter.KEY), this.lock, new ReplaceOptions().upsert(true));
		this.waiter.send("wait " + way + " " + head);
		this.waiter.read(GrantWaiter.READY);
		pause(8, 20);
		long sent = System.nanoTime();
		ReleaseAnswer answer = switch (way) {
			case CLAIM -> this.store.release(held, GrantWaiter.TIMEOUT);
			case BEHIND -> this.granting.release(held, WriteConcern.W1);
			default -> this.granting.release(held, WriteConcern.MAJORITY);
		};
		long answered = System.nanoTime();
		if (answer.awaited() && (way == GrantWay.CLAIM || way == GrantWay.BEHIND)) {
			this.confirmations.execute(() -> this.store.confirmReleases(GrantWaiter.TIMEOUT));
		}
		times.released().add(millis(answered - sent));
		times.granted().add(millis(Long.parseLong(this.waiter.read(GrantWaiter.GRANTED)) - sent));
		this.waiter.read(GrantWaiter.DONE);
		check(answer.ended(), head);
	}

	private void check(boolean ended, String head) {
		Document lock = Objects.requireNonNull(this.collection.find(Filters.eq(GrantWaiter.KEY)).first());
		List<Document> holders = lock.getList("holders", Document.class);
		if (!ended || holders.size() != 1 || !head.equals(holders.get(0).getString("token"))
				|| lock.getLong("fence") <= this.lock.getLong("fence") || lock.getList("queue", Document.class)
					.size() != this.lock.getList("queue", Document.class).size() - 1) {
			throw new IllegalStateException("The lock was not handed on as it should: " + lock);
		}
	}

	private void byLibrary(int places, Times times) throws IOException {
		LockHandle held = this.locks.acquire(GrantWaiter.REQUEST);
		this.waiter.send("wait " + GrantWay.LIBRARY + " -");
		this.waiter.read(GrantWaiter.READY);
		String key = GrantWaiter.REQUEST.key();
		while (isQueueEmpty(key)) {
			pause(2, 3);
		}
		if (places > 1) {
			// With the date that only what frees a place leaves as it is
			List<Document> behind = this.lock.getList("queue", Document.class).subList(1, places);
			this.collection.updateOne(Filters.eq(key),
					Updates.combine(Updates.pushEach("queue", behind), Updates.currentDate("touchedAt")));
		}
		pause(40, 70);
		long sent = System.nanoTime();
		held.close();
		times.released().add(millis(System.nanoTime() - sent));
		times.granted().add(millis(Long.parseLong(this.waiter.read(GrantWaiter.GRANTED)) - sent));
		this.waiter.read(GrantWaiter.DONE);
		this.collection.updateOne(Filters.eq(key),
				Updates.combine(Updates.set("queue", List.of()), Updates.currentDate("touchedAt")));
	}

	private boolean isQueueEmpty(String key) {
		Document lock = this.collection.find(Filters.eq(key)).projection(Projections.include("queue.token")).first();
		return lock == null || lock.getList("queue", Document.class, List.of()).isEmpty();
	}

	private void releasesForNobody(int pairs, Table table) {
		List<Double> plain = new ArrayList<>();
		List<Double> granting = new ArrayList<>();
		List<Double> confirmed = new ArrayList<>();
		for (int i = 0; i < pairs; i++) {
			plain.add(releaseForNobody((id) -> this.store.release(id, GrantWaiter.TIMEOUT)));
			granting.add(releaseForNobody((id) -> this.granting.release(id, WriteConcern.W1)));
			confirmed.add(releaseForNobody((id) -> this.granting.release(id, WriteConcern.MAJORITY)));
		}
		table.add("as it is", 1000 * quantile(plain, 0.5), 1000 * quantile(plain, 0.9));
		table.add("that grants", 1000 * quantile(granting, 0.5), 1000 * quantile(granting, 0.9));
		table.add("that grants, confirmed", 1000 * quantile(confirmed, 0.5), 1000 * quantile(confirmed, 0.9));
	}

	private double releaseForNobody(Function<LeaseId, ReleaseAnswer> release) {
		LeaseId id = new LeaseId("alone", token("alone"));
		this.store.acquire(Claim.of(id, owner(0), GrantWaiter.TTL).asFirst(), GrantWaiter.TIMEOUT);
		long begun = System.nanoTime();
		ReleaseAnswer answer = release.apply(id);
		long took = System.nanoTime() - begun;
		if (!answer.ended() || answer.awaited()) {
			throw new IllegalStateException("The lock was not released as it should");
		}
		return millis(took);
	}

	private static void pause(int from, int to) {
		LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(from * 1_000_000L, to * 1_000_000L));
	}

	private static double millis(long nanos) {
		return nanos / 1e6;
	}

	private static String shown(List<Double> millis) {
		return String.format(Locale.ROOT, "%.1f / %.1f", quantile(millis, 0.5), quantile(millis, 0.9));
	}

	private static double quantile(List<Double> values, double quantile) {
		List<Double> sorted = values.stream().sorted().toList();
		return sorted.get((int) (sorted.size() * quantile));
	}

	@Override
	public void close() {
		this.waiter.process.destroy();
		if (this.listeners != null) {
			this.listeners.process.destroy();
		}
		this.confirmations.shutdown();
		this.locks.stop(GrantWaiter.TIMEOUT);
		this.client.close();
	}

	/**
	 * How long one way took, in milliseconds.
	 *
	 * @param granted from the release that is sent until the other one knows
	 * @param released from there until the release is answered
	 */
	private record Times(List<Double> granted, List<Double> released) {

	}

	/**
	 * A {@link GrantWaiter}.
	 */
	private static final class Jvm {

		private final Process process;

		private final BufferedReader output;

		Jvm(Class<?> program, String... arguments) throws IOException {
			List<String> command = new ArrayList<>(
					List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
							System.getProperty("java.class.path"), program.getName()));
			command.addAll(List.of(arguments));
			this.process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
			this.output = this.process.inputReader();
		}

		void send(String line) throws IOException {
			this.process.outputWriter().write(line + "\n");
			this.process.outputWriter().flush();
		}

		void ask(String line) throws IOException {
			send(line);
			read(GrantWaiter.DONE);
		}

		String read(String prefix) throws IOException {
			for (String line = this.output.readLine(); line != null; line = this.output.readLine()) {
				if (line.startsWith(prefix)) {
					return line.substring(prefix.length());
				}
			}
			throw new IOException("A JVM of the benchmark ended before it said " + prefix.trim());
		}

	}

}
