package io.mongolock.store;

/**
 * All that a {@link LockStore} promises, to be run on each.
 */
public abstract class AbstractLockStoreContractTests implements GrantContract, FirstClaimContract, RenewalContract,
		QueueContract, KeyContract, RaceContract, ReleaseRequestContract, RecallContract {

}
