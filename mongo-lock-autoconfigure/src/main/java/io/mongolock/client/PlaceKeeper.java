package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.core.ClockReading;
import io.mongolock.core.PlaceRequest;
import io.mongolock.core.QueuePlaces;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.ReleaseListener;
import io.mongolock.store.ReleaseWatch;
import io.mongolock.store.StoredLock;

/**
 * Runs the {@link QueuePlaces} of this JVM without a thread of its own: the watch over
 * the leases says when, and the threads of renewals ask the store. Releases are watched
 * while somebody stands in the queue, and for a while after. Thread-safe; the watch over
 * releases is guarded by the monitor.
 */
final class PlaceKeeper implements ReleaseListener {

	private static final Log logger = LogFactory.getLog(PlaceKeeper.class);

	/** So that a queue that comes and goes does not open a watch each time. */
	private static final long LINGER = 10_000_000_000L;

	private static final int CHUNK = 500;

	private static final long MIN_NANOS = 1_000_000;

	private final LockStore store;

	private final LockClock clock;

	private final QueuePlaces places;

	private @Nullable ReleaseWatch releases;

	private volatile @Nullable ReleaseWatch closed;

	/** Whether they are about to be watched, or no longer. */
	private boolean changing;

	private long opensAt;

	/** Not before this, unless somebody stands in the queue. */
	private long closesAt;

	private volatile boolean running;

	PlaceKeeper(LockStore store, LockClock clock, QueuePlaces places) {
		this.store = store;
		this.clock = clock;
		this.places = places;
	}

	/**
	 * Begin.
	 * @param wake has {@link #run} called soon; must neither block nor throw
	 */
	void start(Runnable wake) {
		synchronized (this) {
			this.opensAt = this.clock.nanoTime();
		}
		this.running = true;
		this.places.onWork(wake);
	}

	@Override
	public void released(String key) {
		this.places.wakeIfAdmitted(key);
	}

	@Override
	public void missed() {
		this.places.missed();
	}

	/**
	 * Begin what is due.
	 * @param requests runs the requests to the store; must not block
	 */
	void run(ClockReading now, Executor requests) {
		watchReleases(now, requests);
		for (PlaceRequest request : this.places.due(isLive(), now)) {
			try {
				requests.execute(() -> send(request));
			}
			catch (RuntimeException | Error ex) {
				// No thread can be started now
				this.places.failed(request, now);
			}
		}
	}

	/**
	 * How long nothing is due unless {@link #start wake} says otherwise.
	 * @return nanoseconds
	 */
	long nextIn(ClockReading now) {
		long next = this.places.nextIn(now);
		synchronized (this) {
			boolean closes = this.releases != null && !this.changing;
			return (closes) ? Math.min(next, Math.max(0, this.closesAt - now.nanos())) : next;
		}
	}

	/**
	 * Leave all places, many with one request and without a second try; whatever is not
	 * left runs out.
	 * @param until when to be done, on the monotonic clock
	 */
	void leaveAll(long until) {
		this.running = false;
		closeReleases();
		List<LeaseId> all = this.places.takeAll();
		Runnable interrupt = ClientThreads.holdBackInterrupt();
		for (int from = 0; from < all.size(); from += CHUNK) {
			long nanos = until - this.clock.nanoTime();
			if (nanos < MIN_NANOS) {
				break;
			}
			try {
				this.store.leaveAll(all.subList(from, Math.min(all.size(), from + CHUNK)), Duration.ofNanos(nanos));
			}
			catch (RuntimeException ex) {
				logger.debug("Places in the queue are not left and run out by themselves", ex);
			}
		}
		interrupt.run();
	}

	private void send(PlaceRequest request) {
		if (!this.running) {
			this.places.unsent(request, ClockReading.of(this.clock));
			return;
		}
		try {
			this.places.answered(request, ask(request), ClockReading.of(this.clock));
		}
		catch (RuntimeException | Error ex) {
			if (this.running) {
				// Waiters notice by themselves if that goes on
				logger.debug("Request for places in the queue failed: " + request.kind(), ex);
			}
			this.places.failed(request, ClockReading.of(this.clock));
		}
	}

	private List<StoredLock> ask(PlaceRequest request) {
		switch (request.kind()) {
			case REFRESH -> this.store.refreshAll(request.places(), request.timeout());
			case LEAVE -> this.store.leaveAll(request.places(), request.timeout());
			case LOOK -> {
				return this.store.findAll(request.keys(), request.timeout());
			}
		}
		return List.of();
	}

	private synchronized boolean isLive() {
		return this.releases != null && this.releases.isLive();
	}

	private void watchReleases(ClockReading now, Executor requests) {
		boolean waiting = !this.places.isEmpty();
		boolean opens;
		boolean closes;
		synchronized (this) {
			opens = waiting && this.releases == null && !this.changing && now.nanos() - this.opensAt >= 0;
			closes = !waiting && this.releases != null && !this.changing && now.nanos() - this.closesAt >= 0;
			if (waiting) {
				this.closesAt = now.nanos() + LINGER;
			}
			this.changing |= opens || closes;
		}
		if (opens) {
			begin(requests, this::openReleases);
		}
		else if (closes) {
			begin(requests, this::closeIdleReleases);
		}
	}

	private void begin(Executor requests, Runnable action) {
		try {
			requests.execute(action);
		}
		catch (RuntimeException | Error ex) {
			changeLater();
		}
	}

	private void openReleases() {
		try {
			ReleaseWatch opened = this.store.watchReleases(this);
			synchronized (this) {
				this.changing = false;
				if (this.running) {
					this.releases = opened;
					return;
				}
			}
			close(opened);
		}
		catch (RuntimeException | Error ex) {
			// For example without a thread for it: until there is one, waiters look by
			// themselves
			logger.debug("Releases cannot be watched", ex);
			changeLater();
		}
	}

	private synchronized void changeLater() {
		this.changing = false;
		this.opensAt = this.clock.nanoTime() + LINGER;
		this.closesAt = this.opensAt;
	}

	private void closeIdleReleases() {
		try {
			// A waiter that came meanwhile found it open, and opens none
			if (this.places.isEmpty()) {
				closeReleases();
			}
		}
		finally {
			synchronized (this) {
				this.changing = false;
			}
			if (!this.places.isEmpty()) {
				// A waiter that came at the very moment relies on the watch that is
				// closed now
				this.places.missed();
			}
		}
	}

	private void closeReleases() {
		ReleaseWatch watch;
		synchronized (this) {
			watch = this.releases;
			this.releases = null;
		}
		if (watch != null) {
			close(watch);
		}
	}

	private void close(ReleaseWatch watch) {
		this.closed = watch;
		watch.close();
	}

	/**
	 * Wait until the server knows that nobody listens, which it does not hear once its
	 * client is closed.
	 */
	void awaitEnd(Duration timeout) {
		ReleaseWatch watch = this.closed;
		try {
			if (watch != null) {
				watch.awaitEnd(timeout);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
