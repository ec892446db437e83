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

import io.mongolock.core.WaitQueue.IdleTurn;

/**
 * The queues of those who wait in this JVM, one per key, first come first served: only
 * the first may ask the store, and none while holders in this JVM would make the store
 * refuse. An attempt that does not wait asks at once where the store could admit it and
 * all ahead of it. A holder may have the first take its place. Joining to wait and
 * leaving take the same time however long the queue is. Thread-safe: a queue is only
 * touched inside an atomic step of the map on its key.
 *
 * @param <W> who waits; equal only to itself
 * @param <H> who holds
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
	 * @return whether it may ask at once; if not, it is returned by a later call to one
	 * of the other methods when it may
	 */
	boolean join(String key, W waiter) {
		return enter(key, (queue, next) -> queue.join(waiter, next));
	}

	/**
	 * Join the queue without the time to wait in it. Where all ahead could be admitted
	 * and this one as well, it may ask beside them: it takes nothing from anybody.
	 * @param waiter who asks once
	 * @return whether it may ask at once
	 */
	boolean joinOnce(String key, W waiter) {
		return enter(key, (queue, next) -> queue.joinOnce(waiter, next));
	}

	/**
	 * Leave the queue as a holder.
	 * @return who may ask next, if anyone
	 */
	@Nullable W granted(String key, W waiter, H holder) {
		return change(key, (queue) -> {
			queue.remove(waiter);
			queue.addHolder(holder);
		});
	}

	/**
	 * Leave the queue without the lock.
	 * @return who may ask next, if anyone
	 */
	@Nullable W left(String key, W waiter) {
		return change(key, (queue) -> queue.remove(waiter));
	}

	/**
	 * Hold the lock no longer. May be called again.
	 * @return who may ask next, if anyone
	 */
	@Nullable W released(String key, H holder) {
		return change(key, (queue) -> queue.removeHolder(holder));
	}

	/**
	 * Whom a holder may hand the lock to instead of releasing it. It has the turn to ask
	 * from then on, in case it does not get it.
	 * @param suits whether the lock suits the waiter; must not block
	 * @return the first in the queue if it suits and nobody asks, else {@code null}
	 */
	@Nullable W successor(String key, H holder, Predicate<W> suits) {
		return visit(key, (queue) -> queue.successor(holder, suits));
	}

	/**
	 * Leave the queue as the holder in place of another.
	 * @return who may ask next, if anyone
	 */
	@Nullable W handedOver(String key, H from, W waiter, H to) {
		return change(key, (queue) -> {
			queue.remove(waiter);
			queue.removeHolder(from);
			queue.addHolder(to);
		});
	}

	/**
	 * A holder is done, and its lease is idle: the next one may take it.
	 * @param kept is run before anybody can; must not block
	 * @return whose turn it is, if anyone came meanwhile
	 */
	@Nullable W keepIdle(String key, H holder, Runnable kept) {
		return change(key, (queue) -> {
			queue.keepIdle(holder);
			kept.run();
		});
	}

	/**
	 * An idle lease is about to be released, upon which {@link #released} follows.
	 * @param ended is run before anybody else knows; must not block
	 * @return whether it is there, and nobody has it released yet
	 */
	boolean endIdle(String key, H holder, Runnable ended) {
		return Boolean.TRUE.equals(visit(key, (queue) -> {
			boolean ends = queue.endIdle(holder);
			if (ends) {
				ended.run();
			}
			return ends;
		}));
	}

	/**
	 * The one that has the turn takes the lease that is idle, or waits until it is
	 * released.
	 * @param take has the waiter hold it, or returns {@code null} if it must not; must
	 * not block
	 * @param gone is run if it is idle no longer; must not block
	 * @return what becomes of the idle lease, or {@code null} if there is none, so that
	 * the waiter is to ask
	 */
	@Nullable IdleTurn<H> takeIdle(String key, W waiter, Function<H, @Nullable H> take, Consumer<IdleTurn<H>> gone) {
		return visit(key, (queue) -> {
			IdleTurn<H> turn = queue.takeIdle(waiter, take);
			if (turn != null && (turn.taken() != null || turn.ends())) {
				gone.accept(turn);
			}
			return turn;
		});
	}

	/**
	 * The holders of the lock in this JVM.
	 */
	List<H> holders(String key) {
		return Objects.requireNonNullElse(visit(key, WaitQueue::holders), List.of());
	}

	/**
	 * The holders of the lock in this JVM, or the last one, if its lease is idle.
	 */
	List<H> present(String key) {
		return Objects.requireNonNullElse(visit(key, WaitQueue::present), List.of());
	}

	/**
	 * The one that asks the store.
	 * @return the first in the queue, if it may ask
	 */
	Optional<W> asking(String key) {
		return Optional.ofNullable(visit(key, (queue) -> queue.asking().stream().findFirst().orElse(null)));
	}

	/**
	 * Everybody who waits.
	 * @return the waiters of all queues, those who ask among them
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
		// Nothing is created once the visitor has changed something: that may fail
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
