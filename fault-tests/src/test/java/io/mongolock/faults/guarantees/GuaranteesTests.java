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
 * {@code promises.md} says how each promise of {@code docs/guarantees.md} is known.
 */
class GuaranteesTests {

	private static final Path PROMISES = Path.of("..", "docs", "guarantees.md");

	private static final Path PAGE = Path.of("promises.md");

	@Test
	void thePageSaysHowEachPromiseIsKnown() throws IOException {
		String known = String.join("\n", new Known().lines()) + "\n";
		if (System.getProperty("pages.write") != null) {
			Files.writeString(PAGE, known);
		}
		assertThat(Files.readString(PAGE)).as("promises.md, which -Dpages.write writes anew").isEqualTo(known);
	}

	@Test
	void thePromisesAreThoseOfThePage() throws IOException {
		List<String> promised = Files.readAllLines(PROMISES)
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
