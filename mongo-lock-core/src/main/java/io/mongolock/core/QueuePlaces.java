package io.mongolock.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongUnaryOperator;

import org.jspecify.annotations.Nullable;

import io.mongolock.core.PlaceRequest.Kind;
import io.mongolock.core.QueuePlace.Look;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredLock;

/**
 * The places that this JVM has in the queues of locks, one per key at most. Decides when
 * to refresh, look at and leave them, many with one request. Also decides how long a
 * waiter pauses between two looks ({@link #lookInterval}). If a place has to act earlier
 * than {@link #nextIn} said, {@link #onWork} is told here. Knows no thread, clock or
 * driver. Thread-safe; the requests are guarded by the monitor, each place by its own.
 * <p>
 * A place near the head is refreshed every third of the time that it counts, and looked
 * at with each refresh. {@link PlaceRequests} says when a place farther back is
 * refreshed. In between, a place is looked at only if its turn may have come: when
 * entries before it have run out. If releases are not watched, it is also looked at after
 * a random time, up to the retry interval for each turn that is left.
 * <p>
 * Releases are watched only for places near the head. Otherwise each release would cost
 * the server more if the queue is longer. A place that is far back is looked at before it
 * can be near, if the queue moves on as fast as it did since the last look.
 */
public final class QueuePlaces {

	/** The most requests at a time. */
	public static final int MAX_REQUESTS = PlaceRequests.MAX_REFRESHES + PlaceRequests.MAX_LOOKS
			+ PlaceRequests.MAX_LEAVES;

	/**
	 * The most places that the queue of a lock may have, because a queue is stored in one
	 * document.
	 */
	public static final int MAX_PLACES = 10_000;

	private static final long RETRY = 100_000_000;

	private static final long WATCHED = 10_000_000_000L;

	private static final long WATCHED_AFTER_LONG = 10_000_000;

	private final Map<String, QueuePlace> places = new ConcurrentHashMap<>();

	private final Queue<LeaseId> leaving = new ConcurrentLinkedQueue<>();

	private final PlaceRequests requests;

	private final Duration ttl;

	private final int max;

	private final long interval;

	private final LongUnaryOperator random;

	private final WakeUp onWork = new WakeUp();

	private boolean live;

	/** When the next call is expected, as {@link #nextIn} said. */
	private long nextAt;

	/**
	 * Create without places.
	 * @param ttl how long a place counts without refresh
	 * @param max how many places the queue of a lock may have
	 * @param random gives a number from zero to below its argument
	 */
	public QueuePlaces(Duration ttl, int max, LongUnaryOperator random) {
		this.ttl = ttl;
		this.max = max;
		this.random = random;
		this.interval = ttl.toNanos() / 3;
		this.requests = new PlaceRequests(this.interval);
	}

	/**
	 * How long a place counts without refresh.
	 */
	public Duration ttl() {
		return this.ttl;
	}

	/**
	 * How many places the queue of a lock may have.
	 */
	int max() {
		return this.max;
	}

	/**
	 * Have an action run when there is work earlier than {@link #nextIn} said.
	 * @param onWork must neither block nor throw
	 */
	public void onWork(Runnable onWork) {
		this.onWork.set(onWork);
	}

	/**
	 * Whether this JVM has no place.
	 * @return whether none of its attempts stands in a queue of the store
	 */
	public boolean isEmpty() {
		return this.places.isEmpty();
	}

	/**
	 * How long releases must be watched from now on: while a place is near the head of
	 * its queue, and for a while after that, in case the next wait begins soon. After a
	 * long queue that while is very short, because all clients that have left the queue
	 * would cost the server something with each release. It is as long as usual if this
	 * JVM stands in other queues.
	 * @return nanoseconds, zero if no place is near
	 */
	public long watchFor() {
		Optional<QueuePlace> near = this.places.values().stream().filter(QueuePlace::isNear).findFirst();
		if (near.isEmpty()) {
			return 0;
		}
		return (this.places.size() == 1 && !near.get().isQueueShort()) ? WATCHED_AFTER_LONG : WATCHED;
	}

	/**
	 * An attempt takes a place. An attempt without time to wait stands there only for a
	 * moment. Its place is neither refreshed nor looked at if another attempt of this JVM
	 * waits for the key.
	 * @param call makes the attempt ask; called by any thread, must neither block nor
	 * throw
	 * @param until when its wait and the time for its last request are over, on the
	 * monotonic clock
	 */
	QueuePlace enter(Attempt attempt, Runnable call, long until, ClockReading now) {
		QueuePlace place = new QueuePlace(attempt, call, until, this.interval, now);
		if (attempt.terms().waitTimeout().isZero()) {
			// It may ask beside a waiter whose place has to live on
			this.places.putIfAbsent(place.key(), place);
		}
		else {
			this.places.put(place.key(), place);
		}
		this.onWork.run();
		return place;
	}

	void granted(QueuePlace place) {
		this.places.remove(place.key(), place);
		// Perhaps releases need not be watched any longer
		this.onWork.run();
	}

	void left(QueuePlace place) {
		this.places.remove(place.key(), place);
		this.leaving.add(place.id());
		this.onWork.run();
	}

	/**
	 * A claim was denied.
	 * @return whether its attempt stands in the queue; if not, it must ask again, because
	 * a place became free since the claim left
	 */
	synchronized boolean stands(QueuePlace place, QueuePosition seen, ClockReading now) {
		// Synchronized, because nextIn may have passed this place and not be over yet
		boolean stands = !place.answered(seen, lookInterval(place, seen, now), now);
		if (stands) {
			long nextIn = this.requests.nextIn(List.of(place), false, this.live, now);
			if (now.nanos() + nextIn - this.nextAt < 0 || (!this.live && place.isNear())) {
				this.onWork.run();
			}
		}
		return stands;
	}

	/**
	 * How long an attempt waits before it looks, or asks, again.
	 * @param releases how many entries have to go before the attempt is admitted
	 * @return nanoseconds, drawn by lot so that no two JVMs keep looking together
	 */
	long retryIn(Attempt attempt, int releases) {
		return 1 + this.random.applyAsLong(longest(Math.max(1, releases), attempt.terms().retryInterval().toNanos()));
	}

	/**
	 * The time until the next look at a place, unless it is refreshed before or releases
	 * are watched.
	 * @return nanoseconds
	 */
	long lookInterval(QueuePlace place, QueuePosition seen, ClockReading now) {
		return (seen.isNear()) ? retryIn(place.attempt(), seen.releasesNeeded()) : place.nearIn(seen, now);
	}

	private long longest(int times, long once) {
		// Compared so that nothing overflows
		return (once > this.interval / times) ? this.interval : times * once;
	}

	/**
	 * A place of this key may have become free. This is a hint: an attempt that could be
	 * admitted asks.
	 */
	public void wakeIfAdmitted(String key) {
		QueuePlace place = this.places.get(key);
		if (place != null) {
			place.wakeIfAdmitted();
		}
	}

	/**
	 * Anything may have happened, so every place is looked at once.
	 */
	public void missed(ClockReading now) {
		this.places.values().forEach((place) -> place.missed(now));
		this.onWork.run();
	}

	/**
	 * The requests to send to the store now.
	 * @param live whether a hint comes with each release, so that no place looks of its
	 * own accord; {@link #missed} must follow once a hint may not have come
	 */
	public synchronized List<PlaceRequest> due(boolean live, ClockReading now) {
		this.live = live;
		List<PlaceRequest> requests = new ArrayList<>();
		if (nextIn(now) <= 0) {
			this.requests.addLeaves(this.leaving, requests, now);
			this.requests.addRefreshes(this.places.values(), requests, now);
			this.requests.addLooks(this.places.values(), live, requests, now);
		}
		return requests;
	}

	/**
	 * The time until there is work, unless {@link #onWork} says otherwise.
	 * @return nanoseconds, zero or less if there is work now
	 */
	public synchronized long nextIn(ClockReading now) {
		long next = this.requests.nextIn(this.places.values(), !this.leaving.isEmpty(), this.live, now);
		this.nextAt = now.nanos() + next;
		return next;
	}

	/**
	 * The store answered a request.
	 */
	public void answered(PlaceRequest request, List<StoredLock> locks, ClockReading now) {
		if (request.kind() != Kind.LEAVE) {
			Map<String, StoredLock> seen = new HashMap<>();
			locks.forEach((lock) -> seen.put(lock.key(), lock));
			request.looks().forEach((look) -> looked(look, seen.get(look.place().key()), now));
		}
		ended(request, true, now);
		this.onWork.run();
	}

	private void looked(Look look, @Nullable StoredLock lock, ClockReading now) {
		QueuePlace place = look.place();
		QueuePosition seen = (lock != null) ? QueuePosition.of(place.attempt(), lock) : null;
		long lookInterval = (seen != null) ? lookInterval(place, seen, now) : 0;
		boolean recalls = lock != null && lock.mayBeIdle();
		place.looked(look, seen, recalls, lookInterval, now);
	}

	/**
	 * The store did not answer a request, or it could not be sent. Refreshes are tried
	 * again, and places that were not left run out.
	 */
	public void failed(PlaceRequest request, ClockReading now) {
		if (request.kind() == Kind.LOOK) {
			request.looks().forEach((look) -> look.place().lookAgain(Math.min(this.interval, RETRY), now));
		}
		ended(request, false, now);
		this.onWork.run();
	}

	/**
	 * A request was not sent, because the client stops. {@link #takeAll} then returns the
	 * places that it did not leave.
	 */
	public void unsent(PlaceRequest request, ClockReading now) {
		if (request.kind() == Kind.LEAVE) {
			this.leaving.addAll(request.places());
		}
		ended(request, false, now);
	}

	/**
	 * Leave all places, including places that are about to be left. If an attempt goes
	 * on, a second call returns its place again, because a claim that was underway may
	 * have entered the queue since. The waiter has to end, so a client that starts again
	 * refreshes such a place at most once.
	 * @return the tokens to remove from the queues
	 */
	public synchronized List<LeaseId> takeAll() {
		List<LeaseId> all = new ArrayList<>();
		this.places.values().forEach((place) -> {
			all.add(place.id());
			place.called();
		});
		this.requests.end();
		for (LeaseId id = this.leaving.poll(); id != null; id = this.leaving.poll()) {
			all.add(id);
		}
		return all;
	}

	private synchronized void ended(PlaceRequest request, boolean answered, ClockReading now) {
		this.requests.ended(request, answered, now);
	}

}
