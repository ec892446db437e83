package io.mongolock.faults.matrix;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.testkit.engine.EngineTestKit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Tests for the fault matrix.
 */
class FaultMatrixTests {

	private static final RunInfo RUN = new RunInfo("1.2.3", "17", Instant.parse("2026-01-02T03:04:05Z"), 42);

	@Test
	void allRowsAreKnown() {
		assertThat(FaultRow.all()).extracting(FaultRow::number)
			.containsExactlyElementsOf(IntStream.rangeClosed(1, 47).boxed().toList());
		assertThat(FaultRow.of(5).title()).contains("SIGSTOP");
		assertThatIllegalArgumentException().isThrownBy(() -> FaultRow.of(48)).withMessageContaining("1 to 47");
	}

	@Test
	void rowsThatDidNotRunAreListedWithTheReason(@TempDir Path directory) throws IOException {
		String report = report(directory);
		assertThat(report).contains("Version: 1.2.3, on Java 17", "2026-01-02T03:04:05Z", "Seed: 42", "Servers: none",
				"Rows shown: 0 of 47");
		assertThat(line(report, 16)).contains("expected: holder keeps lock", "| replica set |",
				"not run: needs a replica set");
		assertThat(line(report, 4)).contains("| server |", "not run: no test in this run");
	}

	@Test
	void rowsThatRanAreListedWithTheirFigures(@TempDir Path directory) throws IOException {
		String report = report(directory,
				new RowResult(4, Level.S, "taken over", "takeover: 31 ms", "embedded", RowResult.PASSED),
				new RowResult(5, Level.S, "a | b\nc \ud83d \ud83d\udd12", "", "mongod 4.4.6", RowResult.FAILED),
				new RowResult(5, Level.S, "other", "", "mongod 4.4.6", RowResult.PASSED));
		assertThat(line(report, 4))
			.isEqualTo("| 4 | holder SIGKILL | taken over | takeover: 31 ms | server | embedded | shown |");
		assertThat(line(report, 5)).contains("a \\| b c ? \ud83d\udd12", "| FAILED |");
		assertThat(report).contains("Servers: embedded; mongod 4.4.6", "Rows shown: 1 of 47", "call for: none");
	}

	@Test
	void rowsThatRanOnLessThanTheyCallForAreNamed(@TempDir Path directory) throws IOException {
		String report = report(directory, new RowResult(16, Level.P, "kept", "", "scripted", RowResult.PASSED),
				new RowResult(17, Level.P, "granted once", "", "scripted", RowResult.PASSED),
				new RowResult(17, Level.R, "granted once", "", "mongod 4.4.6", RowResult.PASSED),
				new RowResult(18, Level.P, "told", "", "scripted", RowResult.PASSED),
				new RowResult(18, Level.R, "told", "", "", RowResult.notRun("needs a replica set")));
		assertThat(report).contains("Rows shown: 3 of 47", "another level than they call for: 16, 18\n");
	}

	@Test
	void theLogSaysWhatDidNotRunAndWhy() {
		List<RowResult> results = List.of(new RowResult(4, Level.S, "taken over", "", "embedded", RowResult.PASSED),
				new RowResult(17, Level.R, "stepped down", "", "", RowResult.notRun("needs a replica set")),
				new RowResult(16, Level.R, "killed", "", "", RowResult.notRun("needs a replica set")),
				new RowResult(16, Level.R, "killed again", "", "", RowResult.notRun("needs a replica set")));
		assertThat(new MatrixTable(RUN).summary(FaultRow.all(), results)).isEqualTo("""
				Tests of the rows [16, 17] not run: needs a replica set
				Fault matrix: 1 of 47 rows are shown.""");
	}

	@Test
	void theReportIsWrittenWhenTheRunEnds(@TempDir Path directory) throws IOException {
		Path file = directory.resolve("target/fault-matrix.md");
		String before = System.getProperty("fault-matrix.file");
		System.setProperty("fault-matrix.file", file.toString());
		try {
			EngineTestKit.engine("junit-jupiter")
				.selectors(DiscoverySelectors.selectClass(RowCases.class))
				.execute()
				.testEvents()
				.assertStatistics((events) -> events.succeeded(3).failed(2).aborted(1).skipped(1));
		}
		finally {
			restore(before);
		}
		String report = Files.readString(file);
		assertThat(line(report, 1)).contains("the lock holds under load", "overlap: 0 ms; seed:", "| embedded |",
				"| shown |");
		assertThat(line(report, 2)).contains("| FAILED |");
		assertThat(line(report, 16)).contains("not run: ", "needs a replica set");
		assertThat(line(report, 17)).contains("not run: ", "later");
		assertThat(report).contains("a fault by kind [1]", "a fault by kind [2]");
	}

	private static void restore(String file) {
		if (file != null) {
			System.setProperty("fault-matrix.file", file);
		}
		else {
			System.clearProperty("fault-matrix.file");
		}
	}

	private static String report(Path directory, RowResult... results) throws IOException {
		Path file = directory.resolve("new/fault-matrix.md");
		try (FaultMatrix matrix = new FaultMatrix(file, RUN, new PrintStream(OutputStream.nullOutputStream()))) {
			List.of(results).forEach(matrix::add);
		}
		return Files.readString(file);
	}

	private static String line(String report, int row) {
		return report.lines().filter((line) -> line.startsWith("| " + row + " |")).findFirst().orElseThrow();
	}

	/**
	 * Run by the test kit only, as the name does not end like that of a test.
	 */
	static class RowCases {

		@Test
		@ShowsRow(value = 1, level = Level.S)
		void theLockHoldsUnderLoad(RowFigures figures) {
			figures.server("embedded").add("overlap", "0 ms").add("seed", figures.seed());
		}

		@Test
		@ShowsRow(value = 2, level = Level.S)
		void somethingGoesWrong() {
			fail("on purpose");
		}

		@Test
		@ShowsRow(value = 16, level = Level.R)
		void thereIsNoReplicaSet() {
			assumeThat(false).as("needs a replica set").isTrue();
		}

		@Test
		@Disabled("later")
		@ShowsRow(value = 17, level = Level.R)
		void thisComesLater() {
		}

		@Test
		@ShowsRow(value = 99, level = Level.U)
		void thisRowIsUnknown() {
		}

		@ParameterizedTest
		@ValueSource(strings = { "half-open", "drip" })
		@ShowsRow(value = 14, level = Level.P)
		void aFaultByKind(String kind) {
			assertThat(kind).isNotEmpty();
		}

	}

}
