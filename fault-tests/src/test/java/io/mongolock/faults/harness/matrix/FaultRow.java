package io.mongolock.faults.harness.matrix;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

import org.springframework.core.io.ClassPathResource;

/**
 * A fault to survive: a line of {@code fault-rows.txt}. It calls for levels, joined by
 * {@code or} if one is enough, else by {@code and}.
 */
record FaultRow(int number, String title, String calledFor, String expected) {

	private static final String AND = " and ";

	static List<FaultRow> all() {
		try {
			return new ClassPathResource("fault-rows.txt").getContentAsString(StandardCharsets.UTF_8)
				.lines()
				.map(FaultRow::parse)
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The rows cannot be read", ex);
		}
	}

	static FaultRow of(int number) {
		return all().stream()
			.filter((row) -> row.number() == number)
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("No row " + number + " in fault-rows.txt"));
	}

	List<Level> levels() {
		return Arrays.stream(this.calledFor.split(" and | or ")).map(Level::parse).toList();
	}

	boolean isSatisfiedBy(Collection<Level> shown) {
		return (this.calledFor.contains(AND)) ? shown.containsAll(levels())
				: levels().stream().anyMatch(shown::contains);
	}

	private static FaultRow parse(String line) {
		String[] fields = line.split("\t");
		return new FaultRow(Integer.parseInt(fields[0]), fields[1], fields[2], fields[3]);
	}

}
