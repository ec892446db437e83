package io.mongolock.shedlock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.OnLost;
import io.mongolock.OnUnavailable;
import io.mongolock.client.UnlockedLockOperations;

/**
 * A provider for ShedLock on the locks of this library. The name of a lock is its key, so
 * {@code @SchedulerLock(name = "report")} and {@code @DistributedLock(name = "report")}
 * exclude each other. A lock ends at its {@code lockAtMostFor}, as users of ShedLock
 * expect: it is not renewed by itself. Thread-safe.
 */
final class LeaseLockProvider implements ExtensibleLockProvider {

	/** The name of all these locks, for settings and meters. */
	static final String NAME = "shedlock";

	/** The shortest ttl. In a shorter lease, no request would fit twice. */
	static final Duration SHORTEST = Duration.ofMillis(500);

	/** Leases are not renewed, but settings still require a renew interval. */
	private static final Duration UNUSED = Duration.ofMillis(1);

	private static final Duration MAX_MARGIN = Duration.ofSeconds(6);

	private final LockOperations locks;

	private final ExtendedLeases extended;

	private final Duration operationTimeout;

	LeaseLockProvider(LockOperations locks, ExtendedLeases extended, Duration operationTimeout) {
		this.locks = locks;
		this.extended = extended;
		this.operationTimeout = operationTimeout;
	}

	@Override
	public Optional<SimpleLock> lock(LockConfiguration configuration) {
		return this.locks.tryAcquire(request(configuration, this.operationTimeout))
			.map((handle) -> new LeaseLock(configuration, handle, this.extended,
					this.locks instanceof UnlockedLockOperations));
	}

	// Sets everything itself, because the settings for renewed locks may not suit this
	// ttl
	static LockRequest request(LockConfiguration configuration, Duration operationTimeout) {
		long ttl = Math.max(millis(configuration.getLockAtMostFor()), SHORTEST.toMillis());
		long margin = Math.min(ttl / 5, MAX_MARGIN.toMillis());
		long operation = Math.min(operationTimeout.toMillis(), (ttl - margin - UNUSED.toMillis()) / 2);
		return LockRequest.builder(configuration.getName())
			.name(NAME)
			.settings(LockSettings.builder()
				.ttl(Duration.ofMillis(ttl))
				.margin(Duration.ofMillis(margin))
				.renewInterval(UNUSED)
				.operationTimeout(Duration.ofMillis(operation))
				.waitTimeout(Duration.ZERO)
				.autoRenew(false)
				.limit(1)
				.minHold(Duration.ofMillis(millis(configuration.getLockAtLeastFor())))
				.linger(Duration.ZERO)
				.build())
			.onUnavailable(OnUnavailable.SKIP)
			.onLost(OnLost.IGNORE)
			.build();
	}

	/**
	 * A duration in whole milliseconds, rounded up. If it exceeds the range of a long,
	 * the largest number, which the settings refuse.
	 */
	static long millis(Duration duration) {
		long whole = TimeUnit.MILLISECONDS.convert(duration);
		return (Duration.ofMillis(whole).compareTo(duration) < 0 && whole < Long.MAX_VALUE) ? whole + 1 : whole;
	}

}
