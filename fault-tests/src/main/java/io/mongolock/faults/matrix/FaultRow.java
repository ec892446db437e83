package io.mongolock.faults.matrix;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * A fault to survive.
 *
 * @param number the number of the row
 * @param title the fault
 * @param levels the levels it is to be shown at, such as {@code P/S}
 * @param expected what is to happen
 */
public record FaultRow(int number, String title, String levels, String expected) {

	/**
	 * All rows.
	 * @return the rows in the order of their numbers
	 */
	public static List<FaultRow> all() {
		try (InputStream in = FaultRow.class.getResourceAsStream("fault-rows.txt")) {
			return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8).lines()
				.map(FaultRow::parse)
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The rows cannot be read", ex);
		}
	}

	/**
	 * One row.
	 * @param number its number
	 * @return the row
	 * @throws IllegalArgumentException if there is none
	 */
	public static FaultRow of(int number) {
		List<FaultRow> all = all();
		return all.stream()
			.filter((row) -> row.number() == number)
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("No row " + number + "; there are 1 to " + all.size()));
	}

	private static FaultRow parse(String line) {
		String[] fields = line.split("\t");
		return new FaultRow(Integer.parseInt(fields[0]), fields[1], fields[2], fields[3]);
	}

}
