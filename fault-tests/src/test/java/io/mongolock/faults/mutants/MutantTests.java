package io.mongolock.faults.mutants;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The harness notices a broken product: a mutant that survives is a fault of the harness.
 */
@Tag("process")
@Tag("mutant")
@Execution(ExecutionMode.CONCURRENT)
class MutantTests {

	@TempDir
	private Path directory;

	@ParameterizedTest(name = "{0}")
	@MethodSource("io.mongolock.faults.mutants.Mutants#all")
	@ShowsRow(value = 47, level = Level.SERVER)
	void aMutantIsNoticed(Mutant mutant, RowFigures figures) throws Exception {
		mutant.compile(this.directory);
		for (Judge judge : mutant.judges()) {
			Judge.Verdict verdict = judge.judge(this.directory);
			assertThat(verdict.output()).as("%s, judged by %s", mutant, judge).contains(judge.complaint());
			assertThat(verdict.status()).isEqualTo(1);
		}
		figures.add("noticed by", mutant.judges().stream().map(Judge::toString).collect(Collectors.joining(" and ")));
	}

	@ParameterizedTest
	@MethodSource("judges")
	void theProductIsNot(Judge judge) {
		Judge.Verdict verdict = judge.judge(this.directory);
		assertThat(verdict.status()).as(verdict.output()).isZero();
	}

	// Each program once, with all that any mutant asks of it
	static Stream<Judge> judges() {
		Map<String, Judge> judges = new LinkedHashMap<>();
		Mutants.all()
			.map(Mutant::judges)
			.flatMap(List::stream)
			.forEach((judge) -> judges.merge(judge.arguments().get(0), judge, Judge::and));
		return judges.values().stream();
	}

}
