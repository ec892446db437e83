package io.mongolock.faults.guarantees;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Numbers of rows as people write them, for example {@code 4–8, 72}.
 */
final class RowNumbers {

	private static final String TO = "–";

	private RowNumbers() {
	}

	static SortedSet<Integer> parse(String text) {
		return Arrays.stream(text.split(", "))
			.map((part) -> part.split(TO))
			.flatMap((ends) -> IntStream.rangeClosed(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]))
				.boxed())
			.collect(Collectors.toCollection(TreeSet::new));
	}

	static String format(Collection<Integer> numbers) {
		List<String> parts = new ArrayList<>();
		SortedSet<Integer> left = new TreeSet<>(numbers);
		while (!left.isEmpty()) {
			int first = left.first();
			int last = first;
			while (left.remove(last)) {
				last++;
			}
			parts.add((last == first + 1) ? String.valueOf(first) : first + TO + (last - 1));
		}
		return String.join(", ", parts);
	}

}
