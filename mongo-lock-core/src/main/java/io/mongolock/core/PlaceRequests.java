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
 * Makes each {@link PlaceRequest} when it is due: keeps the times at which places are
 * refreshed, looked at and left, and what of that is underway. For how long a waiter
 * pauses {@link QueuePlaces} says, by whose monitor this is guarded.
 * <p>
 * A refresh is given up after half an interval and {@linkplain Division divided} at once:
 * a thousand places are divided three times, and whatever is not blocked itself is
 * refreshed before the two intervals that the life of a place near the head has left are
 * over.
 * <p>
 * A place that is not near is refreshed the less often the more are ahead of it and the
 * longer its queue is, so that what a queue costs grows by far less than its length; yet
 * each before others take its waiter for dead. When it has come near it has the two
 * intervals left as well.
 */
final class PlaceRequests {

	/**
	 * A place that is not near is refreshed every so many-th of an interval for each
	 * ahead.
	 */
	private static final int PER_AHEAD = 28;

	/**
	 * Or, if that is sooner, every so many-th of an interval for each of the queue: a
	 * queue that stood still may begin to move fast, and halts for each who has not seen
	 * that.
	 */
	private static final int PER_PLACE = 130;

	static final int MAX_REFRESHES = 16;

	static final int MAX_LOOKS = 4;

	static final int MAX_LEAVES = 4;

	/** For how long those who leave wait for the request of others, to share the next. */
	private static final long LEAVE_PATIENCE = 250_000_000;

	private static final Duration MAX_TIMEOUT = Duration.ofSeconds(3);

	private final long interval;

	/** Batches of places to be refreshed as soon as there is room. */
	private final Deque<List<QueuePlace>> stale = new ArrayDeque<>();

	private long refreshAt;

	private int refreshing;

	/** Batches of places to be looked at as soon as there is room. */
	private final Deque<List<QueuePlace>> unseen = new ArrayDeque<>();

	private int looking;

	private int leaving;

	/** When the last request to leave was sent. */
	private long leftAt;

	private boolean looksAtAll;

	/** No place is to be looked at before, unless all are: until then none is touched. */
	private long lookAt;

	/** Whether it has to be found out anew. */
	private boolean outdated;

	/**
	 * Create without requests.
	 * @param interval between two refreshes, in nanoseconds
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
	 * A place is to be refreshed within an interval.
	 */
	void refreshSoon(ClockReading now) {
		refreshBy(now.nanos() + this.interval);
	}

	/**
	 * A place was seen anew: if it has come near, it has to live on like all that are.
	 * @return whether it is to be refreshed before any other
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
	 * When places are to be looked at has changed for many.
	 */
	void lookAnew() {
		this.outdated = true;
	}

	/**
	 * A place is to be looked at.
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

	// Those that are due soon go along
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
	 * How long nothing is due.
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
