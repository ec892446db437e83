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
 * Sends the activity of this instance to viewers, once a second. Each viewer has a
 * thread, because a write waits for its reader. A viewer that does not read keeps no
 * other viewer waiting, and is dropped when the web server gives up the write. Streams
 * end before the web server waits for its requests at shutdown. Thread-safe.
 */
final class ServletStreams implements SmartLifecycle {

	/**
	 * Each viewer occupies a connection and a thread; further viewers see the store
	 * alone.
	 */
	static final int MAX_VIEWERS = 16;

	static final Duration EVERY = Duration.ofSeconds(1);

	/** After these, the browser reconnects, and must be authorized again. */
	static final int MAX_SENT = 300;

	private final Set<Viewer> viewers = ConcurrentHashMap.newKeySet();

	private final ActivitySource source;

	private boolean running;

	ServletStreams(ActivitySource source) {
		this.source = source;
	}

	/**
	 * Begin a stream.
	 * @return the stream, or status 503 if there are too many
	 */
	ServerResponse open(ServerRequest request) {
		if (!mayBegin()) {
			return ServerResponse.status(HttpStatus.SERVICE_UNAVAILABLE).build();
		}
		return ServerResponse.sse(this::join, Duration.ZERO);
	}

	void join(SseBuilder stream) {
		try {
			// Writes the headers on the thread of the request. Filters may add headers
			// until then, so another thread must not write them at the same time
			stream.comment("open").send();
			begin(stream);
		}
		catch (IOException ex) {
			stream.error(ex);
		}
	}

	private synchronized void begin(SseBuilder stream) {
		// Checked again, because other streams may have begun since the request
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
	 * A viewer. Its thread owns the stream, and also completes it. If another thread
	 * completed it at the same time, the viewer's thread would find the response
	 * recycled.
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
				// The reader went away, which needs no message. This thread is never
				// interrupted
			}
		}

	}

}
