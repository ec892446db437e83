package io.mongolock.faults.matrix;

/**
 * How close to the real thing a row is shown.
 */
public enum Level {

	/** Unit: a fake clock or a scripted store. */
	U("unit"),

	/** The real driver, and the proxy before a server. */
	P("proxy"),

	/** A server. */
	S("server"),

	/** A replica set. */
	R("replica set"),

	/** A Spring context. */
	B("Spring context");

	private final String text;

	Level(String text) {
		this.text = text;
	}

	@Override
	public String toString() {
		return this.text;
	}

}
