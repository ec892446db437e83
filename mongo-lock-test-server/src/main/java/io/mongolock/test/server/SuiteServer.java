package io.mongolock.test.server;

import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The server that the suites of this JVM run on: the one that {@code MONGO_LOCK_TEST_URI}
 * names, otherwise a container where Docker answers, otherwise an embedded one, which
 * each suite starts itself. Immutable.
 *
 * @param uri the connection string of the real server, or empty for an embedded one
 * @param reason which it is and why, without the connection string and its password
 */
public record SuiteServer(Optional<String> uri, String reason) {

	/**
	 * The server of this JVM. The first call decides, may start the container, and says
	 * in one line of the output which it is.
	 * @return the server
	 */
	public static SuiteServer get() {
		return OfThisJvm.SERVER;
	}

	/**
	 * Whether the suites of this JVM are to share a real server. Starts none.
	 * @return {@code false} if each has an embedded one of its own
	 */
	public static boolean isShared() {
		return choose(GivenServer.value(), Docker::answers, () -> "a container").uri().isPresent();
	}

	static SuiteServer choose(Optional<String> given, BooleanSupplier docker, Supplier<String> container) {
		if (given.filter(GivenServer.EMBEDDED::equals).isPresent()) {
			return embedded(GivenServer.NAME + " says so");
		}
		if (given.isPresent()) {
			return new SuiteServer(given, "the one that " + GivenServer.NAME + " names");
		}
		if (!docker.getAsBoolean()) {
			return embedded("neither " + GivenServer.NAME + " is set nor Docker answers");
		}
		String unset = GivenServer.NAME + " is not set and Docker answers";
		try {
			return new SuiteServer(Optional.of(container.get()), "a container of " + Docker.IMAGE + ", as " + unset);
		}
		catch (RuntimeException ex) {
			// such as an image that cannot be pulled: the suites need no more than a JDK
			return embedded(unset + ", but no container of " + Docker.IMAGE + " started: "
					+ String.valueOf(ex.getMessage()).lines().findFirst().orElse(""));
		}
	}

	private static SuiteServer embedded(String why) {
		return new SuiteServer(Optional.empty(), "embedded, as " + why);
	}

	@Override
	public String toString() {
		return "Server of the tests: " + this.reason;
	}

	/**
	 * Test classes have nothing else in common that lives as long as a container does.
	 */
	private static final class OfThisJvm {

		private static final SuiteServer SERVER = choose(GivenServer.value(), Docker::answers, Docker::startReplicaSet);

		static {
			System.out.println(SERVER);
		}

	}

}
