package io.mongolock.core;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import io.mongolock.store.LeaseId;

/**
 * The locks that were released during the last seconds, by requests that no majority
 * confirmed: a primary that is replaced may have been the only one to know. Until all
 * members know who replaced it, such a release is to be repeated by the sender of all
 * releases. Thread-safe, guarded by the monitor.
 */
public final class RecentReleases {

	/**
	 * How long an old primary may answer that nobody hears any more, and a new one be
	 * unknown here.
	 */
	public static final Duration WINDOW = Duration.ofSeconds(30);

	/** The latest, as one that is forgotten runs out with its lease. */
	static final int MAX_RELEASES = 10_000;

	private final Deque<Release> releases = new ArrayDeque<>();

	/**
	 * A release was answered.
	 */
	public synchronized void add(LeaseId id, ClockReading now) {
		forget(now);
		if (this.releases.size() == MAX_RELEASES) {
			this.releases.remove();
		}
		this.releases.add(new Release(id, now.nanos()));
	}

	/**
	 * What to release once more, as the primary has changed.
	 * @return the tokens, each once, the oldest release first
	 */
	public synchronized List<LeaseId> all(ClockReading now) {
		forget(now);
		return this.releases.stream().map(Release::id).distinct().toList();
	}

	private void forget(ClockReading now) {
		for (Release first = this.releases.peek(); first != null
				&& now.nanos() - first.at() > WINDOW.toNanos(); first = this.releases.peek()) {
			this.releases.remove();
		}
	}

	private record Release(LeaseId id, long at) {

	}

}
