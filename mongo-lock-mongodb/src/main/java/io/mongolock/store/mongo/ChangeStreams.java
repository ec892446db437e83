package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.cursor.TimeoutMode;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;

/**
 * Opens change streams of the lock collection, all of one kind. After a refusal the
 * server may be asked again after a pause, because rights can be granted and servers
 * replaced while this application runs. The pause grows with each refusal in a row.
 * Thread-safe.
 */
class ChangeStreams {

	/** The pause after the first refusal in a row. */
	static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

	/** The pause after many refusals in a row. */
	static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

	private static final Log logger = LogFactory.getLog(ChangeStreams.class);

	private final PrimaryCollection locks;

	private final List<BsonDocument> pipeline;

	private final Duration timeout;

	private final String consequence;

	private final LockClock clock;

	private final AtomicReference<@Nullable Refusal> refused = new AtomicReference<>();

	/**
	 * Create new streams.
	 * @param pipeline selects the events
	 * @param timeout how long any request may take; longer than the second for which the
	 * server waits for the next event
	 * @param consequence what happens without a stream, for the log
	 */
	ChangeStreams(PrimaryCollection locks, List<BsonDocument> pipeline, Duration timeout, String consequence,
			LockClock clock) {
		this.locks = locks;
		this.pipeline = pipeline;
		this.timeout = timeout;
		this.consequence = ", so " + consequence;
		this.clock = clock;
	}

	/**
	 * How long to wait before asking the server again, because it has refused a stream.
	 * @return zero or less if the server may be asked now
	 */
	Duration pause() {
		Refusal refusal = this.refused.get();
		return (refusal != null) ? Duration.ofNanos(refusal.until() - this.clock.nanoTime()) : Duration.ZERO;
	}

	/**
	 * Open a stream. The first refusal is logged, and so is the recovery. The stream is a
	 * plain cursor for the driver, so the driver does not silently reopen it when its
	 * connection breaks.
	 * @throws RuntimeException if it cannot be opened; {@link #pause()} is already set
	 * then
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
			if (this.refused.getAndSet(null) != null) {
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
		Refusal before = this.refused.get();
		this.refused.set(Refusal.after(before, this.clock.nanoTime()));
		if (before != null) {
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

	/**
	 * The latest refusal in a row.
	 *
	 * @param pause the longest time for which the server is not asked
	 * @param until when the server may be asked again, by the monotonic clock
	 */
	private record Refusal(Duration pause, long until) {

		static Refusal after(@Nullable Refusal before, long now) {
			Duration longer = (before != null) ? before.pause().multipliedBy(2) : FIRST_PAUSE;
			Duration pause = (longer.compareTo(LONGEST_PAUSE) < 0) ? longer : LONGEST_PAUSE;
			// Spread the retries of clients that were refused at the same time
			long half = TimeUnit.NANOSECONDS.convert(pause) / 2;
			return new Refusal(pause, now + half + ThreadLocalRandom.current().nextLong(half + 1));
		}

	}

}
