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
 * Refuses a collection in which names that differ would be one, or from which documents
 * in use are pushed out, and a server that does not execute the statements of locks. It
 * can ask the latter while the application goes on with its start, on a thread that ends
 * with the answer. Thread-safe.
 */
final class StoreCheck implements BooleanSupplier {

	private static final Log logger = LogFactory.getLog(StoreCheck.class);

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	/** Without a yes it is asked once more, when the start waits for it. */
	private static final Duration BESIDE_THE_START = Duration.ofSeconds(1);

	private final LockLocation locks;

	private final BooleanSupplier plain;

	private final Supplier<List<LockLocation>> others;

	private final AtomicReference<@Nullable FutureTask<Optional<String>>> begun = new AtomicReference<>();

	private volatile boolean uncapped;

	/**
	 * Create a new check.
	 * @param plain whether somebody has seen, just before, that the lock collection has
	 * no collation
	 * @param others what else the application reads and writes, known when all beans
	 * exist
	 */
	StoreCheck(LockLocation locks, BooleanSupplier plain, Supplier<List<LockLocation>> others) {
		this.locks = locks;
		this.plain = plain;
		this.others = others;
	}

	/**
	 * Send the statements of locks on a thread of its own. The next check waits for the
	 * answer: the first request loads hundreds of classes of the driver, which the start
	 * need not wait for.
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
	 * @return whether it has answered
	 * @throws LockStartupException if something is refused
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
			// Was reported, or the next request reports it
			logger.debug("It is unknown whether the server and its collections are fit for locks", ex);
			return false;
		}
	}

	private Optional<String> refusedStatement() {
		FutureTask<Optional<String>> task = this.begun.getAndSet(null);
		return (task != null && isExecuted(task)) ? Optional.empty() : this.locks.refusedStatement(TIMEOUT);
	}

	// What was refused is asked once more: a bean may have made a collection of a view
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

	// Once: the good answer is an error, which the application's meters of its driver
	// show
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
						+ "library then creates a new collection, which is not capped and has no collation. Otherwise, "
						+ "copy the collection (in mongosh: db.getCollection(\"…\").aggregate([{$out: \"…\"}])), and "
						+ "set the copy's name in mongo-lock.collection, or in the property that names the collection "
						+ "of sequences, jobs or ShedLock.");
	}

}
