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
 * queue of the store. Attempts and holders join and leave both here, so that the next
 * attempt gets its turn. After a release, {@link #wakeNext} passes the turn on. Knows no
 * thread, clock or driver. Thread-safe.
 */
public final class ClientQueues {

	private final LocalWaitQueues<LocalWaiter, HeldLock> queues;

	private final QueuePlaces places;

	private final IdleLeases idle;

	/**
	 * Create empty queues.
	 * @param places the places in the queues of the store
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
	 * The places of this JVM in the queues of the store.
	 */
	public QueuePlaces places() {
		return this.places;
	}

	/**
	 * The leases that are kept while nobody holds their locks.
	 */
	public IdleLeases idle() {
		return this.idle;
	}

	/**
	 * How many attempts wait in this JVM.
	 */
	public int waiting() {
		return this.queues.waiting();
	}

	/**
	 * How many attempts wait for a lock in this JVM.
	 */
	public int waiting(String key) {
		return this.queues.waiting(key);
	}

	/**
	 * Make all waiters of this JVM give up.
	 */
	public void stop() {
		this.queues.waiters().forEach(LocalWaiter::stop);
	}

	/**
	 * A lock of this JVM was released or lost, or an idle lease was released. The next
	 * attempt has its turn to ask. May be called again.
	 */
	public void wakeNext(HeldLock released) {
		LocalWaiter next = this.queues.released(released.key(), released);
		if (next != null && (released.grant().contended() || released.isRecalled())) {
			next.expectQueue();
		}
		wake(next);
	}

	/**
	 * The lease of a lock of this JVM could not be kept or handed over. Unless the lease
	 * is idle or handed over nevertheless, the next attempt has its turn to ask.
	 */
	public void notKept(HeldLock held) {
		if (this.queues.holders(held.key()).contains(held)) {
			wakeNext(held);
		}
	}

	/**
	 * Pass the turn on.
	 * @param next the waiter whose turn it is, {@code null} if there is none
	 */
	static void wake(@Nullable LocalWaiter next) {
		if (next != null) {
			next.callTurn();
		}
	}

	/**
	 * The waiter to which a holder can hand its lock instead of releasing it. If that
	 * waiter does not get the lock, it has the turn to ask.
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
	 * Why an attempt that waits in the local queue has not asked. The reason is the
	 * holders in this JVM, or else the last answer to the first in the queue.
	 * @return the answer that the attempt would have got, as far as is known
	 */
	LastAnswer ahead(LocalWaiter waiter, ClockReading now) {
		String key = waiter.attempt().key();
		List<LockHolder> here = this.queues.holders(key).stream().map((holder) -> holder.toHolder(now)).toList();
		return (!here.isEmpty()) ? new LastAnswer(here, null)
				: this.queues.asking(key).map(LocalWaiter::lastAnswer).orElse(waiter.lastAnswer());
	}

	/**
	 * An attempt has taken over a lock that another attempt of this JVM held.
	 * @return the waiter that may ask next, {@code null} if there is none
	 */
	@Nullable LocalWaiter handedOver(LocalWaiter waiter, HeldLock from, HeldLock held) {
		LocalWaiter next = this.queues.handedOver(held.key(), from, waiter, held);
		// A lock that was lost before it was among the holders has not been removed from
		// them
		LocalWaiter released = (held.lossReason() != null) ? this.queues.released(held.key(), held) : null;
		return (next != null) ? next : released;
	}

	/**
	 * An attempt has left the local queue without a lock.
	 * @return the waiter that may ask next, {@code null} if there is none
	 */
	@Nullable LocalWaiter left(LocalWaiter waiter) {
		return this.queues.left(waiter.attempt().key(), waiter);
	}

	/**
	 * An attempt ended, so the next one has its turn.
	 * @param place its place in the queue, {@code null} if it has none
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
	 * An attempt no longer needs its place in the queue.
	 * @param place the place, {@code null} if the attempt has none
	 * @param granted whether the grant removed the place from the queue
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
