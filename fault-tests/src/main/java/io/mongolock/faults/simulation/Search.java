package io.mongolock.faults.simulation;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

import org.jspecify.annotations.Nullable;

import io.mongolock.faults.simulation.Choices.Unusual;

/**
 * All histories of a scope that differ from the usual one, in which nothing goes wrong,
 * by so many choices at most; on all processors. They are replayed from their choices,
 * not remembered.
 */
final class Search {

	private final Scope scope;

	private final int depth;

	private final LongAdder histories = new LongAdder();

	private final AtomicReference<@Nullable List<Unusual>> broken = new AtomicReference<>();

	private long nanos;

	private Search(Scope scope, int depth) {
		this.scope = scope;
		this.depth = depth;
	}

	@SuppressWarnings("try") // closing is what the resource is for
	static Search of(Scope scope, int depth) {
		Search search = new Search(scope, depth);
		long begun = System.nanoTime();
		try (Silence silence = new Silence()) {
			// Those with few unusual choices first: a reader wants the shortest
			for (int exactly = 0; exactly <= depth && search.broken.get() == null; exactly++) {
				search.from(List.of(), exactly);
			}
		}
		search.nanos = System.nanoTime() - begun;
		return search;
	}

	private void from(List<Unusual> unusual, int more) {
		if (this.broken.get() != null) {
			return;
		}
		Choices choices = new Choices(unusual);
		try {
			SearchedHistory.run(this.scope, choices, new Trace(false));
		}
		catch (RuntimeException | Error ex) {
			this.broken.compareAndSet(null, unusual);
			return;
		}
		if (more > 0) {
			choices.next().parallelStream().forEach((next) -> from(next, more - 1));
		}
		else {
			this.histories.increment();
		}
	}

	/**
	 * The choices of a history that broke a promise, if any did.
	 */
	@Nullable List<Unusual> broken() {
		return this.broken.get();
	}

	String toLine() {
		return String.format(Locale.ROOT, "Search of %s: all %d histories with at most %d unusual choices in %.1f s",
				this.scope, this.histories.sum(), this.depth, this.nanos / 1e9);
	}

}
