package io.mongolock.test;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockContext;
import io.mongolock.LockRequest;
import io.mongolock.OnUnavailable;
import io.mongolock.event.LockInstrumentation;

/**
 * Records which locks were taken inside of others, and where each case was first seen.
 * Thread-safe.
 */
final class LockNestings implements LockInstrumentation {

	private final Map<String, String> names = new ConcurrentHashMap<>();

	private final Map<Nesting, Throwable> seen = new ConcurrentHashMap<>();

	@Override
	public void attempting(Object attempt, LockRequest request) {
		this.names.put(request.key(), Objects.requireNonNullElse(request.name(), request.key()));
		if (waits(request)) {
			LockContext.find((outer) -> {
				taken(outer.key(), request.key());
				return false;
			});
		}
	}

	private static boolean waits(LockRequest request) {
		Duration wait = request.settings().waitTimeout();
		return (wait != null) ? !wait.isZero() : request.onUnavailable() != OnUnavailable.SKIP;
	}

	private void taken(String outer, String inner) {
		this.seen.computeIfAbsent(nesting(outer, inner),
				(added) -> new Throwable("Lock '" + inner + "' inside of lock '" + outer + "'"));
	}

	private Nesting nesting(String outer, String inner) {
		String outerName = this.names.getOrDefault(outer, outer);
		String innerName = this.names.getOrDefault(inner, inner);
		if (!outerName.equals(innerName)) {
			return new Nesting("'" + outerName + "'", "'" + innerName + "'");
		}
		String lower = "a lower key of '" + innerName + "'";
		String higher = "a higher key of '" + innerName + "'";
		return (outer.compareTo(inner) < 0) ? new Nesting(lower, higher) : new Nesting(higher, lower);
	}

	void assertConsistent() {
		Map<Nesting, Throwable> all = new TreeMap<>(this.seen);
		for (Nesting nesting : all.keySet()) {
			List<Nesting> back = path(nesting.inner(), nesting.outer(), all.keySet(), new HashSet<>());
			if (back != null) {
				List<Nesting> circle = Stream.concat(Stream.of(nesting), back.stream()).toList();
				AssertionError error = new AssertionError(
						"Callers can wait for each other for ever, because these locks are taken in opposite orders: "
								+ circle.stream()
									.map((one) -> one.inner() + " inside of " + one.outer())
									.collect(Collectors.joining(", "))
								+ ". The suppressed exceptions show where each lock was taken. Take these locks in the "
								+ "same order everywhere, or with one call");
				circle.forEach((one) -> error.addSuppressed(all.get(one)));
				throw error;
			}
		}
	}

	private static @Nullable List<Nesting> path(String from, String to, Set<Nesting> all, Set<String> visited) {
		if (from.equals(to)) {
			return List.of();
		}
		for (Nesting next : all) {
			if (next.outer().equals(from) && visited.add(next.inner())) {
				List<Nesting> rest = path(next.inner(), to, all, visited);
				if (rest != null) {
					return Stream.concat(Stream.of(next), rest.stream()).toList();
				}
			}
		}
		return null;
	}

	/**
	 * A lock was taken inside of another.
	 *
	 * @param outer the lock that was held, as people read it
	 * @param inner the lock that was requested
	 */
	private record Nesting(String outer, String inner) implements Comparable<Nesting> {

		@Override
		public int compareTo(Nesting other) {
			int byOuter = this.outer.compareTo(other.outer);
			return (byOuter != 0) ? byOuter : this.inner.compareTo(other.inner);
		}

	}

}
