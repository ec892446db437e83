package io.mongolock.core;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The queue of one key in this JVM. Decides whose turn it is to ask, which waiters may
 * ask beside the first, and which waiter follows a holder. Only touched inside an atomic
 * step of {@link LocalWaitQueues}.
 *
 * @param <W> the type of the waiters
 * @param <H> the type of the holders
 */
final class WaitQueue<W extends WaitQueue.Member, H extends WaitQueue.Member> {

	/** The waiters behind the one that asks. */
	private final Set<W> waiters = new LinkedHashSet<>();

	private final List<H> holders = new ArrayList<>(1);

	private @Nullable W asking;

	/** A holder that is done, and whose lease is kept for the next holder. */
	private @Nullable H idle;

	/** Whether that lease is about to be released. */
	private boolean ending;

	/** Whether the waiter that asks waits for that release. */
	private boolean heldUp;

	/** The waiters that ask although they are not the first. */
	private final Set<W> beside = new LinkedHashSet<>(0);

	void join(W waiter, List<W> next) {
		if (this.asking == null && this.waiters.isEmpty() && mayAsk(waiter)) {
			this.asking = waiter;
			next.add(waiter);
		}
		else {
			this.waiters.add(waiter);
		}
	}

	void joinOnce(W waiter, List<W> next) {
		if (this.asking != null && couldAdmitAll(waiter)) {
			this.beside.add(waiter);
			next.add(waiter);
		}
		else {
			join(waiter, next);
		}
	}

	void remove(W waiter) {
		if (this.asking == waiter) {
			this.asking = null;
			this.heldUp = false;
		}
		else if (!this.beside.remove(waiter)) {
			this.waiters.remove(waiter);
		}
	}

	void letNextAsk(List<W> next) {
		if (this.heldUp && this.idle == null && this.asking != null) {
			this.heldUp = false;
			next.add(this.asking);
			return;
		}
		if (this.asking != null || this.waiters.isEmpty()) {
			return;
		}
		W first = this.waiters.iterator().next();
		if (mayAsk(first)) {
			next.add(giveTurn(first));
		}
	}

	private W giveTurn(W first) {
		this.waiters.remove(first);
		this.asking = first;
		return first;
	}

	@Nullable W successor(H holder, Predicate<W> suits) {
		if (this.asking != null || this.waiters.isEmpty() || !this.holders.contains(holder)) {
			return null;
		}
		W first = this.waiters.iterator().next();
		return (suits.test(first)) ? giveTurn(first) : null;
	}

	private boolean mayAsk(W waiter) {
		return this.holders.isEmpty() || isAdmitted(waiter, this.holders.stream());
	}

	private boolean couldAdmitAll(W waiter) {
		return this.idle == null
				&& isAdmitted(waiter, Stream.of(this.holders, asking(), this.waiters).flatMap(Collection::stream));
	}

	private boolean isAdmitted(W waiter, Stream<? extends Member> ahead) {
		return AdmissionRule.of(waiter.limit(), ahead.mapToInt(Member::limit)).admits();
	}

	void addHolder(H holder) {
		this.holders.add(holder);
	}

	void removeHolder(H holder) {
		if (this.idle == holder) {
			this.idle = null;
			this.ending = false;
		}
		else {
			this.holders.remove(holder);
		}
	}

	/**
	 * A holder is done, and its lease is idle.
	 */
	void keepIdle(H holder) {
		if (this.holders.remove(holder)) {
			this.idle = holder;
		}
	}

	/**
	 * An idle lease is about to be released.
	 * @return whether the lease is there, and its release had not begun before
	 */
	boolean endIdle(H holder) {
		boolean ends = this.idle == holder && !this.ending;
		this.ending |= ends;
		return ends;
	}

	/**
	 * The waiter with the turn takes the idle lease, or waits until the lease is
	 * released.
	 * @param take makes the waiter hold the lock, or returns {@code null} if that is not
	 * allowed
	 * @return what happens to the idle lease, or {@code null} if there is none and the
	 * waiter must ask the store
	 */
	@Nullable IdleTurn<H> takeIdle(W waiter, Function<H, @Nullable H> take) {
		H idle = this.idle;
		if (idle == null || this.asking != waiter) {
			return null;
		}
		H taken = (this.ending) ? null : take.apply(idle);
		if (taken != null) {
			this.asking = null;
			this.idle = null;
			this.holders.add(taken);
			return new IdleTurn<>(idle, taken, false);
		}
		this.heldUp = true;
		return new IdleTurn<>(idle, null, endIdle(idle));
	}

	/**
	 * The present holders, in a new list.
	 */
	List<H> holders() {
		return List.copyOf(this.holders);
	}

	/**
	 * The present holders, and the last holder if its lease is idle.
	 */
	List<H> present() {
		List<H> present = new ArrayList<>(this.holders);
		if (this.idle != null) {
			present.add(this.idle);
		}
		return present;
	}

	/**
	 * How many wait, including waiters that ask.
	 */
	int waiting() {
		return ((this.asking != null) ? 1 : 0) + this.beside.size() + this.waiters.size();
	}

	/**
	 * All waiters.
	 */
	List<W> all() {
		List<W> all = asking();
		all.addAll(this.waiters);
		return all;
	}

	List<W> asking() {
		List<W> asking = new ArrayList<>(this.beside);
		if (this.asking != null) {
			asking.add(0, this.asking);
		}
		return asking;
	}

	boolean isEmpty() {
		return this.asking == null && this.beside.isEmpty() && this.waiters.isEmpty() && this.holders.isEmpty()
				&& this.idle == null;
	}

	/**
	 * The fate of an idle lease when a waiter has the turn.
	 *
	 * @param <H> the type of the holders
	 * @param idle the holder that is done
	 * @param taken the present holder, {@code null} if the lease must be released first
	 * @param ends whether the caller must release the lease, because its release had not
	 * begun before
	 */
	record IdleTurn<H>(H idle, @Nullable H taken, boolean ends) {

	}

	/**
	 * A waiter for a lock, or a holder of a lock.
	 */
	interface Member {

		/**
		 * How many may hold the lock at the same time, this member included.
		 */
		int limit();

	}

}
