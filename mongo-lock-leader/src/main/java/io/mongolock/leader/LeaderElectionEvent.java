package io.mongolock.leader;

/**
 * Events about a role in this instance, for {@code @EventListener} methods. A listener
 * should return soon: {@link Revoked} is published only when all listeners of
 * {@link Granted} are done, perhaps on another thread.
 */
public sealed interface LeaderElectionEvent {

	/**
	 * The election whose term begins or ends.
	 * @return the election of this instance
	 */
	LeaderElection election();

	/**
	 * The number of the term.
	 * @return the fence of its lock
	 */
	long term();

	/**
	 * This instance leads.
	 *
	 * @param election the election
	 * @param term the number of the term that begins
	 */
	record Granted(LeaderElection election, long term) implements LeaderElectionEvent {

	}

	/**
	 * This instance no longer leads. No other instance leads yet, unless the lock was
	 * released by force. The lock is released after all listeners, or stays taken for its
	 * margin.
	 *
	 * @param election the election
	 * @param term the number of the term that is over
	 */
	record Revoked(LeaderElection election, long term) implements LeaderElectionEvent {

	}

}
