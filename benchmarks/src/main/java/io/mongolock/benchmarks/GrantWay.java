package io.mongolock.benchmarks;

/**
 * How a lock gets from one client to another one that waits.
 */
enum GrantWay {

	/** Release, confirmed behind, event, claim. */
	CLAIM("release, event, claim"),

	/** A release that grants and is confirmed, and its event. */
	GRANT("release that grants, event"),

	/** The same, and the holder renews the lease before it begins. */
	RENEWED("the same, renewed first"),

	/** A release that grants and is confirmed behind, as that of a claim is. */
	BEHIND("release that grants, confirmed behind"),

	/** The whole library as it is, in both JVMs. */
	LIBRARY("the library");

	private final String title;

	GrantWay(String title) {
		this.title = title;
	}

	String title() {
		return this.title;
	}

	/**
	 * Whether the release is the grant.
	 */
	boolean grants() {
		return this == GRANT || this == RENEWED || this == BEHIND;
	}

}
