package io.mongolock.shedlock;

import java.util.Optional;

import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

import io.mongolock.LockHandle;
import io.mongolock.store.LeaseControl;
import io.mongolock.store.LeaseEnd;
import io.mongolock.store.LeaseId;

/**
 * A lock as it was granted. A client gives each lease one ttl. So the first
 * {@link #extend} takes the lease away from the client; from then on it belongs to the
 * {@link ExtendedLeases}.
 */
final class LeaseLock extends ExtensibleLock {

	private final LockHandle handle;

	private final ExtendedLeases extended;

	private final boolean off;

	/**
	 * Create a lock.
	 * @param off whether locks are switched off
	 */
	LeaseLock(LockConfiguration configuration, LockHandle handle, ExtendedLeases extended, boolean off) {
		super(configuration);
		this.handle = handle;
		this.extended = extended;
		this.off = off;
	}

	@Override
	protected void doUnlock() {
		this.handle.close();
	}

	@Override
	protected Optional<SimpleLock> doExtend(LockConfiguration configuration) {
		if (this.off) {
			return Optional.of(new LeaseLock(configuration, this.handle, this.extended, true));
		}
		// If the application has wrapped the handle, its lease is unknown
		if (!(this.handle instanceof LeaseControl leased) || hasRunOut()) {
			return Optional.empty();
		}
		LeaseId lease = leased.lease();
		Optional<SimpleLock> lock = this.extended.extend(lease, configuration);
		if (lock.isPresent()) {
			leased.end(LeaseEnd.PASSED_ON);
			this.handle.close();
		}
		return lock;
	}

	private boolean hasRunOut() {
		return !ClockProvider.now().isBefore(this.lockConfiguration.getLockAtMostUntil());
	}

}
