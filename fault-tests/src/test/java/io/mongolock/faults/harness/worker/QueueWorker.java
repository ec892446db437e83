package io.mongolock.faults.harness.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import com.mongodb.client.MongoClients;

import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.HandOver;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.InterceptedStore;
import io.mongolock.faults.harness.history.QueueCheck.Answer;
import io.mongolock.store.LockStore;

/**
 * Threads that want exclusive, shared and limited locks, in a process of its own, and all
 * that the store answered them. Thread-safe.
 */
public final class QueueWorker {

	/** Only exclusive claims. */
	public static final String EXCLUSIVE = "exclusive";

	/** Readers and a few writers. */
	public static final String SHARED = "shared";

	/** Two permits. */
	public static final String LIMITED = "limited";

	private static final Duration PATIENCE = Duration.ofSeconds(110);

	/** So that nobody loses a place, however busy the machine. */
	private static final Duration PLACE_TTL = Duration.ofSeconds(60);

	private final Queue<Answer> history = new ConcurrentLinkedQueue<>();

	private final LockTemplate locks;

	public QueueWorker(String connectionString) {
		LockStore store = new InterceptedStore(HarnessClient.store(MongoClients.create(connectionString)))
			.answered((claim, answer) -> this.history.add(Answer.of(claim, answer)))
			.toStore();
		this.locks = HarnessClient.locks(store, HarnessClient.settings(PATIENCE, PATIENCE),
				new HandOver(Duration.ofMillis(10), 100), PLACE_TTL);
	}

	// Takes locks, one after the other on each thread; what was answered is in order for
	// each attempt
	public ArrayList<Answer> run(int threads, int each) throws Exception {
		Crowd.run(threads, (number) -> take(new Random(31 * ProcessHandle.current().pid() + number), each));
		return new ArrayList<>(this.history);
	}

	private int take(Random random, int times) {
		IntStream.range(0, times).forEach((round) -> take(random));
		return times;
	}

	private void take(Random random) {
		LockRequest.Builder request = switch (random.nextInt(3)) {
			case 0 -> LockRequest.builder(EXCLUSIVE);
			case 1 -> LockRequest.builder(LIMITED).limit(2);
			default -> (random.nextInt(4) == 0) ? LockRequest.builder(SHARED) : LockRequest.builder(SHARED).shared();
		};
		if (random.nextInt(6) == 0) {
			// Nobody may barge in, not even without the time to wait
			this.locks.tryAcquire(request.waitTimeout(Duration.ZERO).build()).ifPresent(QueueWorker::work);
		}
		else {
			work(this.locks.acquire(request.build()));
		}
	}

	private static void work(LockHandle handle) {
		try (handle) {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(3));
		}
	}

}
