package io.mongolock.autoconfigure;

import java.time.Duration;

import io.mongolock.spi.LockStartupException;
import io.mongolock.store.mongo.LockLocation;
import io.mongolock.store.mongo.TtlIndexInitializer;

/**
 * Refuses a collection in which locks cannot work, and a server that does not execute
 * their statements.
 */
final class StoreCheck implements Runnable {

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private final LockLocation location;

	private final TtlIndexInitializer index;

	/**
	 * Create a new check.
	 * @param index has looked at the indexes before
	 */
	StoreCheck(LockLocation location, TtlIndexInitializer index) {
		this.location = location;
		this.index = index;
	}

	@Override
	public void run() {
		this.index.collation().ifPresent((collation) -> {
			throw new LockStartupException("The lock collection " + this.location.namespace() + " has a collation ("
					+ collation
					+ "): keys that it takes for equal, for example in upper and lower case, would be one lock.",
					"Set mongo-lock.collection to another name, or drop the collection while no application uses it: "
							+ "it is created anew without a collation.");
		});
		this.location.refusedStatement(TIMEOUT).ifPresent((refusal) -> {
			throw new LockStartupException(refusal,
					"Keep the locks in MongoDB 4.4 or later: mongo-lock.mongo-template names the MongoTemplate of another "
							+ "server. What else speaks its protocol may lack updates by pipeline, or $$NOW.");
		});
	}

}
