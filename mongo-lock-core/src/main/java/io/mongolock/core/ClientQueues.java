package io.mongolock.core;

import java.util.List;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHolder;
import io.mongolock.core.AcquisitionRequests.LastAnswer;
import io.mongolock.core.AcquisitionStep.Granted;
import io.mongolock.core.AcquisitionStep.LastStep;

/**
 * The queues in which the attempts of one client wait: the queue of this JVM, and the
 * queue of the store. They join and leave both here, and so do holders, so that the next
 * one has its turn: {@link #wakeNext} is what follows a release. Knows no thread, clock
 * or driver. Thread-safe.
 */
public final class ClientQueues {

	private final LocalWaitQueues<LocalWaiter, HeldLock> queues;

	private final QueuePlaces places;

	private final IdleLeases idle;

	/**
	 * Create without anybody.
	 * @param places who stands in the queue in the store
	 */
	public ClientQueues(QueuePlaces places) {
		this(new LocalWaitQueues<>(), places);
	}

	ClientQueues(LocalWaitQueues<LocalWaiter, HeldLock> queues, QueuePlaces places) {
		this.queues = queues;
		this.places = places;
		this.idle = new IdleLeases(queues);
	}

	/**
	 * All that stand in the queue in the store.
	 */
	public QueuePlaces places() {
		return this.places;
	}

	/**
	 * The leases that are kept though nobody holds the locks.
	 */
	public IdleLeases idle() {
		return this.idle;
	}

	/**
	 * How many wait in this JVM.
	 */
	public int waiting() {
		return this.queues.waiting();
	}

	/**
	 * How many wait for a lock in this JVM.
	 */
	public int waiting(String key) {
		return this.queues.waiting(key);
	}

	/**
	 * All who wait in this JVM are to give up.
	 */
	public void stop() {
		this.queues.waiters().forEach(LocalWaiter::stop);
	}

	/**
	 * A lock of this JVM was released or lost, or an idle lease released: the next one
	 * has its turn to ask. May be called again.
	 */
	public void wakeNext(HeldLock released) {
		LocalWaiter next = this.queues.released(released.key(), released);
		if (next != null && (released.grant().contended() || released.isRecalled())) {
			next.expectQueue();
		}
		wake(next);
	}

	/**
	 * The lease of a lock of this JVM was to be kept or handed over, which failed: unless
	 * it is idle or handed over all the same, the next one has its turn to ask.
	 */
	public void notKept(HeldLock held) {
		if (this.queues.holders(held.key()).contains(held)) {
			wakeNext(held);
		}
	}

	/**
	 * Pass the turn on.
	 * @param next whose turn it is, if anyone's
	 */
	static void wake(@Nullable LocalWaiter next) {
		if (next != null) {
			next.callTurn();
		}
	}

	/**
	 * Whom a holder may hand its lock to instead of releasing it, with the turn to ask if
	 * it does not get it.
	 * @param suits whether the lock suits the waiter; must not block
	 */
	@Nullable LocalWaiter successor(HeldLock holder, Predicate<LocalWaiter> suits) {
		return this.queues.successor(holder.key(), holder, suits);
	}

	/**
	 * An attempt begins.
	 * @return whether it may ask at once
	 */
	boolean join(LocalWaiter waiter) {
		Attempt attempt = waiter.attempt();
		return (attempt.terms().waitTimeout().isZero()) ? this.queues.joinOnce(attempt.key(), waiter)
				: this.queues.join(attempt.key(), waiter);
	}

	/**
	 * Why an attempt that waits in the queue has not asked: for the holders in this JVM,
	 * or for those whom the first in the queue last saw, or as that one fails.
	 * @return what it would have been answered, as far as is known
	 */
	LastAnswer ahead(LocalWaiter waiter, ClockReading now) {
		String key = waiter.attempt().key();
		List<LockHolder> here = this.queues.holders(key).stream().map((holder) -> holder.toHolder(now)).toList();
		return (!here.isEmpty()) ? new LastAnswer(here, null)
				: this.queues.asking(key).map(LocalWaiter::lastAnswer).orElse(waiter.lastAnswer());
	}

	/**
	 * An attempt has taken over what another of this JVM held.
	 * @return who may ask next, if anyone
	 */
	@Nullable LocalWaiter handedOver(LocalWaiter waiter, HeldLock from, HeldLock held) {
		LocalWaiter next = this.queues.handedOver(held.key(), from, waiter, held);
		// What was lost before it stood among the holders was not missed there
		LocalWaiter released = (held.lossReason() != null) ? this.queues.released(held.key(), held) : null;
		return (next != null) ? next : released;
	}

	/**
	 * An attempt is in the local queue no longer, and has no lock.
	 * @return who may ask next, if anyone
	 */
	@Nullable LocalWaiter left(LocalWaiter waiter) {
		return this.queues.left(waiter.attempt().key(), waiter);
	}

	/**
	 * An attempt ended: the next one has its turn.
	 * @param place its place in the queue, if it may have one
	 */
	void leave(LocalWaiter waiter, LastStep end, @Nullable QueuePlace place) {
		if (end instanceof Granted granted && !granted.handedOver()) {
			leaveQueue(place, true);
			HeldLock held = granted.held();
			wake(this.queues.granted(held.key(), waiter, held));
		}
		else {
			leaveQueue(place, false);
			wake(left(waiter));
		}
	}

	/**
	 * An attempt needs its place in the queue no longer.
	 * @param place the place, if there may be one
	 * @param granted whether the grant took it out of the queue
	 */
	void leaveQueue(@Nullable QueuePlace place, boolean granted) {
		if (place != null && granted) {
			this.places.granted(place);
		}
		else if (place != null) {
			this.places.left(place);
		}
	}

}
