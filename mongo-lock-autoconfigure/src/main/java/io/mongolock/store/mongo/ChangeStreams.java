package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.List;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.cursor.TimeoutMode;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.bson.BsonDocument;

/**
 * Opens change streams of the lock collection, unless the server refused one: it would
 * refuse the next one, too. Thread-safe.
 */
class ChangeStreams {

	private static final Log logger = LogFactory.getLog(ChangeStreams.class);

	private static final String CONSEQUENCE = ": those who wait for a lock look at it at their retry-interval,"
			+ " and idle leases are looked at every quarter of their linger";

	private final LockCollection locks;

	private final Duration timeout;

	private volatile boolean refused;

	/**
	 * Create new streams.
	 * @param timeout how long a request for the next event, or another, may take; longer
	 * than the second for which the server waits for an event
	 */
	ChangeStreams(LockCollection locks, Duration timeout) {
		this.locks = locks;
		this.timeout = timeout;
	}

	/**
	 * Whether it makes no sense to open any stream.
	 * @return whether the server said that it has none for us
	 */
	boolean areRefused() {
		return this.refused;
	}

	/**
	 * Open a stream. If the server refuses it, that is said, once. The driver knows it as
	 * any cursor, and so does not open it anew by itself when its connection breaks, of
	 * which nobody would hear.
	 * @param pipeline says of which events
	 * @throws RuntimeException if it cannot be opened; {@link #areRefused()} is known
	 * before
	 */
	MongoCursor<BsonDocument> open(List<BsonDocument> pipeline) {
		if (this.locks.isSharded(this.timeout)) {
			this.refused = true;
			logger.debug("A change stream of a sharded cluster is as late as its idlest shard" + CONSEQUENCE);
			throw new IllegalStateException("No change stream on a sharded cluster");
		}
		try {
			return this.locks.with(WriteConcern.MAJORITY, this.timeout.toMillis())
				.aggregate(pipeline)
				.timeoutMode(TimeoutMode.ITERATION)
				.cursor();
		}
		catch (RuntimeException ex) {
			if (StoreFailures.isRefused(ex)) {
				this.refused = true;
				say(ex);
			}
			throw ex;
		}
	}

	private void say(RuntimeException refusal) {
		String message = "MongoDB refuses a change stream of the collection '" + this.locks.name() + "'";
		if (StoreFailures.isUnauthorized(refusal)) {
			logger
				.warn(message + CONSEQUENCE + ". Grant the user the privileges find and changeStream on the collection"
						+ " and restart, or set mongo-lock.notifications=off. The server says: "
						+ DriverMessage.of(refusal));
		}
		else {
			logger.debug(message + CONSEQUENCE, refusal);
		}
	}

}
