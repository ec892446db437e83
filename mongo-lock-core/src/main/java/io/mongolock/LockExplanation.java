package io.mongolock;

import java.util.List;

/**
 * Why an attempt at a lock would have to wait now, as the store saw it; an attempt is
 * decided by the store alone. How long earlier holds took is not stored.
 *
 * @param key the key of the lock
 * @param holders who holds it, empty if it is free
 * @param waiting who stands in its queue, first come first: one for each application
 * instance that waits
 * @param waitingHere how many attempts at it wait in this instance
 * @param message all of this as people read it
 */
public record LockExplanation(String key, List<LockHolder> holders, List<LockOwner> waiting, int waitingHere,
		String message) {

	/**
	 * Create an explanation.
	 * @param key the key of the lock
	 * @param holders who holds it
	 * @param waiting who stands in its queue
	 * @param waitingHere how many attempts at it wait in this instance
	 * @param message all of this as people read it
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
