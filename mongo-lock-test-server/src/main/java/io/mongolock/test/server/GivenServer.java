package io.mongolock.test.server;

import java.util.Optional;
import java.util.function.Predicate;

/**
 * The server that tests must run on, if one is given.
 */
public final class GivenServer {

	/** Names the server, as environment variable or system property. */
	public static final String NAME = "MONGO_LOCK_TEST_URI";

	/** Replaces a connection string: only embedded servers. */
	public static final String EMBEDDED = "embedded";

	private GivenServer() {
	}

	/**
	 * The address of the real server.
	 * @return its connection string, or empty if none is given
	 */
	public static Optional<String> uri() {
		return value().filter(Predicate.not(EMBEDDED::equals));
	}

	/**
	 * Whether only embedded servers must be used.
	 * @return {@code true} if the name stands for embedded servers
	 */
	public static boolean isEmbedded() {
		return value().filter(EMBEDDED::equals).isPresent();
	}

	static Optional<String> value() {
		return Optional.ofNullable(System.getProperty(NAME, System.getenv(NAME)))
			.filter(Predicate.not(String::isBlank));
	}

}
