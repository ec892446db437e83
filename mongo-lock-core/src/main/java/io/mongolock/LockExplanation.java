package io.mongolock;

import java.util.List;

/**
 * Explains why an attempt at a lock would have to wait now. The explanation shows what
 * the store saw when it answered, but only the store decides a later attempt.
 *
 * @param key the key of the lock
 * @param holders who holds the lock, empty if the lock is free
 * @param waiting the queue of the lock in its order, with one entry for each application
 * instance that waits
 * @param waitingHere how many attempts wait for the lock in this instance
 * @param message all of this as a text for people
 */
public record LockExplanation(String key, List<LockHolder> holders, List<LockOwner> waiting, int waitingHere,
		String message) {

	/**
	 * Create an explanation.
	 * @param key the key of the lock
	 * @param holders who holds the lock
	 * @param waiting the queue of the lock
	 * @param waitingHere how many attempts wait for the lock in this instance
	 * @param message all of this as a text for people
	 */
	public LockExplanation {
		holders = List.copyOf(holders);
		waiting = List.copyOf(waiting);
	}

	@Override
	public String toString() {
		return this.message;
	}

}
