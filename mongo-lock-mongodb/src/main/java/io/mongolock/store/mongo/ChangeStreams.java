package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.cursor.TimeoutMode;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * Opens change streams of the lock collection, all of one kind. After a refusal the
 * server may be asked again, because rights can be granted and servers replaced while
 * this application runs. Thread-safe.
 */
class ChangeStreams {

	private static final Log logger = LogFactory.getLog(ChangeStreams.class);

	private final PrimaryCollection locks;

	private final List<BsonDocument> pipeline;

	private final Duration timeout;

	private final String consequence;

	/** Whether the last answer was a refusal. */
	private final AtomicBoolean refused = new AtomicBoolean();

	/**
	 * Create new streams.
	 * @param pipeline selects the events
	 * @param timeout how long any request may take; longer than the second for which the
	 * server waits for the next event
	 * @param consequence what happens without a stream, for the log
	 */
	ChangeStreams(PrimaryCollection locks, List<BsonDocument> pipeline, Duration timeout, String consequence) {
		this.locks = locks;
		this.pipeline = pipeline;
		this.timeout = timeout;
		this.consequence = ", so " + consequence;
	}

	/**
	 * Open a stream. The first refusal is logged, and so is the recovery. The stream is a
	 * plain cursor for the driver, so the driver does not silently reopen it when its
	 * connection breaks.
	 * @throws RuntimeException if it cannot be opened
	 */
	MongoCursor<BsonDocument> open() {
		if (this.locks.isSharded(this.timeout)) {
			refuse("A change stream of a sharded cluster is only as fast as its least active shard", null);
			throw new IllegalStateException("No change stream is opened on a sharded cluster");
		}
		try {
			MongoCursor<BsonDocument> stream = this.locks.with(WriteConcern.MAJORITY, this.timeout.toMillis())
				.aggregate(this.pipeline)
				.timeoutMode(TimeoutMode.ITERATION)
				.cursor();
			if (this.refused.getAndSet(false)) {
				logger.info("MongoDB no longer refuses a change stream of the collection '" + this.locks.name() + "'");
			}
			return stream;
		}
		catch (RuntimeException ex) {
			if (StoreFailures.isRefused(ex)) {
				refuse("MongoDB refuses a change stream of the collection '" + this.locks.name() + "'", ex);
			}
			throw ex;
		}
	}

	private void refuse(String what, @Nullable RuntimeException refusal) {
		if (this.refused.getAndSet(true)) {
			return;
		}
		String message = what + this.consequence;
		if (refusal != null && StoreFailures.isUnauthorized(refusal)) {
			logger.warn(message + ". Grant the user the privileges find and changeStream on the collection, or set "
					+ "mongo-lock.notifications=off. This application notices new privileges within a minute. The "
					+ "server says: " + DriverMessage.of(refusal));
		}
		else {
			logger.debug(message, refusal);
		}
	}

}
