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
		return isAdmitted(waiter, Stream.of(this.holders, asking(), this.waiters).flatMap(Collection::stream));
	}

	private boolean isAdmitted(W waiter, Stream<? extends Member> ahead) {
		return AdmissionRule.of(waiter.limit(), ahead.mapToInt(Member::limit)).admits();
	}

	void addHolder(H holder) {
		this.holders.add(holder);
	}

	void removeHolder(H holder) {
		this.holders.remove(holder);
	}

	/**
	 * The holders, in a new list.
	 */
	List<H> holders() {
		return List.copyOf(this.holders);
	}

	/**
	 * How many wait, including waiters that ask.
	 */
	int waiting() {
		return ((this.asking != null) ? 1 : 0) + this.beside.size() + this.waiters.size();
	}

	@Nullable W first() {
		return Stream.of(asking(), this.waiters).flatMap(Collection::stream).findFirst().orElse(null);
	}

	/**
	 * All waiters.
	 */
	List<W> all() {
		List<W> all = asking();
		all.addAll(this.waiters);
		return all;
	}

	private List<W> asking() {
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
	 * A waiter for a lock, or a holder of a lock.
	 */
	interface Member {

		/**
		 * How many may hold the lock at the same time, this member included.
		 */
		int limit();

	}

}
