package io.mongolock.core;

import java.time.Instant;
import java.util.List;

import io.mongolock.LockDeadlock;
import io.mongolock.LockOwner;
import io.mongolock.store.GrantId;
import io.mongolock.store.LeaseId;

/**
 * Waiters of which each waits for locks that others of them hold. Two looks saw the same
 * one if they are equal, as neither a token nor a grant ever comes back.
 *
 * @param waits who waits for whom, in the order of the grants
 */
public record Deadlock(List<Wait> waits) {

	/**
	 * Whether an attempt takes part.
	 */
	public boolean has(LeaseId waiter) {
		return this.waits.stream().anyMatch((wait) -> wait.waiter().equals(waiter));
	}

	/**
	 * What people are told of it.
	 */
	public LockDeadlock toLockDeadlock() {
		return new LockDeadlock(this.waits.stream()
			.map((wait) -> new LockDeadlock.Wait(wait.grant().key(), wait.holderOwner(), wait.since(),
					wait.waiterOwner()))
			.toList());
	}

	/**
	 * One who waits for one who waits as well.
	 *
	 * @param grant the grant that is in the way
	 * @param since when that was given
	 * @param holder the token by which its holder waits
	 * @param waiter the token that waits for it
	 */
	record Wait(GrantId grant, Instant since, LeaseId holder, LockOwner holderOwner, LeaseId waiter,
			LockOwner waiterOwner) {

	}

}
