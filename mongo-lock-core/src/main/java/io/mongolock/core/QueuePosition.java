package io.mongolock.core;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockOwner;
import io.mongolock.LockPlace;
import io.mongolock.store.HiddenPlaces;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.store.StoredWaiter;

/**
 * The place of a claim in the queue of its lock, as the store last showed it. Applies the
 * {@link AdmissionRule} to it. This only says for which claim to ask and when, because
 * the store alone decides. Immutable.
 */
public final class QueuePosition {

	/**
	 * The upper limit for the number of near places times the number of all places. Each
	 * refresh of a place costs the server something for each stream, and each near place
	 * has a stream.
	 */
	private static final int MOST = 1024;

	/** How many others may be ahead of a near claim, however long the queue is. */
	private static final int LEAST_NEAR = 4;

	private final int limit;

	private final LockPlace place;

	private final List<LockOwner> ahead;

	/**
	 * The entries before the claim, which are holders and waiters ahead, the longest to
	 * live first. A hidden entry is assumed to live as long as the longest-lived entry
	 * shown, and to have the smallest limit of the hidden entries.
	 */
	private final List<Entry> before;

	/** The limits of the entries before the claim, the smallest first. */
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
				before.sort(Comparator.comparing(Entry::livesFor).reversed());
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
	 * The place for diagnostics.
	 */
	public LockPlace toLockPlace() {
		return this.place;
	}

	/**
	 * The waiters before the claim in the queue, as far as shown.
	 * @return their owners, the first in the queue first
	 */
	public List<LockOwner> ahead() {
		return this.ahead;
	}

	/**
	 * How many waiters stand before the claim in the queue.
	 */
	int othersAhead() {
		return this.place.position() - 1;
	}

	/**
	 * Whether the claim is near its turn. Either few waiters are ahead of it, however
	 * many hold the lock, or few entries have to go, however many are admitted with it.
	 */
	boolean isNear() {
		int near = near();
		return othersAhead() <= near || admits(near);
	}

	/**
	 * How many waiters may be ahead of a near claim: all in a short queue, few in a long
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
	 * @param freed how many entries before the claim may have gone since. We cannot know
	 * which ones, so the entries with the smallest limits are assumed to be gone
	 */
	boolean admits(int freed) {
		int left = this.limits.length - freed;
		return left <= 0 || new AdmissionRule(left, Math.min(this.limit, this.limits[freed])).admits();
	}

	/**
	 * How many entries before the claim have to go until the rule could admit it.
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
	 * When the rule could admit the claim if no entry before it lived on, for example
	 * because their JVM died.
	 * @return how long after the store showed the position
	 */
	Duration opensIn() {
		AdmissionRule rule = new AdmissionRule(0, this.limit);
		for (Entry entry : this.before) {
			rule = rule.behind(entry.limit());
			if (!rule.admits()) {
				return entry.livesFor();
			}
		}
		return Duration.ZERO;
	}

	/**
	 * An entry before the claim: a holder, or a waiter ahead.
	 *
	 * @param limit how many may hold the lock at the same time, this entry included
	 * @param livesFor how long the entry counts unless it is renewed
	 */
	private record Entry(int limit, Duration livesFor) {

		static Entry of(int limit, Instant end, Instant now) {
			return new Entry(limit, Duration.between(now, end));
		}

	}

}
