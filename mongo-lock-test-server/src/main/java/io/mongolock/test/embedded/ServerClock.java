package io.mongolock.test.embedded;

import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;

import de.bwaldvogel.mongo.bson.BsonTimestamp;

/**
 * The server's time in the precision of BSON. Thread-safe.
 */
final class ServerClock {

	private final InstantSource source;

	private final AtomicLong lastTimestamp = new AtomicLong();

	ServerClock(InstantSource source) {
		this.source = source;
	}

	/**
	 * The time in whole milliseconds, so that a date is the same before and after it was
	 * stored.
	 * @return the time
	 */
	Instant now() {
		return this.source.instant().truncatedTo(ChronoUnit.MILLIS);
	}

	/**
	 * A timestamp greater than all earlier ones, even if the clock was set back.
	 * @return the timestamp
	 */
	BsonTimestamp nextTimestamp() {
		long candidate = new BsonTimestamp(now(), 1).getValue();
		return new BsonTimestamp(this.lastTimestamp.updateAndGet((last) -> Math.max(last + 1, candidate)));
	}

}
