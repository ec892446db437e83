package io.mongolock.store;

import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockStoreException;

/**
 * What became of several renewals. Some may have failed, each by itself: nothing is known
 * of those leases, and all others were renewed as far as they were found.
 *
 * @param found how many leases are still there, without those that failed
 * @param failed the leases that nothing is known of
 * @param failure why the first of them failed, {@code null} if none has
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
