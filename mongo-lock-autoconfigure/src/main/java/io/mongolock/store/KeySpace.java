package io.mongolock.store;

/**
 * The keys of one store inside a collection that may hold others, too: what is stored is
 * prefix + key.
 *
 * @param prefix what every stored key begins with, may be empty
 */
public record KeySpace(String prefix) {

	/**
	 * The most bytes of UTF-8 that a key may take with its prefix: what every version of
	 * MongoDB can index.
	 */
	public static final int MAX_BYTES = 1024;

	private static final int SHOWN = 64;

	public KeySpace {
		if (KeyText.bytes("The prefix", prefix) >= MAX_BYTES) {
			throw new IllegalArgumentException("The key prefix '" + shortened(prefix) + "' takes "
					+ KeyText.bytes("The prefix", prefix) + " bytes in UTF-8 and leaves no room for keys: at most "
					+ (MAX_BYTES - 1) + " bytes; choose a shorter one");
		}
	}

	/**
	 * What is stored for a key.
	 * @param key the key
	 * @return prefix + key
	 * @throws IllegalArgumentException if the key is empty, not valid Unicode or too long
	 */
	public String toId(String key) {
		if (key == null || key.isEmpty()) {
			throw new IllegalArgumentException("The lock key is " + ((key != null) ? "empty" : "null")
					+ ": it needs at least one character that names what is locked");
		}
		return toId("The lock key", key);
	}

	/**
	 * What is stored for a text that names anything else.
	 * @param what how to call the text in a message
	 * @param key the text
	 * @return prefix + text
	 * @throws IllegalArgumentException if the text is not valid Unicode or too long
	 */
	public String toId(String what, String key) {
		int bytes = KeyText.bytes("The prefix", this.prefix) + KeyText.bytes(what, key);
		if (bytes > MAX_BYTES) {
			throw new IllegalArgumentException(what + " '" + shortened(key) + "' takes " + bytes
					+ " bytes in UTF-8 with its prefix '" + shortened(this.prefix) + "': at most " + MAX_BYTES
					+ "; use a shorter key, or a hash of it");
		}
		return (this.prefix.isEmpty()) ? key : this.prefix + key;
	}

	/**
	 * The key of what is stored.
	 * @param id prefix + key
	 * @return the key
	 */
	public String toKey(String id) {
		return id.substring(this.prefix.length());
	}

	private static String shortened(String text) {
		return KeyText.printable((text.length() <= SHOWN) ? text : text.substring(0, SHOWN) + "…");
	}

}
