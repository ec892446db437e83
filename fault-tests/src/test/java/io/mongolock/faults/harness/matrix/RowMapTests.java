package io.mongolock.faults.harness.matrix;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;
import org.junit.platform.commons.support.ReflectionSupport;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The map in {@code README.md} says of every row which tests show it.
 */
class RowMapTests {

	@Test
	void theMapSaysWhichClassesShowARow() throws IOException {
		Map<Integer, TreeSet<String>> shown = new TreeMap<>();
		ReflectionSupport
			.findAllClassesInPackage("io.mongolock.faults", (type) -> !type.getName().contains("FaultMatrixTests"),
					(name) -> true)
			.stream()
			.flatMap((type) -> Arrays.stream(type.getDeclaredMethods()))
			.filter((method) -> method.isAnnotationPresent(ShowsRow.class))
			.forEach((method) -> shown
				.computeIfAbsent(method.getAnnotation(ShowsRow.class).value(), (number) -> new TreeSet<>())
				.add("`" + method.getDeclaringClass().getSimpleName() + "`"));
		List<String> map = FaultRow.all()
			.stream()
			.map((row) -> "| " + row.number() + " | " + row.title().replace("|", "\\|") + " | "
					+ String.join(", ", shown.getOrDefault(row.number(), new TreeSet<>())) + " |")
			.toList();
		List<String> readme = Files.readAllLines(Path.of("README.md"))
			.stream()
			.filter((line) -> line.matches("\\| \\d+ \\|.*"))
			.toList();
		assertThat(readme).as("the map of README.md should be:\n" + String.join("\n", map) + "\n").isEqualTo(map);
	}

}
