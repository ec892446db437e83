package io.mongolock.rewrite;

/**
 * Texts as they stand in a source.
 */
final class Literals {

	private Literals() {
	}

	/**
	 * A text as a literal of Java.
	 */
	static String quoted(String text) {
		return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
	}

}
