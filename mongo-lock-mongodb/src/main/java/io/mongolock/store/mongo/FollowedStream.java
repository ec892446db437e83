package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

import com.mongodb.client.MongoCursor;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

import io.mongolock.store.KeySpace;
import io.mongolock.store.LeaseId;
import io.mongolock.store.RecallListener;
import io.mongolock.store.ReleaseListener;
import io.mongolock.store.StoreSubscription;

/**
 * Follows a change stream of the lock collection on a daemon thread of its own, and opens
 * it anew whenever it ends. It does not resume where it ended, because the listener then
 * looks at everything anyway. Releases and recalls have a stream each: a client with idle
 * leases need not hear of every release, and a waiting client need not hear of every
 * recall. Thread-safe; its thread alone owns the cursor.
 */
final class FollowedStream implements StoreSubscription, Runnable {

	static final long MAX_PAUSE = TimeUnit.SECONDS.toMillis(10);

	static final String RELEASES_THREAD = "mongo-lock-stream";

	/** The field of an event that names its document. */
	static final String KEY = "documentKey";

	/** The field of an event with the fence, if the fence was written. */
	static final String FENCE = "fence";

	private static final Log logger = LogFactory.getLog(FollowedStream.class);

	private static final long FIRST_PAUSE = 50;

	/** After so many requests for events a stream counts as working. */
	private static final int PROVED = 10;

	private final ChangeStreams streams;

	private final KeySpace keys;

	/** Called with the key when a lock of ours has changed. */
	private final BiConsumer<String, BsonDocument> onEvent;

	/** Called when events may have been missed. */
	private final Runnable onMissed;

	private final CountDownLatch closed = new CountDownLatch(1);

	private final CountDownLatch ended = new CountDownLatch(1);

	private volatile boolean live;

	/** How often in a row the stream has ended before it counted as working. */
	private int failures;

	private FollowedStream(ChangeStreams streams, KeySpace keys, BiConsumer<String, BsonDocument> onEvent,
			Runnable onMissed) {
		this.streams = streams;
		this.keys = keys;
		this.onEvent = onEvent;
		this.onMissed = onMissed;
	}

	/**
	 * Begin to follow the events that free a place in a lock.
	 */
	static FollowedStream releases(ChangeStreams streams, KeySpace keys, ReleaseListener listener) {
		return new FollowedStream(streams, keys, (key, event) -> {
			// A grant within the millisecond of another change leaves the date unchanged,
			// so the server takes it for a release
			if (!event.containsKey(FENCE)) {
				listener.released(key);
			}
		}, listener::missed).start(RELEASES_THREAD);
	}

	/**
	 * Begin to follow the recalls.
	 */
	static FollowedStream recalls(ChangeStreams streams, KeySpace keys, RecallListener listener) {
		return new FollowedStream(streams, keys,
				(key, event) -> listener.recalled(new LeaseId(key, event.getString(LockDocument.RECALLED).getValue())),
				listener::missed)
			.start("mongo-lock-recalls");
	}

	private FollowedStream start(String threadName) {
		Thread thread = new Thread(this, threadName);
		thread.setDaemon(true);
		thread.start();
		return this;
	}

	@Override
	public boolean isLive() {
		return this.live;
	}

	@Override
	public void close() {
		// The thread ends after the current request, and closes the cursor. The driver
		// offers no way to end the request sooner and keep the connection
		this.closed.countDown();
		this.live = false;
	}

	@Override
	public void awaitEnd(Duration timeout) throws InterruptedException {
		this.ended.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
	}

	@Override
	public void run() {
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
			try (MongoCursor<BsonDocument> cursor = this.streams.open()) {
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
			inform(this.onMissed);
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
			inform(this.onMissed);
		}
	}

	private void report(BsonDocument event) {
		BsonValue key = event.getDocument(KEY).get("_id");
		if (key instanceof BsonString id && id.getValue().startsWith(this.keys.prefix())) {
			inform(() -> this.onEvent.accept(this.keys.toKey(id.getValue()), event));
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
