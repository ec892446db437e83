package io.mongolock.core;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * The lines of those who wait in this JVM, one per key, first come first served: only the
 * first in line may ask the store, and none while holders in this JVM would make the
 * store refuse. Thread-safe: a line is only touched inside an atomic step of the map on
 * its key.
 *
 * @param <W> who waits
 * @param <H> who holds
 */
public final class LocalWaitQueues<W extends LocalWaitQueues.Member, H extends LocalWaitQueues.Member> {

	private final Map<String, Line<W, H>> lines = new ConcurrentHashMap<>();

	/**
	 * Stand in line.
	 * @param key the key
	 * @param waiter who waits
	 * @return whether it may ask at once; if not, it is returned by a later call to one
	 * of the other methods when it may
	 */
	public boolean join(String key, W waiter) {
		List<W> next = new ArrayList<>(1);
		this.lines.compute(key, (same, present) -> {
			Line<W, H> line = (present != null) ? present : new Line<>();
			line.waiters.add(waiter);
			line.letNextAsk(next);
			return line;
		});
		return !next.isEmpty();
	}

	/**
	 * Leave the line as a holder.
	 * @param key the key
	 * @param waiter who waited
	 * @param holder who holds now
	 * @return who may ask next, if anyone
	 */
	public @Nullable W granted(String key, W waiter, H holder) {
		return change(key, (line) -> {
			line.remove(waiter);
			line.holders.add(holder);
		});
	}

	/**
	 * Leave the line without the lock.
	 * @param key the key
	 * @param waiter who waited
	 * @return who may ask next, if anyone
	 */
	public @Nullable W left(String key, W waiter) {
		return change(key, (line) -> line.remove(waiter));
	}

	/**
	 * Hold the lock no longer. May be called again.
	 * @param key the key
	 * @param holder who held it
	 * @return who may ask next, if anyone
	 */
	public @Nullable W released(String key, H holder) {
		return change(key, (line) -> line.holders.remove(holder));
	}

	/**
	 * Who holds the lock in this JVM.
	 * @param key the key
	 * @return the holders
	 */
	public List<H> holders(String key) {
		List<H> holders = new ArrayList<>();
		look(key, (line) -> holders.addAll(line.holders));
		return holders;
	}

	/**
	 * Who asks the store.
	 * @param key the key
	 * @return the first in line, if it may ask
	 */
	public Optional<W> asking(String key) {
		List<W> asking = new ArrayList<>(1);
		look(key, (line) -> {
			if (line.asking != null) {
				asking.add(line.asking);
			}
		});
		return asking.stream().findFirst();
	}

	/**
	 * Everybody who waits.
	 * @return the waiters of all lines
	 */
	public List<W> waiters() {
		List<W> waiters = new ArrayList<>();
		this.lines.keySet().forEach((key) -> look(key, (line) -> waiters.addAll(line.waiters)));
		return waiters;
	}

	private void look(String key, Consumer<Line<W, H>> look) {
		this.lines.computeIfPresent(key, (same, line) -> {
			look.accept(line);
			return line;
		});
	}

	private @Nullable W change(String key, Consumer<Line<W, H>> change) {
		List<W> next = new ArrayList<>(1);
		this.lines.computeIfPresent(key, (same, line) -> {
			change.accept(line);
			line.letNextAsk(next);
			return (line.waiters.isEmpty() && line.holders.isEmpty()) ? null : line;
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

	private static final class Line<W extends Member, H extends Member> {

		private final Deque<W> waiters = new ArrayDeque<>();

		private final List<H> holders = new ArrayList<>(1);

		private @Nullable W asking;

		private void remove(W waiter) {
			this.waiters.remove(waiter);
			if (this.asking == waiter) {
				this.asking = null;
			}
		}

		private void letNextAsk(List<W> next) {
			// The rule by which the store admits, applied to those of this JVM
			W first = this.waiters.peek();
			if (this.asking != null || first == null) {
				return;
			}
			int limit = first.limit();
			for (H holder : this.holders) {
				limit = Math.min(limit, holder.limit());
			}
			if (this.holders.size() < limit) {
				this.asking = first;
				next.add(first);
			}
		}

	}

}
