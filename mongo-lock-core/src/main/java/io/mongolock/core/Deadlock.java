package io.mongolock.core;

import java.time.Instant;
import java.util.List;

import io.mongolock.LockDeadlock;
import io.mongolock.LockOwner;
import io.mongolock.store.GrantId;
import io.mongolock.store.LeaseId;

/**
 * A set of waiters, each of which waits for locks that others of the set hold. If two
 * looks saw equal deadlocks, they saw the same one, because neither a token nor a grant
 * ever comes back.
 *
 * @param waits the waits of the waiters for each other, in the order of the grants
 */
public record Deadlock(List<Wait> waits) {

	/**
	 * Whether an attempt takes part.
	 */
	public boolean has(LeaseId waiter) {
		return this.waits.stream().anyMatch((wait) -> wait.waiter().equals(waiter));
	}

	/**
	 * The deadlock as users see it.
	 */
	public LockDeadlock toLockDeadlock() {
		return new LockDeadlock(this.waits.stream()
			.map((wait) -> new LockDeadlock.Wait(wait.grant().key(), wait.holderOwner(), wait.since(),
					wait.waiterOwner()))
			.toList());
	}

	/**
	 * A waiter that waits for a holder, which also waits.
	 *
	 * @param grant the grant that is in the way
	 * @param since when that grant was given
	 * @param holder the token under which the holder of that grant waits
	 * @param waiter the token that waits for that grant
	 */
	record Wait(GrantId grant, Instant since, LeaseId holder, LockOwner holderOwner, LeaseId waiter,
			LockOwner waiterOwner) {

	}

}
