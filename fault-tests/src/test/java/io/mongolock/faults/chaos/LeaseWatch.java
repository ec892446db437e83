package io.mongolock.faults.chaos;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockStoreException;
import io.mongolock.documents.store.DocumentLockStore;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.history.HistoryRecord;
import io.mongolock.faults.harness.history.HistoryRecord.Lease;
import io.mongolock.faults.harness.history.HistoryRecord.Looked;
import io.mongolock.faults.harness.worker.MixedWorker;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.store.mongo.MongoLockStore;

/**
 * Looks again and again which leases run by the store, and writes that down whenever a
 * majority confirms writes. Ends with {@link #close()}.
 */
final class LeaseWatch implements AutoCloseable {

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private static final Document WRITE = Document.parse("""
			{ update: 'looks', updates: [ { q: { _id: 'one' }, u: { $inc: { n: 1 } }, upsert: true } ],
			  writeConcern: { w: 'majority', wtimeout: 1000 } }""");

	private final MongoClient client;

	private final MongoLockStore locks;

	private final DocumentLockStore documents;

	private final Consumer<HistoryRecord> history;

	private final Thread thread = new Thread(this::run, "lease-watch");

	private volatile boolean over;

	LeaseWatch(String connectionString, Consumer<HistoryRecord> history) {
		this.client = MongoClients.create(connectionString);
		this.locks = HarnessClient.store(this.client);
		this.documents = MixedWorker.documents(this.client);
		this.history = history;
		this.thread.setDaemon(true);
		this.thread.start();
	}

	private void run() {
		while (!this.over) {
			try {
				look();
				Thread.sleep(150);
			}
			catch (MongoException | LockStoreException ex) {
				// No look then
			}
			catch (InterruptedException ex) {
				return;
			}
		}
	}

	// Sees nothing that a failover forgets: a majority has all of it when that confirms
	// the next write of the same primary
	private void look() {
		@Nullable Object before = confirm();
		long from = System.nanoTime();
		List<Lease> leases = leases().toList();
		long until = System.nanoTime();
		if (before != null && before.equals(confirm()) && System.nanoTime() - from < TIMEOUT.toNanos()) {
			this.history.accept(new Looked(leases, from, until));
		}
	}

	// Of which election the primary is that wrote, and a majority with it
	private @Nullable Object confirm() {
		Document answer = this.client.getDatabase(Harness.DATABASE).runCommand(WRITE);
		return (answer.containsKey("writeConcernError")) ? null : answer.get("electionId");
	}

	// Which run now
	Stream<Lease> leases() {
		return Stream.of(this.locks.list(1000, TIMEOUT), this.documents.list("edited", TIMEOUT))
			.flatMap(List::stream)
			.flatMap((lock) -> lock.holders()
				.stream()
				.filter((holder) -> holder.isAlive(lock.now()))
				.map((holder) -> lease(lock, holder)));
	}

	private static Lease lease(StoredLock lock, StoredHolder holder) {
		return new Lease(lock.key(), holder.leaseToken(), String.valueOf(holder.owner().pid()), holder.ttl().toNanos());
	}

	@Override
	public void close() {
		this.over = true;
		this.thread.interrupt();
		this.client.close();
	}

}
