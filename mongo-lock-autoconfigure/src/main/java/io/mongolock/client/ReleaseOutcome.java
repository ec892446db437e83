package io.mongolock.client;

import io.mongolock.store.LockStore.Durability;

/**
 * How the hold of a lock ended, judged by the store's answer to its release.
 */
enum ReleaseOutcome {

	/**
	 * Held until the release.
	 */
	RELEASED,

	/**
	 * Run out before, but granted to nobody else until the release.
	 */
	OVERRAN,

	/**
	 * Gone before the release; another may have held the lock meanwhile.
	 */
	LOST;

	/**
	 * How sure the answer must be. While the lease is relied on, a release that a
	 * failover takes back is only a lease that runs out; after that the answer is a
	 * proof.
	 * @param held whether the lease was relied on when the release began
	 * @return the durability to ask for
	 */
	static Durability durability(boolean held) {
		return (held) ? Durability.FAST : Durability.PROOF;
	}

	/**
	 * Judge the answer.
	 * @param held whether the lease was relied on when the release began
	 * @param ended whether the release found the lease and ended it, which proves that
	 * nobody was granted in its place before
	 * @return the outcome
	 */
	static ReleaseOutcome of(boolean held, boolean ended) {
		if (!ended) {
			return LOST;
		}
		return (held) ? RELEASED : OVERRAN;
	}

}
