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
import io.mongolock.core.QueuePlace.Look;
import io.mongolock.store.LeaseId;

/**
 * Makes each {@link PlaceRequest} when it is due, and knows which of these requests are
 * underway. Each {@link QueuePlace} says when it is due. Guarded by the monitor of
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

	private int refreshing;

	private int looking;

	private int leaving;

	/** When the last request to leave was sent. */
	private long leftAt;

	/**
	 * Create without requests.
	 * @param interval the time between two refreshes, in nanoseconds
	 */
	PlaceRequests(long interval) {
		this.interval = interval;
	}

	void end() {
		this.stale.clear();
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
		boolean mayRefresh = this.refreshing == 0 && this.stale.isEmpty();
		if (mayRefresh && places.stream().anyMatch((place) -> place.refreshIn(now) <= 0)) {
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
		for (QueuePlace place : places) {
			if (place.refreshIn(now) <= this.interval / 2) {
				place.refreshAgain(refreshEvery(place.seen()), now);
				if (place.refreshes(now)) {
					due.add(place);
				}
			}
		}
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
		if (this.looking != 0 || places.stream().noneMatch((place) -> place.nextLookIn(live, now) <= 0)) {
			return;
		}
		List<QueuePlace> due = places.stream()
			.filter((place) -> place.isLookSoon(live, now))
			.limit(MAX_LOOKS * Division.MAX_BATCH)
			.toList();
		for (List<QueuePlace> some : Division.batches(due, Division.MAX_BATCH)) {
			this.looking++;
			requests.add(request(Kind.LOOK, some, now));
		}
	}

	/**
	 * The time until something is due.
	 * @return nanoseconds
	 */
	long nextIn(Collection<QueuePlace> places, boolean left, boolean live, ClockReading now) {
		if (!this.stale.isEmpty() && this.refreshing < MAX_REFRESHES) {
			return 0;
		}
		long next = (left) ? leavesIn(now) : ClockReading.NEVER;
		for (QueuePlace place : places) {
			if (this.refreshing == 0) {
				next = Math.min(next, place.refreshIn(now));
			}
			if (this.looking == 0) {
				next = Math.min(next, place.nextLookIn(live, now));
			}
		}
		return next;
	}

	/**
	 * A request has ended.
	 */
	void ended(PlaceRequest request, boolean answered, ClockReading now) {
		switch (request.kind()) {
			case LEAVE -> this.leaving--;
			case LOOK -> this.looking--;
			case REFRESH -> {
				this.refreshing--;
				int most = (answered) ? Division.MAX_BATCH : Division.part(request.places().size());
				List<QueuePlace> places = request.looks().stream().map(Look::place).toList();
				places.forEach((place) -> place.most(most));
				if (!answered) {
					places.forEach((place) -> place.refreshAgain(this.interval, now));
				}
				if (!answered && places.size() > 1 && request.hung(now)) {
					divide(places.stream().filter((place) -> place.refreshes(now)).toList());
				}
			}
		}
	}

	private PlaceRequest request(Kind kind, List<QueuePlace> places, ClockReading now) {
		List<Look> looks = places.stream().map((place) -> place.look(kind == Kind.LOOK, now)).toList();
		Duration timeout = timeout((kind == Kind.REFRESH) ? this.interval / 2 : this.interval);
		return new PlaceRequest(kind, places.stream().map(QueuePlace::id).toList(), looks, timeout);
	}

	private static Duration timeout(long nanos) {
		return ClockReading.shorter(Duration.ofMillis(Math.max(1, nanos / 1_000_000)), MAX_TIMEOUT);
	}

}
