package io.mongolock.faults.harness.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.mongolock.faults.harness.history.HistoryRecord.Died;
import io.mongolock.faults.harness.history.HistoryRecord.Lost;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;
import io.mongolock.faults.harness.history.HistoryWriter.OpenSection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link HistoryWriter}, {@link HistoryReader} and the command line.
 */
class HistoryFileTests {

	private Path file;

	@BeforeEach
	void chooseFile(@TempDir Path directory) {
		this.file = directory.resolve("history.txt");
	}

	@Test
	void aSectionIsReadAsWritten() {
		long before = System.nanoTime();
		try (HistoryWriter writer = new HistoryWriter(this.file)) {
			writer.enter("order:1", 7, 2).leave(Outcome.FAILED);
		}
		Section section = read().sections().get(0);
		assertThat(section.key()).isEqualTo("order:1");
		assertThat(section.fence()).isEqualTo(7);
		assertThat(section.limit()).isEqualTo(2);
		assertThat(section.outcome()).isEqualTo(Outcome.FAILED);
		assertThat(section.process()).isEqualTo(String.valueOf(ProcessHandle.current().pid()));
		assertThat(section.thread()).isEqualTo(Thread.currentThread().getName());
		assertThat(section.enteredNanos()).isBetween(before, section.leftNanos());
	}

	@Test
	void aSectionCountsAsDeadFromTheEndOfItsWorkUntilItsCallerIsTold() {
		try (HistoryWriter writer = new HistoryWriter(this.file)) {
			writer.enter("order:1", 1, 1).workEnded(5);
			OpenSection told = writer.enter("order:2", 1, 1);
			told.workEnded(6);
			told.leave(Outcome.LOST, 6);
		}
		assertThat(read().sections()).extracting(Section::outcome).containsExactly(Outcome.DIED, Outcome.LOST);
		assertThat(read().sections()).extracting(Section::leftNanos).containsExactly(5L, 6L);
	}

	@Test
	void everyRecordIsReadAsWritten() {
		TestHistory history = new TestHistory("tab\tline\nend\r 100% ä😀").section("a b", 1, 0, 1)
			.granted("b", 2, 1, -5, 6)
			.denied("c", 1, 2)
			.lost(1, 3)
			.checked(1, 3)
			.stalled("a", 3, 4)
			.died("a", 4)
			.counted(5, 6)
			.held(Long.MAX_VALUE);
		try (HistoryWriter writer = new HistoryWriter(this.file, "test")) {
			history.records().forEach(writer::write);
		}
		assertThat(read()).isEqualTo(History.of(history.records()));
	}

	@Test
	void aSectionThatNeverEndedIsVisible() {
		try (HistoryWriter writer = new HistoryWriter(this.file, "killed")) {
			writer.enter("order:1", 1, 1);
		}
		assertThat(read().sections()).singleElement().extracting(Section::outcome).isEqualTo(Outcome.OPEN);
		try (HistoryWriter writer = new HistoryWriter(this.file, "test")) {
			writer.write(new Died("killed", System.nanoTime()));
		}
		assertThat(read().sections()).singleElement().extracting(Section::outcome).isEqualTo(Outcome.DIED);
	}

	@Test
	void halfALineAtTheEndIsOverlooked() throws IOException {
		try (HistoryWriter writer = new HistoryWriter(this.file)) {
			writer.write(new Lost("order:1", 1, 2));
		}
		Files.writeString(this.file, "Lost\torder", StandardOpenOption.APPEND);
		assertThat(read().losses()).hasSize(1);
	}

	@Test
	void anyOtherLineIsRefusedWithItsNumber() throws IOException {
		Files.writeString(this.file, "Lost\torder:1\t1\t2\nFound\torder:1\n");
		assertThatIllegalArgumentException().isThrownBy(this::read)
			.withMessageContaining("Line 2 of")
			.withMessageContaining("'Found'");
		Files.writeString(this.file, "Lost\torder:1\n");
		assertThatIllegalArgumentException().isThrownBy(this::read).withMessageContaining("3 fields, not 1");
		Files.writeString(this.file, "Left\ta-1\tHAPPY\t1\n");
		assertThatIllegalArgumentException().isThrownBy(this::read).withMessageContaining("'HAPPY' is no Outcome");
	}

	@Test
	void severalThreadsMayWriteAndBeInterrupted() {
		try (HistoryWriter writer = new HistoryWriter(this.file)) {
			IntStream.range(0, 200).parallel().forEach((i) -> {
				Thread.currentThread().interrupt();
				writer.enter("key" + i, i, 1).leave(Outcome.COMPLETED);
				assertThat(Thread.interrupted()).isTrue();
			});
		}
		assertThat(read().sections()).hasSize(200).allMatch((section) -> section.outcome() == Outcome.COMPLETED);
	}

	@Test
	void aFileThatCannotBeUsedIsNamed(@TempDir Path directory) {
		assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> new HistoryWriter(directory))
			.withMessageContaining(directory.toString());
		assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(this::read)
			.withMessageContaining(this.file.toString());
	}

	private History read() {
		return HistoryReader.read(List.of(this.file));
	}

}
