package io.mongolock.dashboard;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.http.HttpStatus;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.function.ServerResponse.SseBuilder;

/**
 * Sends the activity of this instance to those who look, once a second, on one thread
 * that is there only while somebody does. Streams end before the web server waits for its
 * requests at shutdown. Thread-safe: the thread and whether it may begin are guarded by
 * this.
 */
final class ServletStreams implements SmartLifecycle {

	/** Each occupies a connection; whoever comes later looks at the store alone. */
	static final int MAX_VIEWERS = 16;

	static final Duration EVERY = Duration.ofSeconds(1);

	/** The browser comes again, and has to be allowed to anew. */
	static final int MAX_SENT = 300;

	private final List<Viewer> viewers = new CopyOnWriteArrayList<>();

	private final ActivitySource source;

	private @Nullable ScheduledExecutorService ticker;

	private boolean running;

	ServletStreams(ActivitySource source) {
		this.source = source;
	}

	/**
	 * Begin a stream.
	 * @param request who asks
	 * @return the stream, or that there are too many
	 */
	ServerResponse open(ServerRequest request) {
		if (!isRunning() || this.viewers.size() >= MAX_VIEWERS) {
			return ServerResponse.status(HttpStatus.SERVICE_UNAVAILABLE).build();
		}
		return ServerResponse.sse(this::join, Duration.ZERO);
	}

	private synchronized void join(SseBuilder stream) {
		if (!this.running) {
			stream.complete();
			return;
		}
		Viewer viewer = new Viewer(stream);
		this.viewers.add(viewer);
		stream.onComplete(() -> leave(viewer));
		stream.onError((ex) -> leave(viewer));
		if (this.ticker == null) {
			this.ticker = Executors.newSingleThreadScheduledExecutor((task) -> {
				Thread thread = new Thread(task, "mongo-lock-dashboard");
				thread.setDaemon(true);
				return thread;
			});
			long every = EVERY.toMillis();
			this.ticker.scheduleWithFixedDelay(() -> this.viewers.forEach(this::send), every, every,
					TimeUnit.MILLISECONDS);
		}
		this.ticker.execute(() -> send(viewer));
	}

	private void send(Viewer viewer) {
		if (!viewer.send(this.source)) {
			leave(viewer);
		}
	}

	private synchronized void leave(Viewer viewer) {
		this.viewers.remove(viewer);
		if (this.viewers.isEmpty() && this.ticker != null) {
			this.ticker.shutdown();
			this.ticker = null;
		}
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
		this.viewers.forEach(Viewer::end);
	}

	@Override
	public synchronized boolean isRunning() {
		return this.running;
	}

	/**
	 * One who looks. Owned by the thread that sends, but for its end.
	 */
	private static final class Viewer {

		private final SseBuilder stream;

		private long seen;

		private int sent;

		Viewer(SseBuilder stream) {
			this.stream = stream;
		}

		boolean send(ActivitySource source) {
			try {
				Activity activity = source.since(this.seen);
				this.stream.event("activity").data(activity);
				this.seen = activity.turn();
				if (++this.sent < MAX_SENT) {
					return true;
				}
			}
			catch (IOException ex) {
				// it went away, which is not worth a word
			}
			catch (RuntimeException ex) {
				this.stream.error(ex);
				return false;
			}
			end();
			return false;
		}

		void end() {
			this.stream.complete();
		}

	}

}
