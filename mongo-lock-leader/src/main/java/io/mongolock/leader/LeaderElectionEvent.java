package io.mongolock.leader;

/**
 * What becomes of a role in this instance, for {@code @EventListener} methods. A listener
 * that works on for long after {@link Granted} hears of {@link Revoked} on another thread
 * meanwhile.
 */
public sealed interface LeaderElectionEvent {

	/**
	 * Who leads or led.
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
	 * This instance no longer leads. Nobody else does yet: the lock is released after all
	 * listeners, or is still out for its margin.
	 *
	 * @param election the election
	 * @param term the number of the term that is over
	 */
	record Revoked(LeaderElection election, long term) implements LeaderElectionEvent {

	}

}
