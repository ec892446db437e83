package io.mongolock;

/**
 * The caller that asked for a lock. This is for diagnostics. No decision of the library
 * depends on it.
 *
 * @param application the name of the application, empty if it has none
 * @param instance tells the instances of one application apart
 * @param host the name of the machine, empty if unknown
 * @param pid the process id
 * @param thread the name of the thread that asked
 * @param as the name of the caller as people know it, for example a user of the
 * application; empty if the request has no such name
 */
public record LockOwner(String application, String instance, String host, long pid, String thread, String as) {

	/**
	 * How many characters the name of a caller may have.
	 */
	public static final int MAX_AS = 100;

	/**
	 * Create an owner without a name that people know.
	 * @param application the name of the application, empty if it has none
	 * @param instance tells the instances of one application apart
	 * @param host the name of the machine, empty if unknown
	 * @param pid the process id
	 * @param thread the name of the thread that asked
	 */
	public LockOwner(String application, String instance, String host, long pid, String thread) {
		this(application, instance, host, pid, thread, "");
	}

	/**
	 * Return the same owner on another thread.
	 * @param thread the name of that thread
	 * @return a copy with that thread
	 */
	public LockOwner onThread(String thread) {
		return new LockOwner(this.application, this.instance, this.host, this.pid, thread, this.as);
	}

	/**
	 * Return the same owner with a name that people know.
	 * @param as the name
	 * @return a copy with that name
	 */
	public LockOwner as(String as) {
		return new LockOwner(this.application, this.instance, this.host, this.pid, this.thread, as);
	}

	static String checkAs(String as) {
		if (as.isBlank() || as.length() > MAX_AS) {
			throw new IllegalArgumentException("The name of a lock's holder must have 1 to " + MAX_AS
					+ " characters, but this name " + ((as.isBlank()) ? "is blank. Leave the name out"
							: "has " + as.length() + " characters. Shorten the name"));
		}
		as.codePoints().filter((character) -> !isShown(character)).findFirst().ifPresent((character) -> {
			throw new IllegalArgumentException("The name of a lock's holder must not have a control character or half "
					+ "a surrogate pair, but this name has such a character" + String.format(" (U+%04X)", character)
					+ ". Remove this character");
		});
		return as;
	}

	// The characters that join or separate the letters of a word are part of a name
	private static boolean isShown(int character) {
		return switch (Character.getType(character)) {
			case Character.FORMAT -> character == 0x200C || character == 0x200D;
			case Character.CONTROL, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SURROGATE ->
				false;
			default -> true;
		};
	}

	@Override
	public String toString() {
		return ((this.as.isEmpty()) ? "" : this.as + " at ")
				+ ((this.application.isEmpty()) ? "" : this.application + " ") + this.instance + " (host " + this.host
				+ ", pid " + this.pid + ", thread " + this.thread + ")";
	}

}
