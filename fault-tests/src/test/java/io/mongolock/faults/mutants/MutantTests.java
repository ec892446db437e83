package io.mongolock.faults.mutants;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The harness notices a broken product: a mutant that survives is a fault of the harness.
 */
class MutantTests {

	@TempDir
	private Path directory;

	@ParameterizedTest
	@MethodSource("io.mongolock.faults.mutants.Mutants#all")
	void aMutantIsNoticed(Mutant mutant) throws Exception {
		mutant.compile(this.directory);
		Path output = this.directory.resolve("output");
		int status = mutant.judge().judge(this.directory, output);
		String said = Files.readString(output);
		assertThat(said).as("%s: %s", mutant, tail(said)).contains(mutant.judge().complaint());
		assertThat(status).isEqualTo(1);
	}

	@ParameterizedTest
	@MethodSource("judges")
	void theProductIsNot(Judge judge) throws Exception {
		Path output = this.directory.resolve("output");
		int status = judge.judge(this.directory, output);
		assertThat(status).as(tail(Files.readString(output))).isZero();
	}

	// Each program once, with all that any mutant asks of it
	static Stream<Judge> judges() {
		Map<String, Judge> judges = new LinkedHashMap<>();
		Mutants.all().map(Mutant::judge).forEach((judge) -> judges.merge(judge.arguments().get(0), judge, Judge::and));
		return judges.values().stream();
	}

	private static String tail(String said) {
		return said.substring(Math.max(0, said.length() - 2000));
	}

}
