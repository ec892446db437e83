package io.mongolock.faults.harness.register;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Searches an order of operations that respects their times and that the register
 * explains: whether a history is linearizable. All orders are followed at once, one
 * return after the other, and each {@link Point} once: so time and memory grow with the
 * operations that overlap, and not with the length of the history.
 * <p>
 * The search is that of J. M. Wing and C. Gong, "Testing and Verifying Concurrent
 * Objects" (1993), made to linearize just in time and to remember where it was by G.
 * Lowe, "Testing for linearizability" (2017), section 5. Not thread-safe.
 *
 * @param <S> what the register stands at
 */
final class Linearization<S> {

	/** More are no history of this product. */
	private static final int MAX_POINTS = 1_000_000;

	/** How many operations before a refused one are named. */
	private static final int NAMED = 12;

	private final List<Operation<S>> open = new ArrayList<>();

	private final List<Operation<S>> returned = new ArrayList<>();

	private Set<Point<S>> points;

	private Linearization(S initial) {
		this.points = Set.of(new Point<>(initial, Set.of()));
	}

	// Why no order explains all; null if one does. No two operations are equal
	static <S> @Nullable String refuse(S initial, Collection<? extends Operation<S>> operations) {
		Linearization<S> search = new Linearization<>(initial);
		List<Event<S>> events = operations.stream()
			.flatMap((operation) -> Stream.of(new Event<S>(operation, false), new Event<S>(operation, true)))
			.filter((event) -> event.nanos() != Operation.NEVER)
			.sorted(Comparator.<Event<S>>comparingLong(Event::nanos).thenComparing(Event::isReturn))
			.toList();
		for (Event<S> event : events) {
			if (!event.isReturn()) {
				search.open.add(event.operation());
			}
			else if (!search.returns(event.operation())) {
				return search.explain(event.operation());
			}
		}
		return null;
	}

	// Goes on where it has taken effect, or can do so after others that are underway
	private boolean returns(Operation<S> operation) {
		Set<Point<S>> next = new HashSet<>();
		Set<Point<S>> seen = new HashSet<>(this.points);
		Deque<Point<S>> ahead = new ArrayDeque<>(this.points);
		while (!ahead.isEmpty()) {
			Point<S> point = ahead.pop();
			if (point.done().contains(operation)) {
				next.add(point.without(operation));
				continue;
			}
			for (Operation<S> other : this.open) {
				Point<S> after = point.after(other);
				if (after != null && seen.add(after)) {
					ahead.push(after);
				}
			}
			if (seen.size() > MAX_POINTS) {
				throw new IllegalStateException("Too many orders to follow at " + operation);
			}
		}
		if (next.isEmpty()) {
			return false;
		}
		this.points = next;
		this.open.remove(operation);
		this.returned.add(operation);
		return true;
	}

	// Times are counted from its return
	private String explain(Operation<S> operation) {
		long zero = operation.returnedNanos();
		StringBuilder text = new StringBuilder("no order explains " + operation + ", where the register may stand at "
				+ this.points.stream().map(Point::state).distinct().limit(3).toList());
		this.returned.subList(Math.max(0, this.returned.size() - NAMED), this.returned.size())
			.forEach((earlier) -> text.append(line("after", earlier, zero)));
		this.open.stream()
			.filter((other) -> other != operation)
			.limit(NAMED)
			.forEach((other) -> text.append(line("beside", other, zero)));
		return text.append(line("refused", operation, zero)).toString();
	}

	private static String line(String how, Operation<?> operation, long zero) {
		return String
			.format(Locale.ROOT, "\n    %-8s %+9.3f s to %s  %s", how, seconds(operation.calledNanos(), zero),
					(operation.returnedNanos() == Operation.NEVER) ? "no answer  "
							: String.format(Locale.ROOT, "%+9.3f s", seconds(operation.returnedNanos(), zero)),
					operation);
	}

	private static double seconds(long nanos, long zero) {
		return (nanos - zero) / 1e9;
	}

	/**
	 * What the register may stand at, and which of the operations that have not returned
	 * have taken effect before.
	 */
	private record Point<S>(S state, Set<Operation<S>> done) {

		@Nullable Point<S> after(Operation<S> operation) {
			S next = (this.done.contains(operation)) ? null : operation.apply(this.state);
			if (next == null) {
				return null;
			}
			Set<Operation<S>> done = new HashSet<>(this.done);
			done.add(operation);
			return new Point<>(next, done);
		}

		Point<S> without(Operation<S> operation) {
			Set<Operation<S>> done = new HashSet<>(this.done);
			done.remove(operation);
			return new Point<>(this.state, done);
		}

	}

	private record Event<S>(Operation<S> operation, boolean isReturn) {

		long nanos() {
			return (this.isReturn) ? this.operation.returnedNanos() : this.operation.calledNanos();
		}

	}

}
