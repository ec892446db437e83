package io.mongolock.core;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The queues of those who wait in this JVM, one per key, first come first served: only
 * the first may ask the store, and none while holders in this JVM would make the store
 * refuse. Who does not wait asks at once where the store could admit it and all ahead of
 * it. A holder may have the first take its place. Joining to wait and leaving take the
 * same time however long the queue is. Thread-safe: a queue is only touched inside an
 * atomic step of the map on its key.
 *
 * @param <W> who waits; equal only to itself
 * @param <H> who holds
 */
public final class LocalWaitQueues<W extends LocalWaitQueues.Member, H extends LocalWaitQueues.Member> {

	private final Map<String, Queue<W, H>> queues;

	public LocalWaitQueues() {
		this(new ConcurrentHashMap<>());
	}

	/**
	 * Create the queues of a map.
	 * @param queues empty, thread-safe, with atomic steps on a key
	 */
	LocalWaitQueues(Map<String, Queue<W, H>> queues) {
		this.queues = queues;
	}

	/**
	 * Join the queue.
	 * @param key the key
	 * @param waiter who waits
	 * @return whether it may ask at once; if not, it is returned by a later call to one
	 * of the other methods when it may
	 */
	public boolean join(String key, W waiter) {
		List<W> next = new ArrayList<>(1);
		this.queues.compute(key, (same, present) -> {
			Queue<W, H> queue = (present != null) ? present : new Queue<>();
			queue.join(waiter, next);
			return queue;
		});
		return !next.isEmpty();
	}

	/**
	 * Join the queue without the time to wait in it. Where all ahead could be admitted
	 * and this one as well, it may ask beside them: it takes nothing from anybody.
	 * @param key the key
	 * @param waiter who asks once
	 * @return whether it may ask at once
	 */
	public boolean joinOnce(String key, W waiter) {
		List<W> next = new ArrayList<>(1);
		this.queues.compute(key, (same, present) -> {
			Queue<W, H> queue = (present != null) ? present : new Queue<>();
			queue.joinOnce(waiter, next);
			return queue;
		});
		return !next.isEmpty();
	}

	/**
	 * Leave the queue as a holder.
	 * @param key the key
	 * @param waiter who waited
	 * @param holder who holds now
	 * @return who may ask next, if anyone
	 */
	public @Nullable W granted(String key, W waiter, H holder) {
		return change(key, (queue) -> {
			queue.remove(waiter);
			queue.holders.add(holder);
		});
	}

	/**
	 * Leave the queue without the lock.
	 * @param key the key
	 * @param waiter who waited
	 * @return who may ask next, if anyone
	 */
	public @Nullable W left(String key, W waiter) {
		return change(key, (queue) -> queue.remove(waiter));
	}

	/**
	 * Hold the lock no longer. May be called again.
	 * @param key the key
	 * @param holder who held it
	 * @return who may ask next, if anyone
	 */
	public @Nullable W released(String key, H holder) {
		return change(key, (queue) -> queue.holders.remove(holder));
	}

	/**
	 * Whom a holder may hand the lock to instead of releasing it. It has the turn to ask
	 * from then on, in case it does not get it.
	 * @param key the key
	 * @param holder who holds it
	 * @param suits whether the lock suits the waiter; must not block
	 * @return the first in the queue if it suits and nobody asks, else {@code null}
	 */
	public @Nullable W successor(String key, H holder, Predicate<W> suits) {
		List<W> next = new ArrayList<>(1);
		look(key, (queue) -> queue.addSuccessorTo(next, holder, suits));
		return (next.isEmpty()) ? null : next.get(0);
	}

	/**
	 * Leave the queue as the holder in place of another.
	 * @param key the key
	 * @param from who held the lock
	 * @param waiter who waited
	 * @param to who holds it now
	 * @return who may ask next, if anyone
	 */
	public @Nullable W handedOver(String key, H from, W waiter, H to) {
		return change(key, (queue) -> {
			queue.remove(waiter);
			queue.holders.remove(from);
			queue.holders.add(to);
		});
	}

	/**
	 * Who holds the lock in this JVM.
	 * @param key the key
	 * @return the holders
	 */
	public List<H> holders(String key) {
		List<H> holders = new ArrayList<>();
		look(key, (queue) -> holders.addAll(queue.holders));
		return holders;
	}

	/**
	 * Who asks the store.
	 * @param key the key
	 * @return the first in the queue, if it may ask
	 */
	public Optional<W> asking(String key) {
		List<W> asking = new ArrayList<>(1);
		look(key, (queue) -> queue.addAskingTo(asking));
		return asking.stream().findFirst();
	}

	/**
	 * Everybody who waits.
	 * @return the waiters of all queues, those who ask among them
	 */
	public List<W> waiters() {
		List<W> waiters = new ArrayList<>();
		this.queues.keySet().forEach((key) -> look(key, (queue) -> {
			queue.addAskingTo(waiters);
			waiters.addAll(queue.waiters);
		}));
		return waiters;
	}

	private void look(String key, Consumer<Queue<W, H>> look) {
		this.queues.computeIfPresent(key, (same, queue) -> {
			look.accept(queue);
			return queue;
		});
	}

	private @Nullable W change(String key, Consumer<Queue<W, H>> change) {
		List<W> next = new ArrayList<>(1);
		this.queues.computeIfPresent(key, (same, queue) -> {
			change.accept(queue);
			queue.letNextAsk(next);
			return (queue.isEmpty()) ? null : queue;
		});
		return (next.isEmpty()) ? null : next.get(0);
	}

	/**
	 * Somebody who waits for or holds a lock.
	 */
	public interface Member {

		/**
		 * How many may hold the lock together with this one.
		 * @return the limit
		 */
		int limit();

	}

	/**
	 * The queue of one key.
	 *
	 * @param <W> who waits
	 * @param <H> who holds
	 */
	static final class Queue<W extends Member, H extends Member> {

		/** Those behind the one who asks. */
		private final Set<W> waiters = new LinkedHashSet<>();

		private final List<H> holders = new ArrayList<>(1);

		private @Nullable W asking;

		/** Those who ask although they are not the first. */
		private final Set<W> beside = new LinkedHashSet<>(0);

		private void join(W waiter, List<W> next) {
			if (this.asking == null && this.waiters.isEmpty() && mayAsk(waiter)) {
				this.asking = waiter;
				next.add(waiter);
			}
			else {
				this.waiters.add(waiter);
			}
		}

		private void joinOnce(W waiter, List<W> next) {
			if (this.asking != null && couldAdmitAll(waiter)) {
				this.beside.add(waiter);
				next.add(waiter);
			}
			else {
				join(waiter, next);
			}
		}

		private void remove(W waiter) {
			if (this.asking == waiter) {
				this.asking = null;
			}
			else if (!this.beside.remove(waiter)) {
				this.waiters.remove(waiter);
			}
		}

		private void letNextAsk(List<W> next) {
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

		private void addSuccessorTo(List<W> next, H holder, Predicate<W> suits) {
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

		private void addAskingTo(List<W> members) {
			members.addAll(asking());
		}

		private List<W> asking() {
			List<W> asking = new ArrayList<>(this.beside);
			if (this.asking != null) {
				asking.add(0, this.asking);
			}
			return asking;
		}

		private boolean isEmpty() {
			return this.asking == null && this.beside.isEmpty() && this.waiters.isEmpty() && this.holders.isEmpty();
		}

	}

}
