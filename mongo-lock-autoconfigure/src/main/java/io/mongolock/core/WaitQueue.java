package io.mongolock.core;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The queue of one key in this JVM: who holds the lock, who asks for it, and who waits
 * behind. Only touched inside an atomic step of {@link LocalWaitQueues}.
 *
 * @param <W> who waits
 * @param <H> who holds
 */
final class WaitQueue<W extends WaitQueue.Member, H extends WaitQueue.Member> {

	/** Those behind the one who asks. */
	private final Set<W> waiters = new LinkedHashSet<>();

	private final List<H> holders = new ArrayList<>(1);

	private @Nullable W asking;

	/** Those who ask although they are not the first. */
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
		}
		else if (!this.beside.remove(waiter)) {
			this.waiters.remove(waiter);
		}
	}

	void letNextAsk(List<W> next) {
		if (this.asking != null || this.waiters.isEmpty()) {
			return;
		}
		W first = this.waiters.iterator().next();
		if (mayAsk(first)) {
			giveTurn(first, next);
		}
	}

	private void giveTurn(W first, List<W> next) {
		this.waiters.remove(first);
		this.asking = first;
		next.add(first);
	}

	void addSuccessorTo(List<W> next, H holder, Predicate<W> suits) {
		if (this.asking != null || this.waiters.isEmpty() || !this.holders.contains(holder)) {
			return;
		}
		W first = this.waiters.iterator().next();
		if (suits.test(first)) {
			giveTurn(first, next);
		}
	}

	// The rule by which the store admits, applied to those of this JVM
	private boolean mayAsk(W waiter) {
		int limit = waiter.limit();
		for (H holder : this.holders) {
			limit = Math.min(limit, holder.limit());
		}
		return this.holders.size() < limit;
	}

	private boolean couldAdmitAll(W waiter) {
		Stream<Member> ahead = Stream.of(this.holders, asking(), this.waiters).flatMap(Collection::stream);
		int number = this.holders.size() + asking().size() + this.waiters.size();
		return number < waiter.limit() && ahead.allMatch((one) -> number < one.limit());
	}

	void addHolder(H holder) {
		this.holders.add(holder);
	}

	void removeHolder(H holder) {
		this.holders.remove(holder);
	}

	List<H> holders() {
		return this.holders;
	}

	/**
	 * How many wait, those who ask among them.
	 */
	int waiting() {
		return ((this.asking != null) ? 1 : 0) + this.beside.size() + this.waiters.size();
	}

	/**
	 * Everybody who waits.
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
		return this.asking == null && this.beside.isEmpty() && this.waiters.isEmpty() && this.holders.isEmpty();
	}

	/**
	 * Somebody who waits for or holds a lock.
	 */
	interface Member {

		/**
		 * How many may hold the lock together with this one.
		 */
		int limit();

	}

}
