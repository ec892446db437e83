package io.mongolock.core;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

import io.mongolock.core.PlaceRequest.Kind;
import io.mongolock.core.PlaceRequest.Look;
import io.mongolock.store.LeaseId;

/**
 * When which places are refreshed, looked at and left, and what of that is underway.
 * Guarded by the monitor of its {@link QueuePlaces}.
 * <p>
 * One document that is blocked holds up those behind it in the same request. A refresh is
 * given up after half an interval and tried again at once in sixteen parts, and so on: a
 * thousand places are divided three times, and whatever is not blocked itself is
 * refreshed before the two intervals that its life has left are over.
 */
final class PlaceSchedule {

	/** A request that hangs is divided into so many. */
	private static final int PARTS = 16;

	static final int MAX_REFRESHES = 16;

	static final int MAX_LOOKS = 4;

	private static final Duration MAX_TIMEOUT = Duration.ofSeconds(3);

	private final long interval;

	/** Batches of places to be refreshed as soon as there is room. */
	private final Deque<List<QueuedClaim>> stale = new ArrayDeque<>();

	private long refreshAt;

	private int refreshing;

	/** Batches of places to be looked at as soon as there is room. */
	private final Deque<List<QueuedClaim>> unseen = new ArrayDeque<>();

	private int looking;

	private int leaving;

	private boolean looksAtAll;

	/** No place is to be looked at before, unless all are: until then none is touched. */
	private long lookAt;

	/** Whether it has to be found out anew. */
	private boolean outdated;

	/**
	 * Create an empty schedule.
	 * @param interval between two refreshes, in nanoseconds
	 */
	PlaceSchedule(long interval) {
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

	void addLeaves(Queue<LeaseId> left, List<PlaceRequest> rounds) {
		if (this.leaving > 0 || left.isEmpty()) {
			return;
		}
		List<LeaseId> ids = new ArrayList<>();
		while (ids.size() < QueuedClaim.MAX_BATCH && !left.isEmpty()) {
			ids.add(left.remove());
		}
		this.leaving++;
		rounds.add(new PlaceRequest(Kind.LEAVE, ids, List.of(), timeout(this.interval)));
	}

	void addRefreshes(Collection<QueuedClaim> places, List<PlaceRequest> rounds, ClockReading now) {
		if (this.refreshing == 0 && this.stale.isEmpty() && !places.isEmpty() && now.nanos() - this.refreshAt >= 0) {
			this.refreshAt = now.nanos() + this.interval;
			divide(places.stream().filter((place) -> place.refreshes(now)).toList());
		}
		while (!this.stale.isEmpty() && this.refreshing < MAX_REFRESHES) {
			this.refreshing++;
			rounds.add(round(Kind.REFRESH, this.stale.remove(), now));
		}
	}

	// In batches, none with more others than it may go with
	private void divide(Collection<QueuedClaim> places) {
		Map<Integer, List<QueuedClaim>> open = new HashMap<>();
		for (QueuedClaim place : places) {
			int most = place.most();
			List<QueuedClaim> batch = open.computeIfAbsent(most, (same) -> new ArrayList<>());
			batch.add(place);
			if (batch.size() == most) {
				this.stale.add(batch);
				open.remove(most);
			}
		}
		this.stale.addAll(open.values());
	}

	void addLooks(Collection<QueuedClaim> places, boolean live, List<PlaceRequest> rounds, ClockReading now) {
		boolean none = !this.looksAtAll && !this.outdated && now.nanos() - this.lookAt < 0;
		if (this.looking == 0 && this.unseen.isEmpty() && !none) {
			findUnseen(places, live, now);
		}
		while (!this.unseen.isEmpty() && this.looking < MAX_LOOKS) {
			this.looking++;
			rounds.add(round(Kind.LOOK, this.unseen.remove(), now));
		}
	}

	private void findUnseen(Collection<QueuedClaim> places, boolean live, ClockReading now) {
		List<QueuedClaim> due = new ArrayList<>();
		for (QueuedClaim place : places) {
			if (this.looksAtAll || place.isLookSoon(live, now)) {
				due.add(place);
			}
		}
		findNext(places, live, now);
		boolean any = this.looksAtAll || this.lookAt - now.nanos() <= 0;
		this.looksAtAll = false;
		for (int from = 0; any && from < due.size(); from += QueuedClaim.MAX_BATCH) {
			this.unseen.add(due.subList(from, Math.min(due.size(), from + QueuedClaim.MAX_BATCH)));
		}
	}

	private void findNext(Collection<QueuedClaim> places, boolean live, ClockReading now) {
		long next = ClockReading.NEVER;
		for (QueuedClaim place : places) {
			next = Math.min(next, place.lookIn(live, now));
		}
		this.lookAt = now.nanos() + next;
		this.outdated = false;
	}

	/**
	 * How long nothing is due.
	 * @return nanoseconds
	 */
	long nextIn(Collection<QueuedClaim> places, boolean left, boolean live, ClockReading now) {
		if (left && this.leaving == 0) {
			return 0;
		}
		if (places.isEmpty()) {
			return ClockReading.NEVER;
		}
		long next = ClockReading.NEVER;
		if (this.refreshing == 0) {
			next = (this.stale.isEmpty()) ? this.refreshAt - now.nanos() : 0;
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
	void ended(PlaceRequest round, boolean answered, ClockReading now) {
		switch (round.kind()) {
			case LEAVE -> this.leaving--;
			case LOOK -> {
				this.looking--;
				lookAnew();
			}
			case REFRESH -> {
				this.refreshing--;
				int most = (answered) ? QueuedClaim.MAX_BATCH : (round.places().size() + PARTS - 1) / PARTS;
				List<QueuedClaim> places = round.looks().stream().map(Look::place).toList();
				places.forEach((place) -> place.most(most));
				if (!answered && places.size() > 1 && round.hung(now)) {
					divide(places.stream().filter((place) -> place.refreshes(now)).toList());
				}
				// A claim that is not in the queue any more is found by a look at all
				this.looksAtAll |= this.refreshing == 0 && this.stale.isEmpty();
			}
		}
	}

	private PlaceRequest round(Kind kind, List<QueuedClaim> places, ClockReading now) {
		List<Look> looks = places.stream().map((place) -> new Look(place, now.nanos(), place.freed())).toList();
		if (kind == Kind.LOOK) {
			places.forEach((place) -> place.looks(now));
		}
		Duration timeout = timeout((kind == Kind.REFRESH) ? this.interval / 2 : this.interval);
		return new PlaceRequest(kind, places.stream().map(QueuedClaim::id).toList(), looks, timeout);
	}

	private static Duration timeout(long nanos) {
		Duration timeout = Duration.ofMillis(Math.max(1, nanos / 1_000_000));
		return (timeout.compareTo(MAX_TIMEOUT) < 0) ? timeout : MAX_TIMEOUT;
	}

}
