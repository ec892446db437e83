package io.mongolock.core;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Queue;

import org.jspecify.annotations.Nullable;

import io.mongolock.core.PlaceRequest.Kind;
import io.mongolock.core.PlaceRequest.Look;
import io.mongolock.store.LeaseId;

/**
 * Makes each {@link PlaceRequest} when it is due. Keeps the times at which places are
 * refreshed, looked at and left, and knows which of these requests are underway.
 * {@link QueuePlaces} says for how long a waiter pauses. Guarded by the monitor of
 * {@link QueuePlaces}.
 * <p>
 * A place near the head has two intervals left when its refresh is due. A refresh is
 * given up after half an interval and {@linkplain Division divided} at once. A thousand
 * places are divided three times, so every place that is not blocked itself is refreshed
 * before the two intervals are over.
 * <p>
 * A place that is not near is refreshed less often if more waiters are ahead of it or its
 * queue is longer. So the cost of a queue grows by far less than its length. Still, each
 * place is refreshed before others take its waiter for dead. When a place has come near,
 * it has two intervals left as well.
 */
final class PlaceRequests {

	/**
	 * A place that is not near is refreshed after {@code ahead / PER_AHEAD} intervals,
	 * where {@code ahead} is the number of waiters ahead of it.
	 */
	private static final int PER_AHEAD = 28;

	/**
	 * Or after {@code length / PER_PLACE} intervals, if that is sooner. A queue that
	 * stood still may begin to move fast, and then halts at each waiter that has not seen
	 * that.
	 */
	private static final int PER_PLACE = 130;

	static final int MAX_REFRESHES = 16;

	static final int MAX_LOOKS = 4;

	static final int MAX_LEAVES = 4;

	/**
	 * How long places that must be left wait while a request to leave is underway, so
	 * that they share the next request.
	 */
	private static final long LEAVE_PATIENCE = 250_000_000;

	private static final Duration MAX_TIMEOUT = Duration.ofSeconds(3);

	private final long interval;

	/** Batches of places to refresh as soon as another request is allowed. */
	private final Deque<List<QueuePlace>> stale = new ArrayDeque<>();

	private long refreshAt;

	private int refreshing;

	/** Batches of places to look at as soon as another request is allowed. */
	private final Deque<List<QueuePlace>> unseen = new ArrayDeque<>();

	private int looking;

	private int leaving;

	/** When the last request to leave was sent. */
	private long leftAt;

	private boolean looksAtAll;

	/**
	 * When the next look at a place is due, unless all places must be looked at. No place
	 * is touched before.
	 */
	private long lookAt;

	/** Whether that time has to be found out anew. */
	private boolean outdated;

	/**
	 * Create without requests.
	 * @param interval the time between two refreshes, in nanoseconds
	 */
	PlaceRequests(long interval) {
		this.interval = interval;
	}

	/**
	 * The first place was taken.
	 */
	void begin(ClockReading now) {
		this.refreshAt = now.nanos() + this.interval;
		this.outdated = true;
	}

	/**
	 * A place must be refreshed within an interval.
	 */
	void refreshSoon(ClockReading now) {
		refreshBy(now.nanos() + this.interval);
	}

	/**
	 * A place was seen anew. If it has come near, it must be refreshed like all near
	 * places.
	 * @return whether it must be refreshed before any other
	 */
	boolean seen(QueuePlace place) {
		return refreshBy(place.nearer(this.interval));
	}

	private boolean refreshBy(long at) {
		boolean sooner = at - this.refreshAt < 0;
		this.refreshAt = (sooner) ? at : this.refreshAt;
		return sooner;
	}

	/**
	 * The times of the next looks have changed for many places.
	 */
	void lookAnew() {
		this.outdated = true;
	}

	/**
	 * A look at a place is due at that time.
	 */
	void lookAt(long at) {
		if (at - this.lookAt < 0) {
			this.lookAt = at;
		}
	}

	void end() {
		this.stale.clear();
		this.unseen.clear();
	}

	void lookAtAll() {
		this.looksAtAll = true;
	}

	void addLeaves(Queue<LeaseId> left, List<PlaceRequest> requests, ClockReading now) {
		if (left.isEmpty() || leavesIn(now) > 0) {
			return;
		}
		List<LeaseId> ids = new ArrayList<>();
		while (ids.size() < Division.MAX_BATCH && !left.isEmpty()) {
			ids.add(left.remove());
		}
		this.leaving++;
		this.leftAt = now.nanos();
		requests.add(new PlaceRequest(Kind.LEAVE, ids, List.of(), timeout(this.interval)));
	}

	private long leavesIn(ClockReading now) {
		if (this.leaving == 0) {
			return 0;
		}
		return (this.leaving < MAX_LEAVES) ? this.leftAt + LEAVE_PATIENCE - now.nanos() : ClockReading.NEVER;
	}

	void addRefreshes(Collection<QueuePlace> places, List<PlaceRequest> requests, ClockReading now) {
		if (this.refreshing == 0 && this.stale.isEmpty() && !places.isEmpty() && now.nanos() - this.refreshAt >= 0) {
			divide(takeDue(places, now));
		}
		while (!this.stale.isEmpty() && this.refreshing < MAX_REFRESHES) {
			this.refreshing++;
			requests.add(request(Kind.REFRESH, this.stale.remove(), now));
		}
	}

	// Places that are due soon go along
	private List<QueuePlace> takeDue(Collection<QueuePlace> places, ClockReading now) {
		List<QueuePlace> due = new ArrayList<>();
		long next = ClockReading.NEVER;
		for (QueuePlace place : places) {
			if (place.refreshIn(now) <= this.interval / 2) {
				place.refreshAgain(refreshEvery(place.seen()), now);
				if (place.refreshes(now)) {
					due.add(place);
				}
			}
			next = Math.min(next, place.refreshIn(now));
		}
		this.refreshAt = now.nanos() + next;
		return due;
	}

	private long refreshEvery(@Nullable QueuePosition seen) {
		if (seen == null || seen.isNear()) {
			return this.interval;
		}
		long soon = Math.min(seen.othersAhead() * this.interval / PER_AHEAD, seen.length() * this.interval / PER_PLACE);
		return Math.min(soon, this.interval * 57 / 20);
	}

	private void divide(Collection<QueuePlace> places) {
		this.stale.addAll(Division.batches(places, QueuePlace::most, (any) -> Kind.REFRESH));
	}

	void addLooks(Collection<QueuePlace> places, boolean live, List<PlaceRequest> requests, ClockReading now) {
		boolean none = !this.looksAtAll && !this.outdated && now.nanos() - this.lookAt < 0;
		if (this.looking == 0 && this.unseen.isEmpty() && !none) {
			findUnseen(places, live, now);
		}
		while (!this.unseen.isEmpty() && this.looking < MAX_LOOKS) {
			this.looking++;
			requests.add(request(Kind.LOOK, this.unseen.remove(), now));
		}
	}

	private void findUnseen(Collection<QueuePlace> places, boolean live, ClockReading now) {
		List<QueuePlace> due = new ArrayList<>();
		for (QueuePlace place : places) {
			if (this.looksAtAll || place.isLookSoon(live, now)) {
				due.add(place);
			}
		}
		findNext(places, live, now);
		boolean any = this.looksAtAll || this.lookAt - now.nanos() <= 0;
		this.looksAtAll = false;
		if (any) {
			this.unseen.addAll(Division.batches(due, Division.MAX_BATCH));
		}
	}

	private void findNext(Collection<QueuePlace> places, boolean live, ClockReading now) {
		long next = ClockReading.NEVER;
		for (QueuePlace place : places) {
			next = Math.min(next, place.nextLookIn(live, now));
		}
		this.lookAt = now.nanos() + next;
		this.outdated = false;
	}

	/**
	 * The time until something is due.
	 * @return nanoseconds
	 */
	long nextIn(Collection<QueuePlace> places, boolean left, boolean live, ClockReading now) {
		long next = (left) ? leavesIn(now) : ClockReading.NEVER;
		if (next <= 0 || places.isEmpty()) {
			return next;
		}
		if (this.refreshing == 0) {
			next = Math.min(next, (this.stale.isEmpty()) ? this.refreshAt - now.nanos() : 0);
		}
		if (!this.unseen.isEmpty()) {
			next = (this.looking < MAX_LOOKS) ? 0 : next;
		}
		else if (this.looking == 0) {
			if (this.outdated) {
				findNext(places, live, now);
			}
			next = Math.min(next, (this.looksAtAll) ? 0 : this.lookAt - now.nanos());
		}
		return next;
	}

	/**
	 * A request has ended.
	 */
	void ended(PlaceRequest request, boolean answered, ClockReading now) {
		switch (request.kind()) {
			case LEAVE -> this.leaving--;
			case LOOK -> {
				this.looking--;
				lookAnew();
				request.looks().forEach((look) -> seen(look.place()));
			}
			case REFRESH -> {
				this.refreshing--;
				lookAnew();
				int most = (answered) ? Division.MAX_BATCH : Division.part(request.places().size());
				List<QueuePlace> places = request.looks().stream().map(Look::place).toList();
				places.forEach((place) -> place.most(most));
				if (!answered) {
					places.forEach((place) -> place.refreshAgain(this.interval, now));
				}
				places.forEach(this::seen);
				if (!answered && places.size() > 1 && request.hung(now)) {
					divide(places.stream().filter((place) -> place.refreshes(now)).toList());
				}
			}
		}
	}

	private PlaceRequest request(Kind kind, List<QueuePlace> places, ClockReading now) {
		List<Look> looks = places.stream().map((place) -> new Look(place, now.nanos(), place.freed())).toList();
		if (kind == Kind.LOOK) {
			places.forEach((place) -> place.looks(now));
		}
		Duration timeout = timeout((kind == Kind.REFRESH) ? this.interval / 2 : this.interval);
		return new PlaceRequest(kind, places.stream().map(QueuePlace::id).toList(), looks, timeout);
	}

	private static Duration timeout(long nanos) {
		return ClockReading.shorter(Duration.ofMillis(Math.max(1, nanos / 1_000_000)), MAX_TIMEOUT);
	}

}
