package io.mongolock.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * The queues of the waiters in this JVM, one per key, first come, first served. Only the
 * first waiter may ask the store, and not while holders in this JVM would make the store
 * deny the claim. An attempt that does not wait asks at once if the store could admit it
 * and all waiters ahead of it. A holder can hand its lock over to the first waiter.
 * Joining to wait and leaving take the same time however long the queue is. Thread-safe:
 * a queue is only touched inside an atomic step of the map on its key.
 *
 * @param <W> the type of the waiters; a waiter is equal only to itself
 * @param <H> the type of the holders
 */
final class LocalWaitQueues<W extends WaitQueue.Member, H extends WaitQueue.Member> {

	private final Map<String, WaitQueue<W, H>> queues;

	LocalWaitQueues() {
		this(new ConcurrentHashMap<>());
	}

	/**
	 * Create the queues of a map.
	 * @param queues empty, thread-safe, with atomic steps on a key
	 */
	LocalWaitQueues(Map<String, WaitQueue<W, H>> queues) {
		this.queues = queues;
	}

	/**
	 * Join the queue.
	 * @return whether the waiter may ask at once. If not, a later call to one of the
	 * other methods returns the waiter when it may
	 */
	boolean join(String key, W waiter) {
		return enter(key, (queue, next) -> queue.join(waiter, next));
	}

	/**
	 * Join the queue without time to wait in it. If the store could admit this waiter and
	 * all waiters ahead, it may ask beside them, because it takes nothing from them.
	 * @param waiter a waiter that asks only once
	 * @return whether it may ask at once
	 */
	boolean joinOnce(String key, W waiter) {
		return enter(key, (queue, next) -> queue.joinOnce(waiter, next));
	}

	/**
	 * Leave the queue as a holder.
	 * @return the waiter that may ask next, {@code null} if there is none
	 */
	@Nullable W granted(String key, W waiter, H holder) {
		return change(key, (queue) -> {
			queue.remove(waiter);
			queue.addHolder(holder);
		});
	}

	/**
	 * Leave the queue without the lock.
	 * @return the waiter that may ask next, {@code null} if there is none
	 */
	@Nullable W left(String key, W waiter) {
		return change(key, (queue) -> queue.remove(waiter));
	}

	/**
	 * A holder no longer holds the lock. May be called again.
	 * @return the waiter that may ask next, {@code null} if there is none
	 */
	@Nullable W released(String key, H holder) {
		return change(key, (queue) -> queue.removeHolder(holder));
	}

	/**
	 * The waiter to which a holder can hand the lock instead of releasing it. From then
	 * on that waiter has the turn to ask, in case it does not get the lock.
	 * @param suits whether the lock suits the waiter; must not block
	 * @return the first in the queue if it suits and nobody asks, else {@code null}
	 */
	@Nullable W successor(String key, H holder, Predicate<W> suits) {
		return visit(key, (queue) -> queue.successor(holder, suits));
	}

	/**
	 * Leave the queue and become the holder in place of another.
	 * @return the waiter that may ask next, {@code null} if there is none
	 */
	@Nullable W handedOver(String key, H from, W waiter, H to) {
		return change(key, (queue) -> {
			queue.remove(waiter);
			queue.removeHolder(from);
			queue.addHolder(to);
		});
	}

	/**
	 * The holders of the lock in this JVM.
	 */
	List<H> holders(String key) {
		return Objects.requireNonNullElse(visit(key, WaitQueue::holders), List.of());
	}

	/**
	 * The first in the queue, which asks the store unless a holder is in the way.
	 */
	Optional<W> first(String key) {
		return Optional.ofNullable(visit(key, WaitQueue::first));
	}

	/**
	 * The holders of all locks in this JVM.
	 */
	List<H> holders() {
		List<H> holders = new ArrayList<>();
		this.queues.keySet().forEach((key) -> holders.addAll(holders(key)));
		return holders;
	}

	/**
	 * All waiters.
	 * @return the waiters of all queues, including waiters that ask
	 */
	List<W> waiters() {
		List<W> waiters = new ArrayList<>();
		this.queues.keySet().forEach((key) -> visit(key, (queue) -> waiters.addAll(queue.all())));
		return waiters;
	}

	/**
	 * How many wait for a lock.
	 */
	int waiting(String key) {
		return Objects.requireNonNullElse(visit(key, WaitQueue::waiting), 0);
	}

	/**
	 * How many wait for any lock.
	 */
	int waiting() {
		return this.queues.keySet().stream().mapToInt(this::waiting).sum();
	}

	private boolean enter(String key, BiConsumer<WaitQueue<W, H>, List<W>> entry) {
		List<W> next = new ArrayList<>(1);
		this.queues.compute(key, (same, present) -> {
			WaitQueue<W, H> queue = (present != null) ? present : new WaitQueue<>();
			entry.accept(queue, next);
			return queue;
		});
		return !next.isEmpty();
	}

	private <R> @Nullable R visit(String key, Function<WaitQueue<W, H>, @Nullable R> visitor) {
		List<@Nullable R> result = new ArrayList<>(1);
		this.queues.computeIfPresent(key, (same, queue) -> {
			result.add(visitor.apply(queue));
			return queue;
		});
		// Creates no object after the visitor has changed something, because that may
		// fail
		return (result.isEmpty()) ? null : result.get(0);
	}

	private @Nullable W change(String key, Consumer<WaitQueue<W, H>> change) {
		List<W> next = new ArrayList<>(1);
		this.queues.computeIfPresent(key, (same, queue) -> {
			change.accept(queue);
			queue.letNextAsk(next);
			return (queue.isEmpty()) ? null : queue;
		});
		return (next.isEmpty()) ? null : next.get(0);
	}

}
