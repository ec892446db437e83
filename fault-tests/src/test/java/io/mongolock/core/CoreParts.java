package io.mongolock.core;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;

import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;

/**
 * What tests of thread orders make: attempts at the lock of one key, and holds of it. Ttl
 * 30 s, margin 6 s, wait 5 s.
 */
public final class CoreParts {

	/** Soon after the begin. */
	static final ClockReading NOW = at(100);

	/** After the wait, when leases are renewed. */
	static final ClockReading LATE = at(10_000);

	/** After a lease that is not renewed, and before the end of one that is. */
	static final ClockReading OVER = at(30_000);

	private static final LockOwner OWNER = new LockOwner("app", "1", "host", 42, "");

	private CoreParts() {
	}

	public static ClockReading at(long millis) {
		return new ClockReading(millis * 1_000_000, millis);
	}

	public static Attempt attempt(String token, Duration linger) {
		return new Attempt(LockRequest.of("k"), new LeaseId("k", token), 1, OWNER.onThread(token),
				LockTerms.of(LockSettings.builder().linger(linger).build()), at(0));
	}

	static StoredHolder entry(String token, long fence) {
		return new StoredHolder(token, fence, 1, OWNER, Instant.EPOCH, Instant.EPOCH, Duration.ofSeconds(30));
	}

	/**
	 * What the store granted, with a hundred fences set aside.
	 */
	public static HeldLock held(Attempt attempt, long fence, Consumer<HeldLock> onLost) {
		return new HeldLock(attempt, new Grant(entry(attempt.id().leaseToken(), fence), 100, at(0), false, false, false,
				(attempt.lingers()) ? new Recall(attempt) : null), null, at(0), onLost);
	}

}
