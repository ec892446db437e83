package io.mongolock.faults.harness.history;

/**
 * Something that was not as promised: what, on which lock, when, and what else was
 * written down around it.
 */
record Violation(Kind kind, String key, long nanos, String text, String around) {

	Violation(Kind kind, String key, long nanos, String text) {
		this(kind, key, nanos, text, "");
	}

	Violation with(String around) {
		return new Violation(this.kind, this.key, this.nanos, this.text, around);
	}

	@Override
	public String toString() {
		return this.text;
	}

	/**
	 * Which promise it breaks.
	 */
	enum Kind {

		/** More at a time than may be. */
		OVERLAP,

		/** A fence that did not rise. */
		FENCE,

		/** A holder got the answer that it holds when another did. */
		FALSE_CHECK,

		/** A loss notified after another's grant. */
		TOLD_LATE,

		/** An acknowledged write that is not there. */
		LOST_UPDATE,

		/** A number that was given out twice. */
		TWICE,

		/** A lock that is held and nobody uses. */
		ORPHAN

	}

}
