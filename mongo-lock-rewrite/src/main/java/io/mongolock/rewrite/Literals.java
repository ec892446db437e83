package io.mongolock.rewrite;

import java.util.stream.Collectors;

/**
 * Texts as they stand in a source.
 */
final class Literals {

	private Literals() {
	}

	/**
	 * A text as a literal of Java, in ASCII: it means the same in a source of any
	 * encoding.
	 */
	static String quoted(String text) {
		return '"' + text.chars().mapToObj(Literals::escaped).collect(Collectors.joining()) + '"';
	}

	private static String escaped(int character) {
		if (character == '"' || character == '\\') {
			return "\\" + (char) character;
		}
		if (character < ' ') {
			// Octal, as \\u000a would end the line
			return String.format("\\%03o", character);
		}
		return (character < 0x7f) ? String.valueOf((char) character) : String.format("\\u%04x", character);
	}

}
