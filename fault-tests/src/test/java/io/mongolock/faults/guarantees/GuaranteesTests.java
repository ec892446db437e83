package io.mongolock.faults.guarantees;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import org.junit.jupiter.api.Test;

import io.mongolock.faults.simulation.Searched;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code docs/guarantees.md} says of every promise how it is known.
 */
class GuaranteesTests {

	private static final Path PAGE = Path.of("..", "docs", "guarantees.md");

	@Test
	void thePageSaysHowEachPromiseIsKnown() throws IOException {
		List<String> known = new Known().lines();
		List<String> page = Files.readAllLines(PAGE)
			.stream()
			.dropWhile((line) -> !line.equals(known.get(0)))
			.takeWhile((line) -> line.equals(known.get(0)) || !line.startsWith("## "))
			.toList();
		assertThat(page).as("the section of guarantees.md should be:\n" + String.join("\n", known) + "\n")
			.isEqualTo(known);
	}

	@Test
	void thePromisesAreThoseOfThePage() throws IOException {
		List<String> promised = Files.readAllLines(PAGE)
			.stream()
			.dropWhile((line) -> !line.equals("## The promise"))
			.takeWhile((line) -> !line.equals("## The queue"))
			.filter((line) -> line.startsWith("- **"))
			.map((line) -> line.split("\\*\\*")[1].toLowerCase(Locale.ROOT))
			.toList();
		assertThat(promised).isEqualTo(Arrays.stream(Promise.values()).map(Promise::toString).toList());
	}

	@Test
	void allThatPromisesAreKnownByIsThere() throws IOException {
		assertThat(Searched.kinds())
			.containsAll(Arrays.stream(Promise.values()).flatMap((promise) -> promise.broken().stream()).toList());
		assertThat(Files.readAllLines(Path.of("fault-rows.txt")))
			.extracting((row) -> Integer.valueOf(row.split("\t")[0]))
			.containsAll(Arrays.stream(Promise.values()).flatMap((promise) -> promise.rows().stream()).toList());
		assertThat(Known.OTHERS).allSatisfy((other) -> assertThat(Path.of("..", other.source())).exists());
	}

	@Test
	void rowsAreNumberedAsPeopleDo() {
		assertThat(RowNumbers.parse("4–6, 9")).containsExactly(4, 5, 6, 9);
		assertThat(RowNumbers.format(List.of(9, 4, 6, 5, 10))).isEqualTo("4–6, 9–10");
		assertThat(RowNumbers.format(List.of())).isEmpty();
	}

}
