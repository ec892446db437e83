package io.mongolock.faults.mutants;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The harness notices a broken product: a mutant that survives is a fault of the harness.
 * {@code -Dmongo-lock.mutants=margin} judges only those in whose names that expression is
 * found, {@code -Dmutants.share=3} a third of them, which the seed of the fault matrix
 * chooses.
 */
@Tag("process")
@Tag("mutant")
@Isolated
class MutantTests {

	private static final Pattern SELECTED = Pattern.compile(System.getProperty("mongo-lock.mutants", ""));

	private static final int SHARE = Integer.getInteger("mutants.share", 1);

	private static final long SEED = Long.getLong("fault-matrix.seed", System.nanoTime());

	// several at a time, as judges wait for leases to run out
	private static final ExecutorService threads = Executors.newFixedThreadPool(4);

	@TempDir
	private static Path directory;

	@AfterAll
	static void stop() {
		threads.shutdownNow();
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("mutants")
	@ShowsRow(value = 47, level = Level.SERVER)
	void aMutantIsNoticed(Mutant mutant, Future<List<Judge.Verdict>> verdicts, RowFigures figures) throws Exception {
		for (Judge.Verdict verdict : verdicts.get()) {
			assertThat(verdict.output()).as("%s, judged by %s", mutant, verdict.judge())
				.contains(verdict.judge().complaint());
			assertThat(verdict.status()).isEqualTo(1);
		}
		figures.add("noticed by", mutant.judges().stream().map(Judge::toString).collect(Collectors.joining(" and ")));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("judges")
	void theProductIsNot(Future<Judge.Verdict> verdict) throws Exception {
		assertThat(verdict.get().status()).as(verdict.get().output()).isZero();
	}

	static Stream<Arguments> mutants() {
		return selected().stream()
			.map((mutant) -> Arguments.of(mutant, threads.submit(() -> judge(mutant))))
			.toList()
			.stream();
	}

	// Each program once, with all that any mutant asks of it
	static Stream<Named<Future<Judge.Verdict>>> judges() {
		Map<String, Judge> judges = new LinkedHashMap<>();
		selected().stream()
			.map(Mutant::judges)
			.flatMap(List::stream)
			.forEach((judge) -> judges.merge(judge.arguments().get(0), judge, Judge::and));
		return judges.values()
			.stream()
			.map((judge) -> Named.of(judge.toString(), threads.submit(() -> judge.judge(directory))))
			.toList()
			.stream();
	}

	private static List<Mutant> selected() {
		List<Mutant> selected = Mutants.all().filter((mutant) -> SELECTED.matcher(mutant.name()).find()).toList();
		assertThat(selected).as("mutants whose names hold '%s'", SELECTED).isNotEmpty();
		int first = Math.floorMod(SEED, SHARE);
		return IntStream.iterate(first, (i) -> i < selected.size(), (i) -> i + SHARE).mapToObj(selected::get).toList();
	}

	private static List<Judge.Verdict> judge(Mutant mutant) throws Exception {
		Path broken = Files.createTempDirectory(directory, "mutant");
		mutant.compile(broken);
		List<Judge.Verdict> verdicts = new ArrayList<>();
		for (Judge judge : mutant.judges()) {
			Judge.Verdict verdict = judge.judge(broken);
			// On a busy machine a test's wait may be over before the fault shows
			verdicts.add(verdict.isNoticed() ? verdict : judge.judge(broken));
		}
		return verdicts;
	}

}
