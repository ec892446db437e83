package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockStoreException;
import io.mongolock.spi.LockStartupException;
import io.mongolock.store.mongo.LockLocation;

/**
 * Refuses a collection in which different names would count as equal, or that removes
 * documents in use. Also refuses a server that does not execute the statements of locks.
 * It can send these statements while the application continues its start, on a thread
 * that ends with the answer. Thread-safe.
 */
final class StoreCheck implements BooleanSupplier {

	private static final Log logger = LogFactory.getLog(StoreCheck.class);

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	/**
	 * The timeout in the background. Without a good answer, the server is asked once more
	 * while the start waits.
	 */
	private static final Duration BESIDE_THE_START = Duration.ofSeconds(1);

	private final LockLocation locks;

	private final BooleanSupplier plain;

	private final Supplier<List<LockLocation>> others;

	private final AtomicReference<@Nullable FutureTask<Optional<String>>> begun = new AtomicReference<>();

	private volatile boolean uncapped;

	/**
	 * Create a new check.
	 * @param plain whether a look just before has found that the lock collection has no
	 * collation
	 * @param others the other collections that the application reads and writes, known
	 * once all beans exist
	 */
	StoreCheck(LockLocation locks, BooleanSupplier plain, Supplier<List<LockLocation>> others) {
		this.locks = locks;
		this.plain = plain;
		this.others = others;
	}

	/**
	 * Send the statements of locks on a thread of its own, because the first request
	 * loads hundreds of the driver's classes. The start need not wait for them. The next
	 * check waits for the answer.
	 */
	void begin() {
		FutureTask<Optional<String>> task = new FutureTask<>(() -> this.locks.refusedStatement(BESIDE_THE_START));
		this.begun.set(task);
		Thread thread = new Thread(task, "mongo-lock-check");
		thread.setDaemon(true);
		thread.start();
	}

	/**
	 * Ask the server.
	 * @return whether the server has answered
	 * @throws LockStartupException if the server or a collection is refused
	 */
	@Override
	public boolean getAsBoolean() {
		try {
			if (!this.plain.getAsBoolean()) {
				refuseCollation(this.locks);
			}
			for (LockLocation other : this.others.get()) {
				refuseCollation(other);
			}
			Optional<String> refusal = refusedStatement();
			if (refusal.isPresent()) {
				throw new LockStartupException(refusal.get(),
						"Keep the locks in MongoDB 4.4 or later, and name the MongoTemplate of that server in "
								+ "mongo-lock.mongo-template. In mongo-lock.collection, name an ordinary collection, "
								+ "because a view or a time series cannot keep locks. Other databases that speak "
								+ "MongoDB's protocol may not support updates with a pipeline, or the variable $$NOW.");
			}
			refuseCaps();
			return true;
		}
		catch (LockStoreException ex) {
			// This failure was reported, or the next request will report it
			logger.debug("It is unknown whether the server and its collections are fit for locks", ex);
			return false;
		}
	}

	private Optional<String> refusedStatement() {
		FutureTask<Optional<String>> task = this.begun.getAndSet(null);
		return (task != null && isExecuted(task)) ? Optional.empty() : this.locks.refusedStatement(TIMEOUT);
	}

	// A refused statement is sent once more, because a bean may have replaced a view by
	// a collection meanwhile
	private static boolean isExecuted(FutureTask<Optional<String>> task) {
		try {
			return task.get().isEmpty();
		}
		catch (ExecutionException ex) {
			logger.debug("A background thread could not find out whether the server executes the statements of locks. "
					+ "The application asks the server again", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return false;
	}

	private static void refuseCollation(LockLocation location) {
		Optional<String> collation = location.collation(TIMEOUT);
		if (collation.isPresent()) {
			refuse(location, "has a collation (" + collation.get()
					+ "), so different keys and names would count as equal, for example if they differ only in upper "
					+ "and lower case.");
		}
	}

	// Done only once, because the good answer is an error, which the driver's meters in
	// the application show
	private void refuseCaps() {
		if (!this.uncapped) {
			refuseCap(this.locks);
			for (LockLocation other : this.others.get()) {
				refuseCap(other);
			}
			this.uncapped = true;
		}
	}

	private static void refuseCap(LockLocation location) {
		if (location.isCapped(TIMEOUT)) {
			refuse(location, "is capped. When it is full, each new document deletes the oldest document, even if that "
					+ "is the document of a held lock.");
		}
	}

	private static void refuse(LockLocation location, String problem) {
		throw new LockStartupException("The collection " + location.namespace() + " " + problem,
				"If you need nothing in this collection, drop the collection while no application uses it. This "
						+ "library then creates a new collection, which is not capped and has no collation. If you need its data, "
						+ "copy the collection (in mongosh: db.getCollection(\"…\").aggregate([{$out: \"…\"}])), and "
						+ "set the copy's name in mongo-lock.collection, or in the property that names the collection "
						+ "of sequences, jobs or ShedLock.");
	}

}
