package io.mongolock.store;

import java.util.Set;

import io.mongolock.LockStoreException;

/**
 * Some of several renewals failed, each by itself: nothing is known of those leases, and
 * all others were renewed as far as they were found.
 */
public final class SomeRenewalsFailedException extends LockStoreException {

	private final Set<LeaseId> failed;

	private final int found;

	/**
	 * Create a new exception.
	 * @param failure why the first of them failed
	 */
	public SomeRenewalsFailedException(LockStoreException failure, Set<LeaseId> failed, int found) {
		super(failure.getKey(), failure.getOutcome(), String.valueOf(failure.getMessage()), failure.getCause());
		this.failed = Set.copyOf(failed);
		this.found = found;
	}

	/**
	 * The leases that nothing is known of.
	 * @return the leases, at least one
	 */
	public Set<LeaseId> failed() {
		return this.failed;
	}

	/**
	 * How many of the others are still there.
	 */
	public int found() {
		return this.found;
	}

}
