package io.mongolock.faults.harness;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.Updates;

import io.mongolock.test.server.RealMongo;

/**
 * When the majority confirms a write again, no matter what hangs.
 */
public final class MajorityWatch implements AutoCloseable {

	/** No election is sooner. */
	private static final Duration ELECTION = Duration.ofSeconds(5);

	/**
	 * How long the leases of a client with few last by default without a majority. Half a
	 * second is for a busy machine.
	 */
	private static final Duration OUTLASTED = Duration.ofMillis(22_500);

	private final MongoClient mongo;

	private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private final ExecutorService requests = Executors.newCachedThreadPool();

	private final AtomicLong confirmed = new AtomicLong();

	private volatile long begun;

	public MajorityWatch(RealMongo set) {
		this.mongo = MongoClients.create(set.connectionString() + "&w=majority&timeoutMS=3000");
		write();
	}

	public void begin() {
		this.begun = System.nanoTime();
		this.timer.scheduleWithFixedDelay(() -> this.requests.execute(this::writeOnce), 0, 200, TimeUnit.MILLISECONDS);
	}

	public boolean confirmed() {
		return after().compareTo(ELECTION) > 0;
	}

	public Duration after() {
		return Duration.ofNanos(this.confirmed.get());
	}

	public boolean isOutlasted() {
		return after().compareTo(OUTLASTED) < 0;
	}

	// A write that is confirmed sooner was so by the old primary
	private void writeOnce() {
		try {
			write();
			long now = System.nanoTime() - this.begun;
			this.confirmed.updateAndGet((before) -> (before > ELECTION.toNanos()) ? before : now);
		}
		catch (MongoException ex) {
			// No majority yet
		}
	}

	private void write() {
		this.mongo.getDatabase(Harness.DATABASE)
			.getCollection("majority")
			.updateOne(Filters.eq("_id", 1), Updates.inc("writes", 1), new UpdateOptions().upsert(true));
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
		this.requests.shutdown();
		this.mongo.close();
	}

}
