package io.mongolock.faults.simulation;

import java.util.function.Consumer;

import io.mongolock.LockStoreException.Outcome;

/**
 * A request that leaves as soon as it is known who takes the answer.
 *
 * @param <T> what is answered
 */
@FunctionalInterface
interface SimulatedAsk<T> {

	/**
	 * Send it.
	 * @param onReply takes the answer
	 * @param onFailure takes what is known of a request without answer
	 */
	void then(Consumer<T> onReply, Consumer<Outcome> onFailure);

}
