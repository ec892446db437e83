package io.mongolock.dashboard;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.springframework.context.SmartLifecycle;
import org.springframework.http.HttpStatus;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.function.ServerResponse.SseBuilder;

/**
 * Sends the activity of this instance to those who look, once a second. Each of them has
 * a thread, because a write waits for its reader: one that does not read keeps nobody
 * else waiting, and is dropped when the web server gives up the write. Streams end before
 * the web server waits for its requests at shutdown. Thread-safe.
 */
final class ServletStreams implements SmartLifecycle {

	/** Each occupies a connection and a thread; who comes later sees the store alone. */
	static final int MAX_VIEWERS = 16;

	static final Duration EVERY = Duration.ofSeconds(1);

	/** The browser comes again, and has to be allowed to anew. */
	static final int MAX_SENT = 300;

	private final Set<Viewer> viewers = ConcurrentHashMap.newKeySet();

	private final ActivitySource source;

	private boolean running;

	ServletStreams(ActivitySource source) {
		this.source = source;
	}

	/**
	 * Begin a stream.
	 * @return the stream, or that there are too many
	 */
	ServerResponse open(ServerRequest request) {
		if (!mayBegin()) {
			return ServerResponse.status(HttpStatus.SERVICE_UNAVAILABLE).build();
		}
		return ServerResponse.sse(this::join, Duration.ZERO);
	}

	void join(SseBuilder stream) {
		try {
			// Writes the headers on the thread of the request. Filters add some until
			// they are written, which another thread that writes must not meet halfway
			stream.comment("open").send();
			begin(stream);
		}
		catch (IOException ex) {
			stream.error(ex);
		}
	}

	private synchronized void begin(SseBuilder stream) {
		// Again: others may have begun since this one was asked for
		if (!mayBegin()) {
			stream.complete();
			return;
		}
		Viewer viewer = new Viewer(stream);
		this.viewers.add(viewer);
		stream.onComplete(viewer.ended::countDown);
		stream.onError((ex) -> viewer.ended.countDown());
		Thread thread = new Thread(viewer, "mongo-lock-dashboard");
		thread.setDaemon(true);
		thread.start();
	}

	private synchronized boolean mayBegin() {
		return this.running && this.viewers.size() < MAX_VIEWERS;
	}

	@Override
	public synchronized void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		synchronized (this) {
			this.running = false;
		}
		this.viewers.forEach((viewer) -> viewer.ended.countDown());
	}

	@Override
	public synchronized boolean isRunning() {
		return this.running;
	}

	/**
	 * One who looks. The stream is owned by its thread, which completes it as well: it
	 * would find the response recycled if another thread did so at the same time.
	 */
	private final class Viewer implements Runnable {

		private final SseBuilder stream;

		private final CountDownLatch ended = new CountDownLatch(1);

		Viewer(SseBuilder stream) {
			this.stream = stream;
		}

		@Override
		public void run() {
			try {
				send();
				this.stream.complete();
			}
			catch (RuntimeException ex) {
				this.stream.error(ex);
			}
			finally {
				ServletStreams.this.viewers.remove(this);
			}
		}

		private void send() {
			long seen = 0;
			try {
				for (int sent = 0; sent < MAX_SENT; sent++) {
					Activity activity = ServletStreams.this.source.since(seen);
					this.stream.event("activity").data(activity.toJson());
					seen = activity.turn();
					if (this.ended.await(EVERY.toMillis(), TimeUnit.MILLISECONDS)) {
						return;
					}
				}
			}
			catch (IOException | InterruptedException ex) {
				// The reader went away, which is not worth a word; nobody interrupts
				// this thread
			}
		}

	}

}
