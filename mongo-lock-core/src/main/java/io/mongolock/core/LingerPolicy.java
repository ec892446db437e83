package io.mongolock.core;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Decides for which keys it pays to keep their leases: those that this client takes again
 * and again. A key is warm if it was taken within the linger after its last release, so
 * often in a row as its leases prove to be wanted elsewhere: each time that an idle lease
 * is recalled it takes four times as often, and each claim that an idle lease served
 * makes up for one. A lease that had served no claim shows that clients may take turns:
 * it takes the most, so that they hardly ever keep the lock from each other. In case that
 * was bad luck, each minute without a recall halves it. Only the last keys are known.
 * Thread-safe, guarded by the monitor.
 */
final class LingerPolicy {

	static final int MAX_KEYS = 10_000;

	static final int MAX_CLAIMS = 1024;

	private static final long HALVED = 60_000_000_000L;

	private final Map<String, Use> uses = new LinkedHashMap<>(16, 0.75f, true);

	/**
	 * The store is asked for a lock that may linger.
	 * @return whether the key is warm
	 */
	synchronized boolean claims(String key, Duration linger, ClockReading now) {
		Use use = this.uses.get(key);
		if (use == null) {
			return false;
		}
		use.forget(now.nanos());
		use.inARow = (now.nanos() - use.releasedAt <= linger.toNanos()) ? use.inARow + 1 : 0;
		return use.inARow >= use.needed;
	}

	/**
	 * The last holder was done with a lock that may linger.
	 * @param since when it was
	 * @param recall what is known of its lease, if that could be idle: how many claims it
	 * served, and whether others want it
	 */
	synchronized void released(String key, ClockReading since, @Nullable Recall recall) {
		Use use = use(key, since);
		use.forget(since.nanos());
		use.releasedAt = since.nanos();
		use.needed = Math.max(1, use.needed - ((recall != null) ? recall.served() : 0));
		use.last = recall;
	}

	/**
	 * The idle lease of a key was recalled, after it was {@link #released}.
	 * @param used whether it had served a claim
	 */
	synchronized void recalled(String key, boolean used) {
		Use use = this.uses.get(key);
		if (use != null) {
			use.needed = (used) ? Math.min(MAX_CLAIMS, 4 * use.needed) : MAX_CLAIMS;
			use.halvedAt = use.releasedAt;
			use.inARow = 0;
		}
	}

	/**
	 * The store shows which lease was recalled last, which may not have been notified.
	 * @return whether it is the last one here, and that is news
	 */
	synchronized boolean wasRecalled(String key, String token) {
		Use use = this.uses.get(key);
		Recall last = (use != null) ? use.last : null;
		if (last == null || !last.isOf(token) || !last.want()) {
			return false;
		}
		recalled(key, last.served() > 0);
		return true;
	}

	private Use use(String key, ClockReading since) {
		Use known = this.uses.get(key);
		if (known != null) {
			return known;
		}
		if (this.uses.size() == MAX_KEYS) {
			this.uses.remove(this.uses.keySet().iterator().next());
		}
		Use use = new Use(since.nanos());
		this.uses.put(key, use);
		return use;
	}

	/**
	 * How a key was used. Guarded by the monitor of the keys.
	 */
	private static final class Use {

		private long releasedAt;

		/** How often in a row it was taken again in time. */
		private int inARow;

		/** How often that has to be. */
		private int needed = 1;

		/** Of the last lease that could be idle. */
		private @Nullable Recall last;

		/** When that was last halved, or a lease begun to be idle that was recalled. */
		private long halvedAt;

		private Use(long now) {
			this.halvedAt = now;
		}

		private void forget(long now) {
			while (now - this.halvedAt >= HALVED && this.needed > 1) {
				this.needed /= 2;
				this.halvedAt += HALVED;
			}
		}

	}

}
