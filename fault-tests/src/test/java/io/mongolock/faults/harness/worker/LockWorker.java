package io.mongolock.faults.harness.worker;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.SessionSynchronization;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockLostException;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockUnavailableException;
import io.mongolock.LossReason;
import io.mongolock.client.LockDefaults;
import io.mongolock.client.LockTemplate;
import io.mongolock.faults.harness.history.HistoryRecord.ClaimOutcome;
import io.mongolock.faults.harness.history.HistoryRecord.Lost;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;
import io.mongolock.faults.harness.history.HistoryWriter;
import io.mongolock.faults.harness.history.HistoryWriter.OpenSection;
import io.mongolock.mongodb.FencedWrites;
import io.mongolock.store.mongo.MongoLockStore;

/**
 * The class that a {@link LockWorkerJvm} runs: holds locks, and works under them, as told
 * by the test, and writes down what happens.
 */
final class LockWorker {

	static final String COLLECTION = "locks";

	private static final Duration STOP_BUDGET = Duration.ofSeconds(5);

	private final Map<String, Held> held = new ConcurrentHashMap<>();

	private final LockTemplate locks;

	private final LockedSections sections;

	private final FencedWrites writes;

	private LockWorker(LockTemplate locks, LockedSections sections, FencedWrites writes) {
		this.locks = locks;
		this.sections = sections;
		this.writes = writes;
	}

	/**
	 * Run until the test is gone, or the process is told to end.
	 * @param args see {@link LockWorkerSettings}
	 * @throws IOException if standard input fails
	 */
	static void run(String... args) throws IOException {
		LockWorkerSettings settings = LockWorkerSettings.parse(args);
		MongoClient client = MongoClients.create(settings.connectionString());
		HistoryWriter history = new HistoryWriter(settings.history());
		StallMeter.start(history);
		MongoTemplate mongo = new MongoTemplate(client, settings.database());
		mongo.setSessionSynchronization(SessionSynchronization.NEVER);
		MongoLockStore store = new MongoLockStore(mongo, COLLECTION, "");
		LockTemplate locks = template(store, settings, history);
		Runtime.getRuntime().addShutdownHook(new Thread(() -> locks.stop(STOP_BUDGET), "stop-locks"));
		LockedSections sections = new LockedSections(locks, history, new GuardedCounter(client, settings.database()));
		new LockWorker(locks, sections, FencedWrites.of(mongo, store)).loop().run();
	}

	private static LockTemplate template(MongoLockStore store, LockWorkerSettings settings, HistoryWriter history) {
		LockSettings asked = LockSettings.builder().ttl(settings.ttl()).waitTimeout(settings.waitTimeout()).build();
		LockOwner owner = new LockOwner("fault-tests", history.process(),
				InetAddress.getLoopbackAddress().getHostName(), ProcessHandle.current().pid(), "");
		LockListener listener = new LockListener() {

			@Override
			public void onLost(LockHandle handle, LossReason reason) {
				history.write(new Lost(handle.key(), handle.fence(), System.nanoTime()));
			}

		};
		LockTemplate locks = new LockTemplate(store, new LockDefaults(asked, Map.of()), owner, LockClock.system(),
				List.of(listener));
		locks.start();
		return locks;
	}

	private WorkerLoop loop() {
		return new WorkerLoop().on("acquire", (args) -> acquire(args.get(0)))
			.on("release", (args) -> release(args.get(0)))
			.on("status", (args) -> status(args.get(0)))
			.on("write", (args) -> write(args.get(0), Long.parseLong(args.get(1))))
			.on("run", (args) -> runSections(args.get(0), Integer.parseInt(args.get(1)), Integer.parseInt(args.get(2)),
					Long.parseLong(args.get(3))));
	}

	private String acquire(String key) {
		long asked = System.nanoTime();
		try {
			LockHandle handle = this.locks.acquire(LockRequest.of(key));
			this.held.put(key, new Held(handle, this.sections.granted(handle, asked)));
			return String.valueOf(handle.fence());
		}
		catch (LockUnavailableException ex) {
			this.sections.waited(key, asked, ClaimOutcome.DENIED);
			throw ex;
		}
		catch (RuntimeException ex) {
			this.sections.waited(key, asked, ClaimOutcome.UNKNOWN);
			throw ex;
		}
	}

	private String release(String key) {
		Held lock = Optional.ofNullable(this.held.remove(key))
			.orElseThrow(() -> new IllegalStateException("'" + key + "' was not acquired"));
		long left = System.nanoTime();
		lock.section().workEnded(left);
		try {
			lock.handle().close();
			lock.section().leave(Outcome.COMPLETED, left);
			return "";
		}
		catch (LockLostException ex) {
			lock.section().leave(Outcome.LOST, left);
			throw ex;
		}
	}

	private String status(String key) {
		Held lock = this.held.get(key);
		if (lock == null) {
			return LockStatus.NONE.name();
		}
		return ((lock.handle().isHeld()) ? LockStatus.HELD : LockStatus.LOST).name();
	}

	private String write(String key, long value) {
		Held lock = Optional.ofNullable(this.held.get(key))
			.orElseThrow(() -> new IllegalStateException("'" + key + "' was not acquired"));
		Query query = Query.query(Criteria.where("_id").is(key));
		this.writes.update(lock.handle(), query, Update.update("value", value), GuardedValue.class);
		return "";
	}

	private String runSections(String key, int threads, int each, long workMillis) throws InterruptedException {
		SectionCounts[] counts = new SectionCounts[threads];
		List<Thread> workers = IntStream.range(0, threads).mapToObj((i) -> new Thread(() -> {
			SectionCounts sum = new SectionCounts(0, 0, 0, 0);
			for (int done = 0; done < each; done++) {
				sum = sum.plus(this.sections.run(key, workMillis));
			}
			counts[i] = sum;
		}, "section-" + i)).toList();
		workers.forEach(Thread::start);
		for (Thread worker : workers) {
			worker.join();
		}
		return List.of(counts).stream().reduce(new SectionCounts(0, 0, 0, 0), SectionCounts::plus).toText();
	}

	/**
	 * A document that only the latest holder of the lock on its key may write.
	 *
	 * @param id the key
	 * @param value what was written last
	 */
	private record GuardedValue(@Id String id, long value) {

	}

	private record Held(LockHandle handle, OpenSection section) {

	}

}
