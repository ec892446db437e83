package io.mongolock.faults.harness.matrix;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.platform.commons.support.ReflectionSupport;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The map in {@code README.md} says of every row which tests show it.
 */
class RowMapTests {

	@Test
	void theMapSaysWhichClassesShowARow() throws IOException {
		Map<Integer, Map<String, TreeSet<Level>>> shown = new TreeMap<>();
		ReflectionSupport
			.findAllClassesInPackage("io.mongolock.faults", (type) -> !type.getName().contains("FaultMatrixTests"),
					(name) -> true)
			.stream()
			.flatMap((type) -> Arrays.stream(type.getDeclaredMethods()))
			.filter((method) -> method.isAnnotationPresent(ShowsRow.class))
			.forEach((method) -> {
				ShowsRow row = method.getAnnotation(ShowsRow.class);
				shown.computeIfAbsent(row.value(), (number) -> new TreeMap<>())
					.computeIfAbsent(method.getDeclaringClass().getSimpleName(), (name) -> new TreeSet<>())
					.add(row.level());
			});
		List<String> map = FaultRow.all()
			.stream()
			.map((row) -> "| " + row.number() + " | " + row.title().replace("|", "\\|") + " | "
					+ classes(shown.getOrDefault(row.number(), Map.of())) + " |")
			.toList();
		List<String> readme = Files.readAllLines(Path.of("README.md"))
			.stream()
			.filter((line) -> line.matches("\\| \\d+ \\|.*"))
			.toList();
		assertThat(readme).as("the map of README.md should be:\n" + String.join("\n", map) + "\n").isEqualTo(map);
	}

	private static String classes(Map<String, TreeSet<Level>> classes) {
		return classes.entrySet()
			.stream()
			.map((entry) -> "`" + entry.getKey() + "` ("
					+ entry.getValue().stream().map(Level::toString).collect(Collectors.joining(", ")) + ")")
			.collect(Collectors.joining(", "));
	}

}
