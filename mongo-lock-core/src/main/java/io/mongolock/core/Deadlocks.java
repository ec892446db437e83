package io.mongolock.core;

import java.util.HashSet;
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

	private final Set<Deadlock> known = new HashSet<>();

	/**
	 * A look was taken.
	 * @param own the waiters of this client
	 * @param now what it saw
	 * @return what is known from now on, and was not before; a look that misses it
	 * changes nothing of that
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
	 * Whether the next look is to say whether there is a deadlock.
	 */
	public boolean isSuspected() {
		return !this.known.containsAll(this.seen);
	}

}
