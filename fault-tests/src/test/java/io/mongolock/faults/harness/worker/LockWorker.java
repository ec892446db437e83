package io.mongolock.faults.harness.worker;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

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
import io.mongolock.LossReason;
import io.mongolock.client.LeakDetection;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.HandOver;
import io.mongolock.core.LockDefaults;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.history.HistoryRecord.Lost;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;
import io.mongolock.faults.harness.history.HistoryWriter;
import io.mongolock.mongodb.FencedWrites;
import io.mongolock.store.mongo.MongoLockStore;

/**
 * The class behind a {@link LockWorkerJvm}: holds locks, and works under them, as told by
 * the test, and writes down what happens.
 */
final class LockWorker {

	private static final Duration PATIENCE = Duration.ofSeconds(110);

	/** What histories call this process. */
	static final String PROCESS = String.valueOf(ProcessHandle.current().pid());

	private final Map<String, Held> held = new ConcurrentHashMap<>();

	private final HistoryWriter history;

	private final LockTemplate locks;

	private final LockedSections sections;

	private final FencedWrites writes;

	// Ends with the process
	LockWorker(String connectionString, Duration ttl, Path history) {
		MongoClient client = MongoClients.create(connectionString);
		this.history = new HistoryWriter(history);
		StallMeter.start(this.history);
		MongoTemplate mongo = new MongoTemplate(client, Harness.DATABASE);
		mongo.setSessionSynchronization(SessionSynchronization.NEVER);
		MongoLockStore store = new MongoLockStore(mongo, Harness.COLLECTION, "");
		this.locks = template(store, ttl);
		this.sections = new LockedSections(this.locks, this.history, new GuardedCounter(client, Harness.DATABASE));
		this.writes = FencedWrites.of(mongo, store);
	}

	private LockTemplate template(MongoLockStore store, Duration ttl) {
		LockSettings settings = LockSettings.builder().ttl(ttl).waitTimeout(PATIENCE).build();
		LockOwner owner = new LockOwner("fault-tests", PROCESS, InetAddress.getLoopbackAddress().getHostName(),
				ProcessHandle.current().pid(), "");
		LockListener listener = new LockListener() {
			@Override
			public void onLost(LockHandle handle, LossReason reason) {
				LockWorker.this.history.write(new Lost(handle.key(), handle.fence(), System.nanoTime()));
			}
		};
		LockTemplate template = new LockTemplate(store, new LockDefaults(settings, Map.of()), owner, LockClock.system(),
				List.of(listener), LeakDetection.WARN, HandOver.DEFAULT, LockWorkerJvm.PLACE_TTL);
		template.start();
		return template;
	}

	long acquire(String key) {
		OpenSection section = new OpenSection(this.history);
		LockHandle handle = this.locks.acquire(LockRequest.of(key));
		section.enter(handle);
		this.held.put(key, new Held(handle, section));
		return handle.fence();
	}

	boolean release(String key) {
		Held lock = held(key);
		this.held.remove(key);
		lock.section().workEnded();
		try {
			lock.handle().close();
			lock.section().leave(Outcome.COMPLETED);
			return true;
		}
		catch (LockLostException ex) {
			lock.section().leave(Outcome.LOST);
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
		Query query = Query.query(Criteria.where("_id").is(key));
		this.writes.update(held(key).handle(), query, Update.update("value", value), GuardedValue.class);
		return value;
	}

	private Held held(String key) {
		return Optional.ofNullable(this.held.get(key))
			.orElseThrow(() -> new IllegalStateException("'" + key + "' was not acquired"));
	}

	SectionCounts runSections(String key, int threads, int each, long workMillis) throws Exception {
		return Crowd
			.run(threads,
					(number) -> Stream.generate(() -> this.sections.run(key, workMillis))
						.limit(each)
						.reduce(SectionCounts.NONE, SectionCounts::plus))
			.stream()
			.reduce(SectionCounts.NONE, SectionCounts::plus);
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
