package io.mongolock.core;

import java.util.HashSet;
import java.util.Set;

import io.mongolock.store.LeaseId;

/**
 * The deadlocks of the waiters of a client that two looks in a row have seen. A look
 * reads one lock after the other, so it may combine states that did not exist at the same
 * time. A deadlock that the next look sees again existed all the time between the two
 * looks. Belongs to the caller that looks.
 */
public final class Deadlocks {

	private Set<Deadlock> seen = Set.of();

	private final Set<Deadlock> known = new HashSet<>();

	/**
	 * A look was taken.
	 * @param own the waiters of this client
	 * @param now the deadlocks that the look saw
	 * @return the deadlocks that are known from now on, and were not before. A later look
	 * that misses one of them changes nothing
	 */
	public Set<Deadlock> looked(Set<LeaseId> own, Set<Deadlock> now) {
		this.known.removeIf((deadlock) -> own.stream().noneMatch(deadlock::has));
		Set<Deadlock> news = new HashSet<>(now);
		news.retainAll(this.seen);
		news.removeAll(this.known);
		this.known.addAll(news);
		this.seen = Set.copyOf(now);
		return news;
	}

	/**
	 * Whether the next look has to confirm a deadlock.
	 */
	public boolean isSuspected() {
		return !this.known.containsAll(this.seen);
	}

}
