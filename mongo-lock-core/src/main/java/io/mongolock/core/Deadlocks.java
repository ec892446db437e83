package io.mongolock.core;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

import io.mongolock.store.LeaseId;

/**
 * The deadlocks of the waiters of a client: what two looks in a row saw alike. One look
 * may put together what was never true at the same time, as it reads one lock after the
 * other; what the next one sees again was true all the time between them. Belongs to the
 * one who looks.
 */
public final class Deadlocks {

	private Set<Deadlock> seen = Set.of();

	private Set<Deadlock> known = Set.of();

	/**
	 * A look was taken.
	 * @param now what it saw
	 * @return what is known from now on, and was not before
	 */
	public Set<Deadlock> looked(Set<Deadlock> now) {
		Set<Deadlock> news = new HashSet<>(now);
		news.retainAll(this.seen);
		Set<Deadlock> before = this.known;
		this.known = Set.copyOf(news);
		this.seen = Set.copyOf(now);
		news.removeAll(before);
		return news;
	}

	/**
	 * The deadlock of a waiter.
	 * @return what two looks saw alike, if they did
	 */
	public Optional<Deadlock> of(LeaseId waiter) {
		return this.known.stream().filter((deadlock) -> deadlock.has(waiter)).findFirst();
	}

	/**
	 * Whether the next look is to say whether a waiter is in a deadlock.
	 */
	public boolean isSuspected(LeaseId waiter) {
		return of(waiter).isEmpty() && this.seen.stream().anyMatch((deadlock) -> deadlock.has(waiter));
	}

}
