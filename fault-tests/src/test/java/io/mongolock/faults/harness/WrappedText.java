package io.mongolock.faults.harness;

import java.util.ArrayList;
import java.util.List;

/**
 * Lines of a page that is generated, no longer than the documentation allows.
 */
public final class WrappedText {

	private static final int WIDTH = 138;

	private WrappedText() {
	}

	/**
	 * Wrap an item of a list.
	 * @param text the item, with its bullet
	 * @return the lines; all but the first are indented
	 */
	public static List<String> lines(String text) {
		List<String> lines = new ArrayList<>();
		StringBuilder line = new StringBuilder();
		for (String word : text.split(" ")) {
			if (line.length() + word.length() > WIDTH) {
				lines.add(line.toString());
				line = new StringBuilder(" ");
			}
			line.append((line.isEmpty()) ? "" : " ").append(word);
		}
		lines.add(line.toString());
		return lines;
	}

}
