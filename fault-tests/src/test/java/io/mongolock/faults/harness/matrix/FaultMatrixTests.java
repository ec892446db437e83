package io.mongolock.faults.harness.matrix;

import java.io.IOException;
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

	private static final List<FaultRow> ROWS = List.of(new FaultRow(4, "killed", "server", "taken over"),
			new FaultRow(5, "stopped", "proxy or server", "notified"),
			new FaultRow(16, "primary", "replica set", "kept"),
			new FaultRow(33, "transactions", "Spring context and replica set", "after commit"),
			new FaultRow(42, "stream", "server", "polled"));

	@Test
	void allRowsAreKnown() {
		List<FaultRow> all = FaultRow.all();
		assertThat(all).extracting(FaultRow::number)
			.startsWith(IntStream.rangeClosed(1, 47).boxed().toArray(Integer[]::new))
			.isSorted()
			.doesNotHaveDuplicates();
		assertThat(all).allSatisfy((row) -> assertThat(row.levels()).isNotEmpty());
		assertThat(FaultRow.of(5).title()).contains("SIGSTOP");
		assertThatIllegalArgumentException().isThrownBy(() -> FaultRow.of(1000)).withMessageContaining("No row 1000");
		assertThatIllegalArgumentException().isThrownBy(() -> Level.parse("S"))
			.withMessageContaining("'S' is no level; there are [unit, proxy, server, replica set, Spring context]");
	}

	@Test
	void rowsThatDidNotRunAreListedWithTheReason() {
		String report = report();
		assertThat(report).contains("Version: 1.2.3, on Java " + Runtime.version(), "2026-01-02T03:04:05Z", "Seed: 42",
				"Servers: none", "- Rows shown at the level they call for: 0 of 5\n",
				"- Rows not shown: 5 of 5: 4, 5, 16, 33, 42\n");
		assertThat(line(report, 16)).contains("expected: kept", "| replica set |", "not run: no test in this run");
	}

	@Test
	void rowsThatRanAreListedWithTheirFigures() {
		String report = report(result(4, Level.SERVER, "taken over", "takeover: 31 ms", "embedded", RowResult.PASSED),
				result(5, Level.SERVER, "a | b\nc \ud83d \ud83d\udd12", "", "mongod 4.4.6", RowResult.FAILED),
				result(5, Level.SERVER, "other", "", "mongod 4.4.6", RowResult.PASSED));
		assertThat(line(report, 4))
			.isEqualTo("| 4 | killed | taken over | takeover: 31 ms | server | embedded | shown |");
		assertThat(line(report, 5)).contains("a \\| b c ? \ud83d\udd12", "| FAILED |");
		assertThat(report).contains("Servers: embedded; mongod 4.4.6",
				"- Rows shown at the level they call for: 1 of 5\n", "5 (a test failed)");
	}

	@Test
	void rowsThatRanOnLessThanTheyCallForAreNamedWithWhatIsMissing() {
		String report = report(result(16, Level.PROXY, "kept", "", "scripted", RowResult.PASSED),
				result(16, Level.REPLICA_SET, "kept", "", "", RowResult.NOT_RUN + "needs a replica set"),
				result(5, Level.PROXY, "notified", "", "scripted", RowResult.PASSED),
				result(5, Level.SERVER, "notified", "", "embedded", RowResult.PASSED),
				result(33, Level.SPRING, "jdbc", "", "embedded", RowResult.PASSED));
		assertThat(report).contains("- Rows shown at the level they call for: 1 of 5\n",
				"- Rows shown at another level only: 2 of 5: 16 (proxy instead of replica set), "
						+ "33 (Spring context instead of Spring context and replica set)\n",
				"- Levels: unit = fake clocks");
	}

	@Test
	void aRowWhoseTestsLackSomethingIsNotCountedAsShown() {
		String report = report(
				new RowResult(42, Level.SERVER, "poll", "", "embedded", RowResult.PASSED, "there is no stream"));
		assertThat(report).contains("- Rows shown at the level they call for: 0 of 5\n",
				"- Rows shown in part: 1 of 5: 42 (there is no stream)\n");
		assertThat(line(report, 42)).endsWith("| shown in part: there is no stream |");
	}

	@Test
	void theLogSaysWhatDidNotRunAndWhy() {
		List<RowResult> results = List.of(result(4, Level.SERVER, "taken over", "", "embedded", RowResult.PASSED),
				result(33, Level.REPLICA_SET, "commit", "", "", RowResult.NOT_RUN + "needs a replica set"),
				result(16, Level.REPLICA_SET, "killed", "", "", RowResult.NOT_RUN + "needs a replica set"),
				result(16, Level.REPLICA_SET, "killed again", "", "", RowResult.NOT_RUN + "needs a replica set"));
		assertThat(new MatrixTable(ROWS, results).summary()).isEqualTo("""
				Tests of the rows [16, 33] not run: needs a replica set
				Fault matrix: of 5 rows 1 shown at the level they call for, 0 shown at another level only, \
				0 shown in part, 4 not shown. Servers: embedded.""");
	}

	@Test
	void theReportIsWrittenWhenTheRunEnds(@TempDir Path directory) throws IOException {
		Path file = directory.resolve("target/fault-matrix.md");
		EngineTestKit.engine("junit-jupiter")
			.configurationParameter("fault-matrix.file", file.toString())
			.selectors(DiscoverySelectors.selectClass(RowCases.class))
			.execute()
			.testEvents()
			.assertStatistics((events) -> events.succeeded(3).failed(2).aborted(1).skipped(1));
		String report = Files.readString(file);
		assertThat(line(report, 1)).contains("the lock holds under load", "overlap: 0 ms; seed:", "| embedded |",
				"| shown |");
		assertThat(line(report, 2)).contains("| FAILED |");
		assertThat(line(report, 16)).contains("not run: ", "needs a replica set");
		assertThat(line(report, 17)).contains("not run: ", "later");
		assertThat(report).contains("a fault by kind [1]", "a fault by kind [2]");
	}

	@Test
	void whenSeveralJvmsShareARunThenTheReportHasTheResultsOfAll(@TempDir Path directory) throws IOException {
		Path file = directory.resolve("fault-matrix.md");
		Path all = directory.resolve("results.tsv");
		RowResult other = new RowResult(4, Level.REPLICA_SET, "taken\tover\nlate", "", "mongod 4.4.6", RowResult.PASSED,
				"");
		Files.writeString(all, other.toLine() + "\n");
		EngineTestKit.engine("junit-jupiter")
			.configurationParameter("fault-matrix.file", file.toString())
			.configurationParameter("fault-matrix.results", all.toString())
			.selectors(DiscoverySelectors.selectClass(RowCases.class))
			.execute();
		String report = Files.readString(file);
		assertThat(line(report, 4)).endsWith("| taken over late |  | replica set | mongod 4.4.6 | shown |");
		assertThat(line(report, 1)).contains("the lock holds under load", "| shown |");
		assertThat(Files.readAllLines(all)).hasSizeGreaterThan(5).element(0).isEqualTo(other.toLine());
	}

	@Test
	void aRunThatNamesNoFileLeavesTheReportOfAnotherAlone() throws IOException {
		Path report = Path.of("target", "fault-matrix.md");
		String before = (Files.exists(report)) ? Files.readString(report) : "none";
		EngineTestKit.engine("junit-jupiter").selectors(DiscoverySelectors.selectClass(RowCases.class)).execute();
		assertThat((Files.exists(report)) ? Files.readString(report) : "none").isEqualTo(before);
	}

	private static String report(RowResult... results) {
		return new MatrixTable(ROWS, List.of(results)).write("1.2.3", Instant.parse("2026-01-02T03:04:05Z"), 42);
	}

	private static RowResult result(int row, Level level, String shows, String figures, String server, String outcome) {
		return new RowResult(row, level, shows, figures, server, outcome, "");
	}

	private static String line(String report, int row) {
		return report.lines().filter((line) -> line.startsWith("| " + row + " |")).findFirst().orElseThrow();
	}

	/**
	 * Run by the test kit only, because the name does not end like that of a test.
	 */
	static class RowCases {

		@Test
		@ShowsRow(value = 1, level = Level.SERVER)
		void theLockHoldsUnderLoad(RowFigures figures) {
			figures.server("embedded").add("overlap", "0 ms").add("seed", figures.seed());
		}

		@Test
		@ShowsRow(value = 2, level = Level.SERVER)
		void somethingGoesWrong() {
			fail("on purpose");
		}

		@Test
		@ShowsRow(value = 16, level = Level.REPLICA_SET)
		void thereIsNoReplicaSet() {
			assumeThat(false).as("needs a replica set").isTrue();
		}

		@Test
		@Disabled("later")
		@ShowsRow(value = 17, level = Level.REPLICA_SET)
		void thisComesLater() {
		}

		@Test
		@ShowsRow(value = 999, level = Level.UNIT)
		void thisRowIsUnknown() {
		}

		@ParameterizedTest
		@ValueSource(strings = { "half-open", "drip" })
		@ShowsRow(value = 14, level = Level.PROXY)
		void aFaultByKind(String kind) {
			assertThat(kind).isNotEmpty();
		}

	}

}
