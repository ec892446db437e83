package io.mongolock.faults.harness.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Reads what {@link HistoryWriter}s wrote.
 */
public final class HistoryReader {

	private HistoryReader() {
	}

	/**
	 * Read files, of several processes for instance, as one history.
	 * @param files the files
	 * @return the history
	 * @throws UncheckedIOException if one cannot be read
	 * @throws IllegalArgumentException if one holds something else
	 */
	public static History read(Collection<Path> files) {
		List<HistoryRecord> records = new ArrayList<>();
		files.forEach((file) -> read(file, records));
		return History.of(records);
	}

	private static void read(Path file, List<HistoryRecord> records) {
		String text = text(file);
		int number = 0;
		int start = 0;
		// what follows the last line end is half a line of a process that was killed
		for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
			number++;
			try {
				records.add(HistoryCodec.decode(text.substring(start, end)));
			}
			catch (IllegalArgumentException ex) {
				throw new IllegalArgumentException("Line " + number + " of " + file + ": " + ex.getMessage(), ex);
			}
			start = end + 1;
		}
	}

	private static String text(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The history " + file + " cannot be read", ex);
		}
	}

}
