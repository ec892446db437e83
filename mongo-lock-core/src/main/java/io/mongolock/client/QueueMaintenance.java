package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.mongolock.LockClock;
import io.mongolock.background.BackgroundTask;
import io.mongolock.background.StoreWatch;
import io.mongolock.core.ClockReading;
import io.mongolock.core.PlaceRequest;
import io.mongolock.core.QueuePlaces;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.ReleaseListener;
import io.mongolock.store.StoreSubscription;
import io.mongolock.store.StoredLock;
import io.mongolock.store.TimeLeft;

/**
 * Runs the {@link QueuePlaces} of this JVM without a thread of its own. The
 * {@link ClientLoop} says when to run, and the threads of renewals ask the store.
 * Releases are watched while an attempt stands near the head of a queue, and for a while
 * after. Thread-safe.
 */
final class QueueMaintenance implements BackgroundTask, ReleaseListener, StoreWatch.Watcher {

	private static final Log logger = LogFactory.getLog(QueueMaintenance.class);

	private final LockStore store;

	private final LockClock clock;

	private final QueuePlaces places;

	private final Supplier<ClientThreads> threads;

	private final StopRequests stopRequests;

	private final StoreWatch releases;

	private volatile boolean running;

	QueueMaintenance(LockStore store, LockClock clock, QueuePlaces places, Supplier<ClientThreads> threads,
			StopRequests stopRequests) {
		this.store = store;
		this.clock = clock;
		this.places = places;
		this.threads = threads;
		this.stopRequests = stopRequests;
		this.releases = new StoreWatch(this, clock);
	}

	@Override
	public void start(Runnable wake) {
		this.releases.start();
		this.running = true;
		this.places.onWork(wake);
	}

	@Override
	public void released(String key) {
		this.places.wakeIfAdmitted(key);
	}

	@Override
	public StoreSubscription subscribe() {
		return this.store.watchReleases(this);
	}

	@Override
	public long watchFor() {
		return this.places.watchFor();
	}

	@Override
	public void missed() {
		this.places.missed(ClockReading.of(this.clock));
	}

	@Override
	public long run(ClockReading now, Executor requests) {
		this.releases.run(now, requests);
		for (PlaceRequest request : this.places.due(this.releases.isLive(), now)) {
			try {
				requests.execute(() -> send(request));
			}
			catch (RuntimeException | Error ex) {
				// No thread can be started now
				this.places.failed(request, now);
			}
		}
		return Math.min(this.places.nextIn(now), this.releases.nextIn(now));
	}

	/**
	 * Give up all places, many with one request. Places that are not given up run out.
	 * This does not wait for blocked documents.
	 */
	void leaveAll(TimeLeft time) {
		this.running = false;
		this.releases.stop();
		List<LeaseId> all = this.places.takeAll();
		if (!all.isEmpty() && !time.isOver()) {
			this.stopRequests.send(all, this.store::leaveAll, (some, failure) -> logger.debug(
					"Could not give up this client's places in queues. These places stay until their time is over",
					failure), time);
		}
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
				// If this goes on, the waiters notice it by themselves
				logger.debug("A request about places in queues failed: " + request.kind(), ex);
				this.places.failed(request, ClockReading.of(this.clock));
			}
			else {
				this.places.unsent(request, ClockReading.of(this.clock));
			}
		}
	}

	private List<StoredLock> ask(PlaceRequest request) {
		return switch (request.kind()) {
			case REFRESH -> this.store.refreshAll(request.places(), request.timeout());
			case LOOK -> this.store.lookAll(request.places(), request.timeout());
			case LEAVE -> {
				this.threads.get().send(new DividedEnding<>(request.places(), this::leave, (left) -> {
				}), request.timeout());
				yield List.of();
			}
		};
	}

	private void leave(List<LeaseId> places, Duration timeout) {
		if (!this.running) {
			throw new IllegalStateException(
					"This request was not sent, because the client is stopping and will give up all its places in "
							+ "queues");
		}
		this.store.leaveAll(places, timeout);
		// As with a release, waiters behind these places learn of this when the majority
		// has it
		this.threads.get().confirm(this.store);
	}

	/**
	 * Wait until the server knows that this client no longer listens. The server does not
	 * learn it after its client was closed.
	 */
	void awaitEnd(Duration timeout) {
		this.releases.awaitEnd(timeout);
	}

}
