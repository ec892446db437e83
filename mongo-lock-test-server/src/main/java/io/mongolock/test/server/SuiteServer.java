package io.mongolock.test.server;

import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

import io.mongolock.test.server.Docker.Image;
import io.mongolock.test.server.MongodBinary.Search;

/**
 * The server that the suites of this JVM run on. If {@code MONGO_LOCK_TEST_URI} names a
 * server, it is that server. Otherwise, a replica set of one member is started for this
 * JVM. It runs from the named {@code mongod} or image. If none is named, it runs from a
 * {@code mongod} on the path, or in a container if Docker answers. If none of these is
 * possible, each suite starts an embedded server itself. Immutable.
 *
 * @param uri the connection string of the real server, or empty for an embedded one
 * @param binary the executable from which suites can start their own servers, beside that
 * one
 * @param reason which server it is and why, without the connection string and its
 * password
 */
public record SuiteServer(Optional<String> uri, Optional<MongodBinary> binary, String reason) {

	/**
	 * The server of this JVM. The first call decides, may start the server or the
	 * container, and prints the choice in one line.
	 * @return the server
	 * @throws IllegalStateException if the named {@code mongod} or image cannot be used
	 */
	public static SuiteServer get() {
		return OfThisJvm.SERVER;
	}

	/**
	 * Whether the suites of this JVM share a real server. Starts none.
	 * @return {@code false} if each suite has its own embedded server
	 */
	public static boolean isShared() {
		return choose(GivenServer.value(), OfThisJvm::search, (binary) -> "a server", Image.ofThisMachine(),
				Docker::answers, (image) -> "a container")
			.uri()
			.isPresent();
	}

	static SuiteServer choose(Optional<String> given, Supplier<Search> search, Function<MongodBinary, String> start,
			Image image, BooleanSupplier docker, Function<Image, String> container) {
		if (given.filter(GivenServer.EMBEDDED::equals).isPresent()) {
			return embedded(GivenServer.NAME + " says so");
		}
		Search searched = search.get();
		if (given.isPresent()) {
			// An executable that only happens to be on the path is not used then
			return new SuiteServer(given, searched.found().filter((binary) -> searched.named()),
					"the one that " + GivenServer.NAME + " names");
		}
		if (searched.found().isPresent() && (searched.named() || !image.named())) {
			MongodBinary binary = searched.found().get();
			return new SuiteServer(Optional.of(start.apply(binary)), searched.found(),
					"a replica set of one member started from " + binary
							+ (searched.named() ? ", as " + MongodBinary.NAME + " names it"
									: ", as it is on the PATH and " + GivenServer.NAME + " is not set")
							+ searched.remark());
		}
		return (image.named()) ? ofNamedImage(image, docker, container)
				: withoutBinary(searched, image, docker, container);
	}

	// No other server was asked for
	private static SuiteServer ofNamedImage(Image image, BooleanSupplier docker, Function<Image, String> container) {
		String named = Docker.NAME + " names " + image.name();
		if (!docker.getAsBoolean()) {
			throw new IllegalStateException(named + ", but Docker does not answer: start it, or leave the name out");
		}
		return new SuiteServer(Optional.of(container.apply(image)), Optional.empty(),
				"a container of " + image.name() + ", as " + Docker.NAME + " names it");
	}

	private static SuiteServer withoutBinary(Search searched, Image image, BooleanSupplier docker,
			Function<Image, String> container) {
		if (!docker.getAsBoolean()) {
			return embedded("neither " + GivenServer.NAME + " is set nor there is a mongod nor Docker answers"
					+ searched.remark());
		}
		String unset = GivenServer.NAME + " is not set, there is no mongod and Docker answers";
		try {
			return new SuiteServer(Optional.of(container.apply(image)), Optional.empty(),
					"a container of " + image.name() + ", as " + unset + searched.remark());
		}
		catch (RuntimeException ex) {
			// For example if the image cannot be pulled: the suites must run with just a
			// JDK
			return embedded(unset + ", but no container of " + image.name() + " started: "
					+ String.valueOf(ex.getMessage()).lines().findFirst().orElse(""));
		}
	}

	private static SuiteServer embedded(String why) {
		return new SuiteServer(Optional.empty(), Optional.empty(), "embedded, as " + why);
	}

	@Override
	public String toString() {
		return "Server of the tests: " + this.reason;
	}

	/**
	 * Static, because test classes share nothing else that lives as long as a server.
	 */
	private static final class OfThisJvm {

		private static final SuiteServer SERVER = choose(GivenServer.value(), OfThisJvm::search,
				OfThisJvm::startReplicaSet, Image.ofThisMachine(), Docker::answers, Docker::startReplicaSet);

		static {
			TestOutput.say(SERVER.toString());
		}

		private static Search search() {
			return Search.ofThisMachine();
		}

		// Ends with this JVM
		@SuppressWarnings("resource")
		private static String startReplicaSet(MongodBinary binary) {
			return RealMongo.builder(binary).replicaSet(1).start().connectionString();
		}

	}

}
