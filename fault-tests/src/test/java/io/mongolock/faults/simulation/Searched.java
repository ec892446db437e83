package io.mongolock.faults.simulation;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The scopes of the search, and the kinds of violations, for people.
 */
public final class Searched {

	private Searched() {
	}

	/**
	 * The scopes, by how many choices of their histories may be unusual with
	 * {@code -Pfull}, the most first; some can be searched further.
	 */
	public static Map<Integer, List<String>> scopes() {
		return Arrays.stream(Scope.values())
			.collect(Collectors.groupingBy((Scope scope) -> Math.min(2, scope.depth()),
					() -> new TreeMap<>(Comparator.reverseOrder()),
					Collectors.mapping(Enum::name, Collectors.toList())));
	}

	/**
	 * The kinds of violations that the search and the simulation know.
	 */
	public static Set<String> kinds() {
		return Arrays.stream(Violation.Kind.values()).map(Enum::name).collect(Collectors.toSet());
	}

}
