package io.mongolock.shedlock;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.mongolock.LockRequest;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;

/**
 * Leases that were extended, each for its own time. Only the store knows them: they run
 * out there unless they are released or extended again. Thread-safe.
 */
final class ExtendedLeases {

	private static final Log logger = LogFactory.getLog(ExtendedLeases.class);

	private final Supplier<LockStore> store;

	private final Duration timeout;

	private final ConfiguredSettings configured;

	/**
	 * Create without leases.
	 * @param store the store of the leases, resolved with the first lease
	 * @param timeout how long a request may take
	 * @param configured knows for how long a lease may last
	 */
	ExtendedLeases(Supplier<LockStore> store, Duration timeout, ConfiguredSettings configured) {
		this.store = store;
		this.timeout = timeout;
		this.configured = configured;
	}

	/**
	 * Let a lease last until its new {@code lockAtMostFor} is over.
	 * @return the lock, empty if the lease was taken over or released
	 * @throws io.mongolock.InvalidLockSettingsException if the time is longer than the
	 * ttl of a lock may be; this limit keeps a document from being removed while its lock
	 * is held
	 */
	Optional<SimpleLock> extend(LeaseId lease, LockConfiguration configuration) {
		LockRequest request = LeaseLockProvider.request(configuration, this.timeout);
		return (expireAfter(lease, this.configured.terms(request).ttl()))
				? Optional.of(new ExtendedLock(lease, configuration)) : Optional.empty();
	}

	private void end(LeaseId lease, LockConfiguration configuration) {
		Duration rest = Duration.between(ClockProvider.now(), configuration.getLockAtLeastUntil());
		try {
			if (rest.isNegative() || rest.isZero()) {
				this.store.get().release(lease, this.timeout);
			}
			else {
				expireAfter(lease, rest);
			}
		}
		catch (RuntimeException ex) {
			// Not thrown, as for locks that were not extended: the work is done, and its
			// result counts
			logger.warn("The " + lease + " could not be released, so it stays taken until its lease runs out", ex);
		}
	}

	private boolean expireAfter(LeaseId lease, Duration time) {
		Duration whole = Duration.ofMillis(LeaseLockProvider.millis(time));
		return this.store.get().expireAll(Map.of(lease, whole), this.timeout) != 0;
	}

	private final class ExtendedLock extends ExtensibleLock {

		private final LeaseId lease;

		private ExtendedLock(LeaseId lease, LockConfiguration configuration) {
			super(configuration);
			this.lease = lease;
		}

		@Override
		protected void doUnlock() {
			end(this.lease, this.lockConfiguration);
		}

		@Override
		protected Optional<SimpleLock> doExtend(LockConfiguration configuration) {
			return (ClockProvider.now().isBefore(this.lockConfiguration.getLockAtMostUntil()))
					? ExtendedLeases.this.extend(this.lease, configuration) : Optional.empty();
		}

	}

}
