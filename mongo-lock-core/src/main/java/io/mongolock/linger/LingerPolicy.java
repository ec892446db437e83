package io.mongolock.linger;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.mongolock.core.ClockReading;
import io.mongolock.core.Recall;

/**
 * Decides for which keys it pays to keep leases: for keys that this client takes again
 * and again. A key is warm if it was taken often enough in a row, each time within the
 * linger after its last release. The number needed grows if other clients want the leases
 * of the key. Each recall of an idle lease makes it four times as large, and each claim
 * that an idle lease served makes it smaller by one. If the recalled lease had served no
 * claim, clients may be taking turns. The number then becomes the largest possible, so
 * that clients hardly ever keep the lock from each other. The recalls may have been bad
 * luck, so each minute without a recall halves the number. Only the keys that were used
 * last are known. Thread-safe, guarded by the monitor.
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
	 * @param since when the holder was done
	 * @param recall how many claims its lease served while idle, and whether others want
	 * the lock; {@code null} if the lease could not be idle
	 */
	synchronized void released(String key, ClockReading since, @Nullable Recall recall) {
		Use use = use(key, since);
		use.forget(since.nanos());
		use.releasedAt = since.nanos();
		use.needed = Math.max(1, use.needed - ((recall != null) ? recall.takeServed() : 0));
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
	 * The store shows which lease was recalled last. This client may not have been
	 * notified of that recall.
	 * @return whether it is the last lease of the key here, and the recall is news
	 */
	synchronized boolean wasRecalled(String key, String token) {
		Use use = this.uses.get(key);
		Recall last = (use != null) ? use.last : null;
		if (last == null || !last.isOf(token) || !last.want()) {
			return false;
		}
		recalled(key, last.isUsed());
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

		/** How often in a row the key was taken again in time. */
		private int inARow;

		/** How often in a row the key must be taken to be warm. */
		private int needed = 1;

		/** The recall of the last lease that could be idle. */
		private @Nullable Recall last;

		/** When {@link #needed} was last halved, or when a recalled lease became idle. */
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
