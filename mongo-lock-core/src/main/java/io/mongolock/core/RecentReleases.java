package io.mongolock.core;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import io.mongolock.store.LeaseId;

/**
 * The locks that were released during the last seconds, by requests that no majority
 * confirmed. If the primary is replaced, it may have been the only member to know of such
 * a release. Until all members know the new primary, the sender of all releases must
 * repeat the release. Thread-safe, guarded by the monitor.
 */
public final class RecentReleases {

	/**
	 * How long an old primary may still answer although no member follows it, while the
	 * new primary is unknown here.
	 */
	public static final Duration WINDOW = Duration.ofSeconds(30);

	/**
	 * Only the latest are kept, because a lock whose release is forgotten runs out with
	 * its lease.
	 */
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
	 * The releases to repeat, because the primary has changed.
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
