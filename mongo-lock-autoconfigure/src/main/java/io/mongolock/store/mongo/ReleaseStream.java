package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.MongoCursor;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.bson.BsonDocument;
import org.bson.BsonString;

import io.mongolock.store.KeySpace;
import io.mongolock.store.ReleaseListener;
import io.mongolock.store.ReleaseWatch;

/**
 * Follows the change stream of the lock collection on a daemon thread of its own, and
 * opens it anew whenever it ends: from now on, not from where it ended, because the
 * listener is made to look at everything. Thread-safe; its thread alone owns the cursor.
 */
final class ReleaseStream implements ReleaseWatch, Runnable {

	static final String THREAD_NAME = "mongo-lock-stream";

	static final long MAX_PAUSE = TimeUnit.SECONDS.toMillis(10);

	private static final Log logger = LogFactory.getLog(ReleaseStream.class);

	private static final long FIRST_PAUSE = 50;

	/** A stream that was asked for events this often has shown that it works. */
	private static final int PROVED = 10;

	private static final BsonDocument NOTHING = new BsonDocument();

	private final ReleaseStreams streams;

	private final KeySpace keys;

	private final ReleaseListener listener;

	private final CountDownLatch closed = new CountDownLatch(1);

	private final CountDownLatch ended = new CountDownLatch(1);

	private volatile boolean live;

	/** How often in a row it has ended before it was proved. */
	private int failures;

	ReleaseStream(ReleaseStreams streams, KeySpace keys, ReleaseListener listener) {
		this.streams = streams;
		this.keys = keys;
		this.listener = listener;
	}

	/**
	 * Begin to watch.
	 */
	ReleaseStream start() {
		Thread thread = new Thread(this, THREAD_NAME);
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
		// The thread ends with the request that is underway, and takes the cursor along:
		// the driver gives no way to end that sooner and keep the connection
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
		while (isOpen() && !this.streams.areRefused()) {
			try (MongoCursor<BsonDocument> cursor = this.streams.open()) {
				follow(cursor);
			}
			catch (RuntimeException | Error ex) {
				// Whatever it was, nobody else would open the stream again
				if (isOpen()) {
					logger.debug("The change stream of released locks has ended", ex);
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
			if (event == null || "invalidate".equals(event.getString("operationType").getValue())) {
				// The collection was dropped or renamed
				return;
			}
			if (!isGrant(event)) {
				report(event.getDocument("documentKey"));
			}
		}
	}

	private void goLive() {
		this.live = true;
		if (isOpen()) {
			inform(this.listener::missed);
		}
		else {
			this.live = false;
		}
	}

	// Releases until it is open again are found by looks alone, which begin now
	private void endLive() {
		boolean notified = this.live && isOpen();
		this.live = false;
		if (notified) {
			inform(this.listener::missed);
		}
	}

	// Within the millisecond of another change a grant leaves the date as it is, and so
	// passes for a release on the server
	private static boolean isGrant(BsonDocument event) {
		return event.getDocument("updateDescription", NOTHING)
			.getDocument("updatedFields", NOTHING)
			.containsKey("fence");
	}

	private void report(BsonDocument documentKey) {
		if (documentKey.get("_id") instanceof BsonString id && id.getValue().startsWith(this.keys.prefix())) {
			inform(() -> this.listener.released(this.keys.toKey(id.getValue())));
		}
	}

	private void inform(Runnable notification) {
		try {
			notification.run();
		}
		catch (RuntimeException | Error ex) {
			logger.error("A listener of released locks failed; the change stream goes on", ex);
		}
	}

	private void pause() {
		long longest = Math.min(MAX_PAUSE, FIRST_PAUSE << Math.min(this.failures++, 10));
		long pause = longest / 2 + ThreadLocalRandom.current().nextLong(longest / 2 + 1);
		try {
			this.closed.await(pause, TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			// None of our threads interrupts this one; another that does wants it to end
			close();
		}
	}

	private boolean isOpen() {
		return this.closed.getCount() != 0;
	}

}
