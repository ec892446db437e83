package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

import org.jspecify.annotations.Nullable;

import io.mongolock.faults.simulation.Choices.Unusual;

/**
 * All histories of a scope that differ from the usual one, in which nothing goes wrong,
 * by so many choices at most, unless the time is over before; on all processors. They are
 * replayed from their choices, not remembered. Of those that break a promise it finds the
 * same one in each run: one with the fewest unusual choices, and of these the first.
 */
final class Search {

	private final Scope scope;

	private final int depth;

	private final long until;

	private final LongAdder histories = new LongAdder();

	private final AtomicReference<@Nullable List<Unusual>> broken = new AtomicReference<>();

	private volatile boolean complete = true;

	private long nanos;

	private Search(Scope scope, int depth, Duration most) {
		this.scope = scope;
		this.depth = depth;
		this.until = System.nanoTime() + most.toNanos();
	}

	@SuppressWarnings("try") // closing is what the resource is for
	static Search of(Scope scope, int depth, Duration most) {
		Search search = new Search(scope, depth, most);
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
		if (isAfterBroken(unusual) || isOver()) {
			return;
		}
		Choices choices = new Choices(unusual);
		try {
			SearchedHistory.run(this.scope, choices, new Trace(false));
		}
		catch (RuntimeException | Error ex) {
			this.broken.accumulateAndGet(unusual,
					(known, found) -> (known == null || Unusual.compare(found, Objects.requireNonNull(known)) < 0)
							? found : known);
			return;
		}
		if (more > 0) {
			choices.next().parallelStream().forEach((next) -> from(next, more - 1));
		}
		else {
			this.histories.increment();
		}
	}

	private boolean isAfterBroken(List<Unusual> unusual) {
		List<Unusual> broken = this.broken.get();
		return broken != null && Unusual.compare(unusual, broken) > 0;
	}

	private boolean isOver() {
		boolean over = System.nanoTime() - this.until > 0;
		if (over) {
			this.complete = false;
		}
		return over;
	}

	/**
	 * The choices of a history that broke a promise, if any did.
	 */
	@Nullable List<Unusual> broken() {
		return this.broken.get();
	}

	String toLine() {
		return String.format(Locale.ROOT, "Search of %s: %s %d histories with at most %d unusual choices in %.1f s",
				this.scope, (this.complete) ? "all" : "only the first", this.histories.sum(), this.depth,
				this.nanos / 1e9);
	}

}
