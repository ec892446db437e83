package io.mongolock.test.embedded;

import java.util.Optional;
import java.util.function.Predicate;

/**
 * The real server that tests are to run on, if one is given.
 */
public final class GivenServer {

	/** Names the server, as environment variable or system property. */
	public static final String NAME = "MONGO_LOCK_TEST_URI";

	private GivenServer() {
	}

	/**
	 * Where it is.
	 * @return its connection string, or empty if none is given
	 */
	public static Optional<String> uri() {
		return Optional.ofNullable(System.getProperty(NAME, System.getenv(NAME)))
			.filter(Predicate.not(String::isBlank));
	}

}
