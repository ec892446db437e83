package io.mongolock.core;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockOwner;
import io.mongolock.LockPlace;
import io.mongolock.store.HiddenPlaces;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.store.StoredWaiter;

/**
 * The place of a claim in the queue of its lock as the store last showed it, and what the
 * {@link AdmissionRule} makes of it. It says whom to ask for and when: the store alone
 * decides. Immutable.
 */
public final class QueuePosition {

	/**
	 * How many places are near times how many there are, at most: each refresh of any of
	 * them costs the server something for each stream, and those that are near have one.
	 */
	private static final int MOST = 1024;

	/** So many others may be ahead of a claim that is near, however long the queue is. */
	private static final int LEAST_NEAR = 4;

	private final int limit;

	private final LockPlace place;

	private final List<LockOwner> ahead;

	/**
	 * Of those before it, holders and those ahead, the longest to live first. One that is
	 * not shown is taken to live as long as any, and to be as much in the way.
	 */
	private final List<Entry> before;

	/** The limits of those before it, the smallest first. */
	private final int[] limits;

	private QueuePosition(int limit, LockPlace place, List<LockOwner> ahead, List<Entry> before) {
		this.limit = limit;
		this.place = place;
		this.ahead = ahead;
		this.before = before;
		this.limits = before.stream().mapToInt(Entry::limit).sorted().toArray();
	}

	/**
	 * Find the place of a claim.
	 * @return its place, or {@code null} if it has none that counts
	 */
	static @Nullable QueuePosition of(Attempt attempt, StoredLock lock) {
		HiddenPlaces hidden = lock.hidden();
		Instant now = lock.now();
		List<Entry> before = new ArrayList<>();
		for (StoredHolder holder : lock.holders()) {
			if (holder.isAlive(now)) {
				before.add(Entry.of(holder.limit(), holder.renewedAt().plus(holder.ttl()), now));
			}
		}
		List<StoredWaiter> living = lock.queue().stream().filter((waiter) -> waiter.isAlive(now)).toList();
		List<LockOwner> ahead = new ArrayList<>();
		for (StoredWaiter waiter : living) {
			if (waiter.leaseToken().equals(attempt.id().leaseToken())) {
				before.sort(null);
				Duration longest = (before.isEmpty()) ? Duration.ZERO : before.get(0).livesFor();
				before.addAll(0, Collections.nCopies(hidden.ahead(), new Entry(hidden.limit(), longest)));
				LockPlace place = new LockPlace(ahead.size() + hidden.ahead() + 1,
						living.size() + hidden.ahead() + hidden.behind());
				return new QueuePosition(attempt.limit(), place, ahead, before);
			}
			before.add(Entry.of(waiter.limit(), waiter.renewedAt().plus(waiter.ttl()), now));
			ahead.add(waiter.owner());
		}
		return null;
	}

	/**
	 * Its place for diagnostics.
	 */
	public LockPlace toLockPlace() {
		return this.place;
	}

	/**
	 * All that stand before it in the queue, as far as shown.
	 * @return the owners, the first in the queue first
	 */
	public List<LockOwner> ahead() {
		return this.ahead;
	}

	/**
	 * How many stand before it in the queue.
	 */
	int othersAhead() {
		return this.place.position() - 1;
	}

	/**
	 * Whether few are ahead of it in the queue, however many hold the lock, or few have
	 * to go, however many are admitted with it.
	 */
	boolean isNear() {
		int near = near();
		return othersAhead() <= near || admits(near);
	}

	/**
	 * How many may be ahead of it when it is near: all in a short queue, few in a long
	 * one.
	 */
	int near() {
		return Math.max(LEAST_NEAR, MOST / length());
	}

	/**
	 * Whether all places of the queue are near.
	 */
	boolean isQueueShort() {
		return length() <= near();
	}

	/**
	 * How many places the queue has.
	 */
	int length() {
		return this.place.length();
	}

	/**
	 * Whether the rule could admit the claim.
	 * @param freed how many of those before it may have gone since; which ones is not
	 * known, so they are taken to be those that are most in the way
	 */
	boolean admits(int freed) {
		int left = this.limits.length - freed;
		return left <= 0 || new AdmissionRule(left, Math.min(this.limit, this.limits[freed])).admits();
	}

	/**
	 * How many of those before it have to go until the rule could admit the claim.
	 * @return the number, zero if it could now
	 */
	int releasesNeeded() {
		int releases = 0;
		while (!admits(releases)) {
			releases++;
		}
		return releases;
	}

	/**
	 * When the rule could admit the claim if none of those before it lived on, for
	 * example after their JVM died.
	 * @return how long from when the store showed it
	 */
	Duration opensIn() {
		AdmissionRule rule = AdmissionRule.of(this.limit);
		for (Entry entry : this.before) {
			rule = rule.behind(entry.limit());
			if (!rule.admits()) {
				return entry.livesFor();
			}
		}
		return Duration.ZERO;
	}

	/**
	 * One of those before the claim.
	 *
	 * @param limit how many may hold the lock together with it
	 * @param livesFor how long it counts unless renewed
	 */
	private record Entry(int limit, Duration livesFor) implements Comparable<Entry> {

		static Entry of(int limit, Instant end, Instant now) {
			return new Entry(limit, Duration.between(now, end));
		}

		@Override
		public int compareTo(Entry other) {
			return other.livesFor.compareTo(this.livesFor);
		}

	}

}
