package io.mongolock.store;

/**
 * The text of keys: how long it is where it is stored, and how it reads where people look
 * at it.
 */
public final class KeyText {

	private KeyText() {
	}

	/**
	 * A key as messages and log lines say it. Whatever could end a line, reorder or hide
	 * text is written as its number, so that a key made of somebody's input cannot forge
	 * what stands around it.
	 * @param text the key, or any other text of unknown origin
	 * @return the text, with a line feed written as {@code \}{@code u000A} and so on
	 */
	public static String printable(String text) {
		int unsafe = 0;
		while (unsafe < text.length() && isPrintable(text.codePointAt(unsafe))) {
			unsafe += Character.charCount(text.codePointAt(unsafe));
		}
		if (unsafe == text.length()) {
			return text;
		}
		StringBuilder printable = new StringBuilder(text.length() + 16).append(text, 0, unsafe);
		text.substring(unsafe).codePoints().forEach((point) -> {
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

	/**
	 * How long a text is in UTF-8.
	 * @param what how to call the text in a message
	 * @param text the text
	 * @return the number of bytes
	 * @throws IllegalArgumentException if the text has half a surrogate pair: stored as a
	 * replacement character, it would be the same key as others
	 */
	static int bytes(String what, String text) {
		int bytes = 0;
		for (int i = 0; i < text.length(); i++) {
			char unit = text.charAt(i);
			if (!Character.isSurrogate(unit)) {
				bytes += (unit < 0x80) ? 1 : (unit < 0x800) ? 2 : 3;
			}
			else if (i + 1 < text.length() && Character.isSurrogatePair(unit, text.charAt(i + 1))) {
				bytes += 4;
				i++;
			}
			else {
				throw new IllegalArgumentException(what + " is not valid Unicode: character " + i
						+ String.format(" (U+%04X)", (int) unit) + " is half a surrogate pair; remove it");
			}
		}
		return bytes;
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
