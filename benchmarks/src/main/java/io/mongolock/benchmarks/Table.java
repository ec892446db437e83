package io.mongolock.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A table of the report. Says each line when it is known.
 */
public final class Table {

	private final String title;

	private final List<String> head;

	private final List<List<String>> rows = new ArrayList<>();

	/**
	 * Begin a table.
	 */
	public Table(String title, String... head) {
		this.title = title;
		this.head = List.of(head);
	}

	/**
	 * Add a line.
	 * @param cells numbers or text
	 */
	public void add(Object... cells) {
		List<String> row = new ArrayList<>();
		for (Object cell : cells) {
			row.add((cell instanceof Double number) ? shown(number) : String.valueOf(cell));
		}
		this.rows.add(row);
		System.out.println(this.title + ": " + String.join(" | ", row));
	}

	/**
	 * The table as figures.md has it.
	 */
	public String toMarkdown() {
		StringBuilder text = new StringBuilder("## ").append(this.title).append("\n\n");
		text.append(line(this.head)).append(line(this.head.stream().map((cell) -> "---").toList()));
		this.rows.forEach((row) -> text.append(line(row)));
		return text.append('\n').toString();
	}

	private static String line(List<String> cells) {
		return "| " + String.join(" | ", cells) + " |\n";
	}

	private static String shown(double number) {
		if (Double.isNaN(number)) {
			return "–";
		}
		return String.format(Locale.ROOT, (number >= 100) ? "%.0f" : (number >= 10) ? "%.1f" : "%.2f", number);
	}

}
