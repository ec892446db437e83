package io.mongolock.store;

/**
 * Makes keys readable for people.
 */
public final class KeyText {

	private KeyText() {
	}

	/**
	 * A key as messages and log lines show it. A character that could end a line, or
	 * reorder or hide text, is written as its number. So a key made from a user's input
	 * cannot forge the text around it.
	 * @param text the key, or any other text of unknown origin
	 * @return the text, with a line feed written as {@code \}{@code u000A} and so on
	 */
	public static String printable(String text) {
		if (text.codePoints().allMatch(KeyText::isPrintable)) {
			return text;
		}
		StringBuilder printable = new StringBuilder(text.length() + 16);
		text.codePoints().forEach((point) -> {
			if (isPrintable(point)) {
				printable.appendCodePoint(point);
			}
			else {
				for (char unit : Character.toChars(point)) {
					printable.append(String.format("\\u%04X", (int) unit));
				}
			}
		});
		return printable.toString();
	}

	private static boolean isPrintable(int point) {
		return switch (Character.getType(point)) {
			case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
					Character.SURROGATE ->
				false;
			default -> true;
		};
	}

}
