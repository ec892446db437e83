package io.mongolock.faults.harness.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.mongolock.faults.harness.history.HistoryRecord.Entered;
import io.mongolock.faults.harness.history.HistoryRecord.Left;
import io.mongolock.faults.harness.history.HistoryRecord.Lost;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HistoryWriter}.
 */
class HistoryWriterTests {

	@TempDir
	private Path directory;

	@Test
	void recordsOfSeveralOpenWritersAreReadAsWritten() {
		Entered entered = new Entered("tab\tline\nend 😀", 1, "a", "main", 1, 2);
		Left left = new Left(entered, Outcome.FAILED, 3);
		try (HistoryWriter one = new HistoryWriter(this.directory);
				HistoryWriter other = new HistoryWriter(this.directory)) {
			one.write(entered);
			other.write(left);
			assertThat(HistoryWriter.read(this.directory)).containsExactlyInAnyOrder(entered, left);
		}
	}

	@Test
	void halfARecordAtTheEndIsOverlooked() throws IOException {
		Lost whole = new Lost("order:1", 1, 2);
		try (HistoryWriter writer = new HistoryWriter(this.directory)) {
			writer.write(whole);
			writer.write(new Lost("order:2", 1, 2));
		}
		try (var files = Files.list(this.directory)) {
			Path file = files.findFirst().orElseThrow();
			byte[] written = Files.readAllBytes(file);
			Files.write(file, Arrays.copyOf(written, written.length - 3));
		}
		assertThat(HistoryWriter.read(this.directory)).isEqualTo(List.of(whole));
	}

	@Test
	void severalThreadsMayWriteAndBeInterrupted() {
		try (HistoryWriter writer = new HistoryWriter(this.directory)) {
			IntStream.range(0, 500).parallel().forEach((i) -> {
				Thread.currentThread().interrupt();
				writer.write(new Lost("key" + i, i, i));
				assertThat(Thread.interrupted()).isTrue();
			});
		}
		assertThat(HistoryWriter.read(this.directory)).hasSize(500).doesNotHaveDuplicates();
	}

}
