package io.mongolock.store;

/**
 * The keys of one store in a collection that may contain other keys, too. A key is stored
 * as prefix + key.
 *
 * @param prefix the beginning of every stored key, may be empty
 */
public record KeySpace(String prefix) {

	/**
	 * The most bytes of UTF-8 that a key may take together with its prefix. Every version
	 * of MongoDB can index that many.
	 */
	public static final int MAX_BYTES = 1024;

	private static final int SHOWN = 64;

	public KeySpace {
		if (bytes("The prefix", prefix) >= MAX_BYTES) {
			throw new IllegalArgumentException("The key prefix '" + shortened(prefix) + "' takes "
					+ bytes("The prefix", prefix) + " bytes in UTF-8, so it leaves no room for keys. At most "
					+ (MAX_BYTES - 1) + " bytes are allowed. Choose a shorter prefix");
		}
	}

	/**
	 * The stored form of a key.
	 * @throws IllegalArgumentException if the key is empty, not valid Unicode or too long
	 */
	public String toId(String key) {
		if (key == null || key.isEmpty()) {
			throw new IllegalArgumentException("The lock key is " + ((key != null) ? "empty" : "null")
					+ ", but a key needs at least one character");
		}
		return toId("The lock key", key);
	}

	/**
	 * The stored form of a text that names something other than a lock.
	 * @throws IllegalArgumentException if the text is not valid Unicode or too long
	 */
	public String toId(String what, String key) {
		int bytes = bytes("The prefix", this.prefix) + bytes(what, key);
		if (bytes > MAX_BYTES) {
			throw new IllegalArgumentException(what + " '" + shortened(key) + "' takes " + bytes
					+ " bytes in UTF-8 with its prefix '" + shortened(this.prefix) + "', but at most " + MAX_BYTES
					+ " are allowed. Use a shorter text, or a hash of this text");
		}
		return (this.prefix.isEmpty()) ? key : this.prefix + key;
	}

	/**
	 * The key of a stored form.
	 */
	public String toKey(String id) {
		return id.substring(this.prefix.length());
	}

	// Counts bytes of UTF-8. Half a surrogate pair would be stored as a replacement
	// character, so different keys would become the same
	private static int bytes(String what, String text) {
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
				throw new IllegalArgumentException(what + " is not valid Unicode, because character " + i
						+ String.format(" (U+%04X)", (int) unit) + " is half a surrogate pair. Remove this character");
			}
		}
		return bytes;
	}

	private static String shortened(String text) {
		return KeyText.printable((text.length() <= SHOWN) ? text : text.substring(0, SHOWN) + "…");
	}

}
