package io.mongolock.faults.harness.worker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.query.Update;

import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockLostException;
import io.mongolock.LockRequest;
import io.mongolock.LossReason;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.HandOver;
import io.mongolock.data.FencedWrites;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.history.HistoryRecord.Lost;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;
import io.mongolock.faults.harness.history.HistoryWriter;
import io.mongolock.faults.harness.worker.LockWorkerJvm.Status;
import io.mongolock.store.mongo.MongoLockStore;

import static org.springframework.data.mongodb.core.query.Criteria.where;
import static org.springframework.data.mongodb.core.query.Query.query;

/**
 * The class behind a {@link LockWorkerJvm}: holds locks, and works under them, as asked
 * by the test, and writes down what happens.
 */
final class LockWorker {

	private static final Duration PATIENCE = Duration.ofSeconds(110);

	private final Map<String, Held> held = new ConcurrentHashMap<>();

	private final HistoryWriter history;

	private final LockTemplate locks;

	private final LockedSections sections;

	private final GuardedCounter counter;

	private final FencedWrites writes;

	// Ends with the process
	LockWorker(String connectionString, Duration ttl, Path history) {
		MongoClient client = MongoClients.create(connectionString);
		this.history = new HistoryWriter(history);
		this.history.writeStalls();
		MongoLockStore store = HarnessClient.store(client);
		this.locks = HarnessClient.locks(store, HarnessClient.settings(ttl, PATIENCE), HandOver.DEFAULT,
				LockWorkerJvm.PLACE_TTL, new LockListener() {
					@Override
					public void onLost(LockHandle handle, LossReason reason) {
						LockWorker.this.history.write(new Lost(handle.key(), handle.fence(), System.nanoTime()));
					}
				});
		this.sections = new LockedSections(this.locks, this.history);
		this.counter = new GuardedCounter(client, Harness.DATABASE);
		this.writes = FencedWrites.of(new MongoTemplate(client, Harness.DATABASE), store);
	}

	long acquire(String key) {
		OpenSection section = new OpenSection(this.history, 1);
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

	Status status(String key) {
		Held lock = this.held.get(key);
		if (lock == null) {
			return Status.NONE;
		}
		return (lock.handle().isHeld()) ? Status.HELD : Status.LOST;
	}

	long write(String key, long value) {
		this.writes.update(held(key).handle(), query(where("_id").is(key)), Update.update("value", value),
				GuardedValue.class);
		return value;
	}

	private Held held(String key) {
		return Optional.ofNullable(this.held.get(key))
			.orElseThrow(() -> new IllegalStateException("'" + key + "' was not acquired"));
	}

	SectionCounts runSections(String key, int threads, int each, long workMillis) throws Exception {
		return Crowd
			.run(threads,
					(number) -> Stream
						.generate(() -> this.sections.run(LockRequest.of(key), (handle) -> add(handle, workMillis)))
						.limit(each)
						.reduce(SectionCounts.NONE, SectionCounts::plus))
			.stream()
			.reduce(SectionCounts.NONE, SectionCounts::plus);
	}

	// To the counter of that key; what is no longer guaranteed held is not written under
	private void add(LockHandle handle, long workMillis) throws InterruptedException {
		long value = this.counter.get(handle.key());
		if (this.sections.work(handle, workMillis)) {
			this.counter.set(handle.key(), value + 1);
		}
	}

	// Only the latest holder of the lock on its key may write it
	private record GuardedValue(@Id String id, long value) {

	}

	private record Held(LockHandle handle, OpenSection section) {

	}

}
