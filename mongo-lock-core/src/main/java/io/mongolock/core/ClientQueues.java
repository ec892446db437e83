package io.mongolock.core;

import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHolder;
import io.mongolock.core.AcquisitionRequests.LastAnswer;
import io.mongolock.core.AcquisitionStep.Granted;
import io.mongolock.core.AcquisitionStep.LastStep;
import io.mongolock.store.LeaseId;

/**
 * The queues in which the attempts of one client wait: the queue of this JVM, and the
 * queue of the store. Attempts and holders join and leave both here, so that the next
 * attempt gets its turn. After a release, {@link #wakeNext} passes the turn on. Knows no
 * thread, clock or driver. Thread-safe.
 */
public final class ClientQueues {

	private final LocalWaitQueues<LocalWaiter, HeldLock> queues;

	private final QueuePlaces places;

	private final BooleanSupplier running;

	private volatile Linger linger = Linger.NONE;

	/**
	 * Create empty queues.
	 * @param places the places in the queues of the store
	 * @param running whether attempts may wait; no longer before {@link #stop}
	 */
	public ClientQueues(QueuePlaces places, BooleanSupplier running) {
		this(new LocalWaitQueues<>(), places, running);
	}

	ClientQueues(LocalWaitQueues<LocalWaiter, HeldLock> queues, QueuePlaces places, BooleanSupplier running) {
		this.queues = queues;
		this.places = places;
		this.running = running;
	}

	/**
	 * The places of this JVM in the queues of the store.
	 */
	public QueuePlaces places() {
		return this.places;
	}

	/**
	 * Decides which leases are kept while nobody holds their locks.
	 */
	public Linger linger() {
		return this.linger;
	}

	/**
	 * Keep leases from now on.
	 */
	public void linger(Linger linger) {
		this.linger = linger;
	}

	/**
	 * The last holders of the locks whose leases are idle.
	 */
	public List<HeldLock> idle() {
		return this.queues.holders().stream().filter((held) -> held.state().isIdle()).toList();
	}

	/**
	 * The holders of a lock in this JVM. The last one stays among them while its lease is
	 * idle.
	 */
	public List<HeldLock> holders(String key) {
		return this.queues.holders(key);
	}

	private Stream<HeldLock> holders(LeaseId lease) {
		return holders(lease.key()).stream().filter((held) -> held.id().equals(lease));
	}

	/**
	 * This client's view of a lease in the store.
	 * @return the lease, or {@code null} if it belongs to another client
	 */
	public @Nullable LocalLease find(LeaseId lease, ClockReading now) {
		return holders(lease).findFirst().map((held) -> held.state().toLocalLease(now)).orElse(null);
	}

	/**
	 * The knowledge whether others want a lease of this client.
	 * @return {@code null} if this client has no such lease, or if it is never idle
	 */
	public @Nullable Recall recall(LeaseId lease) {
		// The answer with the grant may be underway. Once it has arrived, there is a
		// holder
		Optional<Recall> asked = this.queues.first(lease.key())
			.filter((first) -> first.attempt().id().equals(lease))
			.map(LocalWaiter::recall);
		return asked.or(() -> holders(lease).findFirst().map(HeldLock::recall)).orElse(null);
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
	 * Make all waiters give up, and those who {@link #joined join} later.
	 */
	public void stop() {
		this.queues.waiters().forEach(LocalWaiter::stop);
	}

	/**
	 * An attempt has joined. A stop before that has not seen it, so it gives up here.
	 */
	void joined(LocalWaiter waiter) {
		if (!this.running.getAsBoolean()) {
			waiter.stop();
		}
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
		if (!held.state().wasLeftIdle() && holders(held.key()).contains(held)) {
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
	 * Hand a lock to the first waiter in the queue, if the lock suits that waiter.
	 * @param from its holder that is done
	 * @param register is given the lock as the next holder has it, before that holder
	 * knows; must neither block nor call code of users
	 * @param passed is run after the hand-over, before the next holder goes on
	 * @return whether the lock has been handed over; otherwise it must be released
	 */
	public boolean pass(HeldLock from, ClockReading now, Consumer<HeldLock> register, Runnable passed) {
		for (LocalWaiter next = next(from, now); next != null; next = next(from, now)) {
			try {
				if (next.accept(from, now, register)) {
					passed.run();
					return true;
				}
			}
			finally {
				// A waiter that did not get the lock asks the store for it
				wake(next);
			}
		}
		return false;
	}

	private @Nullable LocalWaiter next(HeldLock from, ClockReading now) {
		return this.queues.successor(from.key(), from, (next) -> from.suits(next.attempt(), now));
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
		List<LockHolder> here = holders(key).stream()
			.filter((holder) -> !holder.state().wasLeftIdle())
			.map((holder) -> holder.toHolder(now))
			.toList();
		return (!here.isEmpty()) ? new LastAnswer(here, null)
				: this.queues.first(key).map(LocalWaiter::lastAnswer).orElse(waiter.lastAnswer());
	}

	/**
	 * Whether no attempt of this JVM is ahead.
	 */
	boolean isFirst(LocalWaiter waiter) {
		return this.queues.first(waiter.attempt().key()).filter((first) -> first == waiter).isPresent();
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
