package io.mongolock.store;

import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockStoreException;

/**
 * The outcome of several renewals. Single renewals may have failed, so nothing is known
 * of their leases. All other leases were renewed if they were found.
 *
 * @param found how many leases are still there, without the failed ones
 * @param failed the leases whose renewals failed, so that nothing is known of them
 * @param failure why the first of them failed, {@code null} if none did
 */
public record RenewalAnswer(int found, Set<LeaseId> failed, @Nullable LockStoreException failure) {

	public RenewalAnswer {
		failed = Set.copyOf(failed);
	}

	/**
	 * The answer if no renewal failed.
	 * @param found how many leases are still there
	 */
	public static RenewalAnswer of(int found) {
		return new RenewalAnswer(found, Set.of(), null);
	}

}
