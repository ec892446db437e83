package io.mongolock.faults.mutants;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Mutants}: a change of a piece that one of them names is noticed in the
 * short loop.
 */
class MutantsTests {

	@ParameterizedTest(name = "{0}")
	@MethodSource({ "io.mongolock.faults.mutants.Mutants#all", "io.mongolock.faults.mutants.Mutants#chaos" })
	void aMutantFitsTheProduct(Mutant mutant) throws Exception {
		assertThat(mutant.patched()).contains(mutant.to());
	}

	@Test
	void eachTestThatIsToNoticeOneIsThere() throws IOException {
		Map<String, String> tests = new HashMap<>();
		for (Path file : Mutant.sources("src/test/java")) {
			tests.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
		}
		String all = String.join("\n", tests.values());
		Stream.concat(Mutants.all(), Mutants.chaos())
			.flatMap((mutant) -> mutant.judges().stream())
			.filter((judge) -> judge.main() == TestMain.class)
			.map(Judge::arguments)
			.distinct()
			.forEach((test) -> {
				String name = test.get(0).substring(test.get(0).lastIndexOf('.') + 1);
				String folder = test.get(0).substring(0, test.get(0).lastIndexOf('.'));
				assertThat(tests.getOrDefault(name, "")).as(test.get(0)).contains("package " + folder + ";");
				// That of a class or of the contract that it inherits
				assertThat(all).as("method of %s", test.get(0)).contains("void " + test.get(1) + "(");
			});
	}

}
