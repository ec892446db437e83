package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.MongoCursor;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

import io.mongolock.store.KeySpace;
import io.mongolock.store.StoreSubscription;

/**
 * Follows a change stream of the lock collection on a daemon thread of its own, and opens
 * it anew whenever it ends. It does not resume where it ended, because the listener then
 * looks at everything anyway. Thread-safe; its thread alone owns the cursor.
 */
abstract class FollowedStream implements StoreSubscription, Runnable {

	static final long MAX_PAUSE = TimeUnit.SECONDS.toMillis(10);

	/** The field of an event that names its document. */
	static final String KEY = "documentKey";

	private static final Log logger = LogFactory.getLog(FollowedStream.class);

	private static final long FIRST_PAUSE = 50;

	/** After so many requests for events a stream counts as working. */
	private static final int PROVED = 10;

	private final ChangeStreams streams;

	private final List<BsonDocument> pipeline;

	private final KeySpace keys;

	private final CountDownLatch closed = new CountDownLatch(1);

	private final CountDownLatch ended = new CountDownLatch(1);

	private volatile boolean live;

	/** How often in a row the stream has ended before it counted as working. */
	private int failures;

	FollowedStream(ChangeStreams streams, List<BsonDocument> pipeline, KeySpace keys) {
		this.streams = streams;
		this.pipeline = pipeline;
		this.keys = keys;
	}

	/**
	 * Called when a lock of ours has changed.
	 */
	abstract void report(String key, BsonDocument event);

	/**
	 * Called when events may have been missed.
	 */
	abstract void missed();

	/**
	 * Begin to watch.
	 */
	FollowedStream start(String threadName) {
		Thread thread = new Thread(this, threadName);
		thread.setDaemon(true);
		thread.start();
		return this;
	}

	@Override
	public final boolean isLive() {
		return this.live;
	}

	@Override
	public final void close() {
		// The thread ends after the current request, and closes the cursor. The driver
		// offers no way to end the request sooner and keep the connection
		this.closed.countDown();
		this.live = false;
	}

	@Override
	public final void awaitEnd(Duration timeout) throws InterruptedException {
		this.ended.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
	}

	@Override
	public final void run() {
		try {
			followUntilClosed();
		}
		finally {
			this.ended.countDown();
		}
	}

	private void followUntilClosed() {
		while (isOpen()) {
			Duration refused = this.streams.pause();
			if (refused.compareTo(Duration.ZERO) > 0) {
				pause(refused.toNanos());
				continue;
			}
			try (MongoCursor<BsonDocument> cursor = this.streams.open(this.pipeline)) {
				follow(cursor);
			}
			catch (RuntimeException | Error ex) {
				// Catch every failure, because only this loop reopens the stream
				if (isOpen()) {
					logger.debug("A change stream of locks has ended", ex);
				}
			}
			finally {
				endLive();
			}
			pause();
		}
	}

	private void follow(MongoCursor<BsonDocument> cursor) {
		goLive();
		int asked = 0;
		while (isOpen()) {
			BsonDocument event = cursor.tryNext();
			if (++asked == PROVED) {
				this.failures = 0;
			}
			if (event == null && cursor.getServerCursor() != null) {
				continue;
			}
			if (event == null || !event.containsKey(KEY)) {
				// The collection was dropped or renamed: the last event names no document
				return;
			}
			report(event);
		}
	}

	private void goLive() {
		this.live = true;
		if (isOpen()) {
			inform(this::missed);
		}
		else {
			this.live = false;
		}
	}

	// Until the stream is open again, only looks find changes, and they begin now
	private void endLive() {
		boolean notified = this.live && isOpen();
		this.live = false;
		if (notified) {
			inform(this::missed);
		}
	}

	private void report(BsonDocument event) {
		BsonValue key = event.getDocument(KEY).get("_id");
		if (key instanceof BsonString id && id.getValue().startsWith(this.keys.prefix())) {
			inform(() -> report(this.keys.toKey(id.getValue()), event));
		}
	}

	private void inform(Runnable notification) {
		try {
			notification.run();
		}
		catch (RuntimeException | Error ex) {
			logger.error("A listener of a change stream of locks failed. The stream goes on", ex);
		}
	}

	private void pause() {
		long longest = Math.min(MAX_PAUSE, FIRST_PAUSE << Math.min(this.failures++, 10));
		pause(TimeUnit.MILLISECONDS.toNanos(longest / 2 + ThreadLocalRandom.current().nextLong(longest / 2 + 1)));
	}

	private void pause(long nanos) {
		try {
			this.closed.await(nanos, TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			// None of our threads interrupts this one, so the interrupt asks it to end
			close();
		}
	}

	private boolean isOpen() {
		return this.closed.getCount() != 0;
	}

}
