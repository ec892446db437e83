package io.mongolock.faults.harness.worker;

import java.net.InetAddress;
import java.nio.file.Path;
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
import io.mongolock.client.LeakDetection;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.HandOver;
import io.mongolock.core.LockDefaults;
import io.mongolock.faults.harness.history.HistoryRecord.ClaimOutcome;
import io.mongolock.faults.harness.history.HistoryRecord.Lost;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;
import io.mongolock.faults.harness.history.HistoryWriter;
import io.mongolock.faults.harness.history.HistoryWriter.OpenSection;
import io.mongolock.mongodb.FencedWrites;
import io.mongolock.store.mongo.MongoLockStore;

/**
 * The class behind a {@link LockWorkerJvm}: holds locks, and works under them, as told by
 * the test, and writes down what happens.
 */
final class LockWorker {

	static final String COLLECTION = "locks";

	private final Map<String, Held> held = new ConcurrentHashMap<>();

	private final LockTemplate locks;

	private final LockedSections sections;

	private final FencedWrites writes;

	/**
	 * Begin; ends with the process.
	 * @param settings what it is told
	 */
	LockWorker(LockWorkerSettings settings) {
		MongoClient client = MongoClients.create(settings.connectionString());
		HistoryWriter history = new HistoryWriter(Path.of(settings.history()));
		StallMeter.start(history);
		MongoTemplate mongo = new MongoTemplate(client, settings.database());
		mongo.setSessionSynchronization(SessionSynchronization.NEVER);
		MongoLockStore store = new MongoLockStore(mongo, COLLECTION, "");
		this.locks = template(store, settings, history);
		this.sections = new LockedSections(this.locks, history, new GuardedCounter(client, settings.database()));
		this.writes = FencedWrites.of(mongo, store);
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
				List.of(listener), LeakDetection.WARN, HandOver.DEFAULT, LockWorkerJvm.PLACE_TTL);
		locks.start();
		return locks;
	}

	long acquire(String key) {
		long asked = System.nanoTime();
		try {
			LockHandle handle = this.locks.acquire(LockRequest.of(key));
			this.held.put(key, new Held(handle, this.sections.granted(handle, asked)));
			return handle.fence();
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

	boolean release(String key) {
		Held lock = Optional.ofNullable(this.held.remove(key))
			.orElseThrow(() -> new IllegalStateException("'" + key + "' was not acquired"));
		long left = System.nanoTime();
		lock.section().workEnded(left);
		try {
			lock.handle().close();
			lock.section().leave(Outcome.COMPLETED, left);
			return true;
		}
		catch (LockLostException ex) {
			lock.section().leave(Outcome.LOST, left);
			throw ex;
		}
	}

	LockStatus status(String key) {
		Held lock = this.held.get(key);
		if (lock == null) {
			return LockStatus.NONE;
		}
		return (lock.handle().isHeld()) ? LockStatus.HELD : LockStatus.LOST;
	}

	long write(String key, long value) {
		Held lock = Optional.ofNullable(this.held.get(key))
			.orElseThrow(() -> new IllegalStateException("'" + key + "' was not acquired"));
		Query query = Query.query(Criteria.where("_id").is(key));
		this.writes.update(lock.handle(), query, Update.update("value", value), GuardedValue.class);
		return value;
	}

	SectionCounts runSections(String key, int threads, int each, long workMillis) throws InterruptedException {
		SectionCounts[] counts = new SectionCounts[threads];
		List<Thread> workers = IntStream.range(0, threads).mapToObj((i) -> new Thread(() -> {
			SectionCounts sum = SectionCounts.NONE;
			for (int done = 0; done < each; done++) {
				sum = sum.plus(this.sections.run(key, workMillis));
			}
			counts[i] = sum;
		}, "section-" + i)).toList();
		workers.forEach(Thread::start);
		for (Thread worker : workers) {
			worker.join();
		}
		return List.of(counts).stream().reduce(SectionCounts.NONE, SectionCounts::plus);
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
