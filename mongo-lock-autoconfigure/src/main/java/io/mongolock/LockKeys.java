package io.mongolock;

/**
 * What a key may be made of.
 */
public final class LockKeys {

	private LockKeys() {
	}

	/**
	 * How long a text is in UTF-8.
	 * @param what how to call the text in a message
	 * @param text the text
	 * @return the number of bytes
	 * @throws IllegalArgumentException if the text has half a surrogate pair: stored as a
	 * replacement character, it would be the same key as others
	 */
	public static int bytes(String what, String text) {
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

}
