package io.mongolock.benchmarks;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.sun.management.OperatingSystemMXBean;
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
 * What it costs a server and a client to keep locks: by their number, with the default
 * ttl and with one of a minute. What both cost without a lock is subtracted. Runs on a
 * {@link MeasuredServer}. Arguments: seconds for each (60), then numbers of locks (1, 20,
 * 100, 1,000, 10,000).
 */
public final class RenewalBenchmark {

	private static final LockSettings BY_DEFAULT = LockSettings.NONE;

	private static final LockSettings A_MINUTE = LockSettings.builder().ttl(Duration.ofMinutes(1)).build();

	/** Until leases that began at different times are renewed together. */
	private static final long SETTLED = 20_000;

	private final MongoClient mongo;

	private final MongoTemplate template;

	private final int seconds;

	private final Table table = new Table("What renewals cost", "locks", "ttl", "every", "requests/s", "documents/s",
			"kB/s", "% of a core of the server", "% of a core of the client", "lost");

	private RenewalBenchmark(MongoClient mongo, int seconds) {
		this.mongo = mongo;
		this.template = new MongoTemplate(mongo, "benchmark");
		this.template.setSessionSynchronization(SessionSynchronization.NEVER);
		this.seconds = seconds;
	}

	public static void main(String[] args) throws Exception {
		int seconds = (args.length > 0) ? Integer.parseInt(args[0]) : 60;
		int[] numbers = (args.length > 1) ? Arrays.stream(args).skip(1).mapToInt(Integer::parseInt).toArray()
				: new int[] { 1, 20, 100, 1_000, 10_000 };
		try (MeasuredServer server = MeasuredServer.start(); MongoClient mongo = MongoClients.create(server.uri())) {
			new RenewalBenchmark(mongo, seconds).measure(numbers);
		}
	}

	private void measure(int[] numbers) throws Exception {
		keep(1_000, BY_DEFAULT, 10);
		Cost none = keep(0, BY_DEFAULT, this.seconds);
		for (int locks : numbers) {
			for (LockSettings settings : List.of(BY_DEFAULT, A_MINUTE)) {
				Cost cost = keep(locks, settings, this.seconds);
				String interval = new ConfiguredSettings(settings, Map.of()).terms().renewInterval().nanos(locks) / 1e9
						+ " s";
				this.table.add(locks, new ConfiguredSettings(settings, Map.of()).terms().ttl().toSeconds() + " s",
						interval, cost.server.requests() - none.server.requests(),
						cost.server.documents() - none.server.documents(),
						(cost.server.bytes() - none.server.bytes()) / 1e3,
						(cost.server.cpu() - none.server.cpu()) * 100, (cost.client - none.client) * 100, cost.lost);
			}
		}
		System.out.println(this.table.toMarkdown());
	}

	private Cost keep(int number, LockSettings settings, int seconds) throws Exception {
		LockTemplate locks = new LockTemplate(new MongoLockStore(this.template, "locks", ""),
				new ClientOptions(new ConfiguredSettings(settings, Map.of()),
						new LockOwner("benchmark", "1", "host.example", 1, "main"), LockClock.system(), List.of())
					.withLeakDetection(LeakDetection.OFF));
		locks.start();
		List<LockHandle> handles = new ArrayList<>(IntStream.range(0, number)
			.parallel()
			.mapToObj((i) -> locks.acquire(LockRequest.of("kept:" + i)))
			.toList());
		Thread.sleep(SETTLED);
		Usage server = Usage.of(this.mongo);
		long client = clientNanos();
		Thread.sleep(seconds * 1000L);
		client = clientNanos() - client;
		server = Usage.of(this.mongo).since(server);
		long lost = handles.stream().filter((handle) -> !handle.isHeld()).count();
		handles.parallelStream().filter(LockHandle::isHeld).forEach(LockHandle::close);
		locks.stop(Duration.ofSeconds(60));
		return new Cost(server, client / (double) server.nanos(), lost);
	}

	private static long clientNanos() {
		return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
	}

	/**
	 * What it took to keep locks for a while.
	 *
	 * @param server within a second
	 * @param client its share of a core
	 * @param lost how many locks were not held at the end
	 */
	private record Cost(Usage server, double client, long lost) {

	}

}
