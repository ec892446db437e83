package io.mongolock.test.server;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import org.junit.jupiter.api.Test;

import io.mongolock.test.server.Docker.Image;
import io.mongolock.test.server.MongodBinary.Search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.fail;

/**
 * Tests for {@link SuiteServer}.
 */
class SuiteServerTests {

	private static final Image ANY = Image.of(null);

	private static final Function<Image, String> NONE_MAY_START = (image) -> fail("No container may be started");

	private static final BooleanSupplier NOT_ASKED = () -> fail("Docker may not be asked");

	private static final Function<MongodBinary, String> NOT_STARTED = (binary) -> fail("No server may be started");

	private static final MongodBinary BINARY = new MongodBinary(Path.of("/opt/mongod"), "6.0.27");

	private static final Search NOTHING = new Search(Optional.empty(), false, List.of());

	@Test
	void aServerThatIsNamedIsTakenWithoutAskingDockerAndWithoutShowingItsPassword() {
		SuiteServer server = SuiteServer.choose(Optional.of("mongodb://me:secret@host"), () -> found(false),
				NOT_STARTED, ANY, NOT_ASKED, NONE_MAY_START);
		assertThat(server.uri()).contains("mongodb://me:secret@host");
		assertThat(server.binary()).isEmpty();
		assertThat(server.toString().lines())
			.containsExactly("Server of the tests: the one that MONGO_LOCK_TEST_URI names");
	}

	@Test
	void besideAServerThatIsNamedOthersAreStartedOnlyFromABinaryThatIsNamed() {
		SuiteServer server = SuiteServer.choose(Optional.of("mongodb://host"), () -> found(true), NOT_STARTED, ANY,
				NOT_ASKED, NONE_MAY_START);
		assertThat(server.uri()).contains("mongodb://host");
		assertThat(server.binary()).contains(BINARY);
	}

	@Test
	void theEmbeddedServerCanBeChosenWhereDockerAnswers() {
		SuiteServer server = SuiteServer.choose(Optional.of("embedded"), () -> found(true), NOT_STARTED, ANY,
				() -> true, NONE_MAY_START);
		assertThat(server.uri()).isEmpty();
		assertThat(server.binary()).isEmpty();
		assertThat(server.toString().lines())
			.containsExactly("Server of the tests: embedded, as MONGO_LOCK_TEST_URI says so");
	}

	@Test
	void aSetOfOneIsStartedFromABinaryThatIsNamedOrOnThePath() {
		SuiteServer named = SuiteServer.choose(Optional.empty(), () -> found(true), (binary) -> "mongodb://" + binary,
				ANY, NOT_ASKED, NONE_MAY_START);
		assertThat(named.uri()).contains("mongodb://mongod 6.0.27 (/opt/mongod)");
		assertThat(named.binary()).contains(BINARY);
		assertThat(named.toString().lines())
			.containsExactly("Server of the tests: a replica set of one member started from "
					+ "mongod 6.0.27 (/opt/mongod), as MONGO_LOCK_TEST_MONGOD names it");
		SuiteServer onPath = SuiteServer.choose(Optional.empty(), () -> found(false), (binary) -> "any", ANY, NOT_ASKED,
				NONE_MAY_START);
		assertThat(onPath.toString().lines())
			.containsExactly("Server of the tests: a replica set of one member started from "
					+ "mongod 6.0.27 (/opt/mongod), as it is on the PATH and MONGO_LOCK_TEST_URI is not set");
	}

	@Test
	void aContainerIsStartedWhereDockerAnswers() {
		SuiteServer server = SuiteServer.choose(Optional.empty(), () -> NOTHING, NOT_STARTED, ANY, () -> true,
				(image) -> "mongodb://localhost:32768");
		assertThat(server.uri()).contains("mongodb://localhost:32768");
		assertThat(server.toString().lines())
			.containsExactly("Server of the tests: a container of mongo:5.0.7, as MONGO_LOCK_TEST_URI is not set, "
					+ "there is no mongod and Docker answers");
	}

	@Test
	void suitesStartAnEmbeddedServerWhereDockerDoesNotAnswer() {
		SuiteServer server = SuiteServer.choose(Optional.empty(), () -> NOTHING, NOT_STARTED, ANY, () -> false,
				NONE_MAY_START);
		assertThat(server.uri()).isEmpty();
		assertThat(server.toString().lines())
			.containsExactly("Server of the tests: embedded, as neither MONGO_LOCK_TEST_URI is set nor there is "
					+ "a mongod nor Docker answers");
	}

	@Test
	void aBinaryThatIsTooOldIsNamedAndPassedOver() {
		Search search = new Search(Optional.empty(), false,
				List.of(new MongodBinary(Path.of("/usr/bin/mongod"), "3.6.8")));
		assertThat(SuiteServer.choose(Optional.empty(), () -> search, NOT_STARTED, ANY, () -> false, NONE_MAY_START)
			.toString()
			.lines())
			.containsExactly("Server of the tests: embedded, as neither MONGO_LOCK_TEST_URI is set nor there "
					+ "is a mongod nor Docker answers (passed over, as older than 4.4: mongod 3.6.8 (/usr/bin/mongod))");
	}

	@Test
	void aContainerThatDoesNotStartLeavesTheEmbeddedServerAndSaysWhyInOneLine() {
		SuiteServer server = SuiteServer.choose(Optional.empty(), () -> NOTHING, NOT_STARTED, ANY, () -> true,
				(image) -> {
					throw new IllegalStateException("Can't get Docker image\nfor a reason of many lines");
				});
		assertThat(server.uri()).isEmpty();
		assertThat(server.toString().lines())
			.containsExactly("Server of the tests: embedded, as MONGO_LOCK_TEST_URI is not set, there is no mongod and "
					+ "Docker answers, but no container of mongo:5.0.7 started: Can't get Docker image");
	}

	@Test
	void anImageThatIsNamedIsTakenBeforeAMongodOnThePathAndAfterOneThatIsNamed() {
		Image image = Image.of("mongo:8.0");
		SuiteServer server = SuiteServer.choose(Optional.empty(), () -> found(false), NOT_STARTED, image, () -> true,
				(started) -> "mongodb://" + started.name());
		assertThat(server.uri()).contains("mongodb://mongo:8.0");
		assertThat(server.binary()).isEmpty();
		assertThat(server.toString().lines())
			.containsExactly("Server of the tests: a container of mongo:8.0, as MONGO_LOCK_TEST_IMAGE names it");
		assertThat(SuiteServer
			.choose(Optional.empty(), () -> found(true), (binary) -> "any", image, NOT_ASKED, NONE_MAY_START)
			.toString()).endsWith("as MONGO_LOCK_TEST_MONGOD names it");
	}

	@Test
	void noOtherServerStandsInForAnImageThatIsNamed() {
		Image image = Image.of("mongo:8.0");
		assertThatIllegalStateException()
			.isThrownBy(() -> SuiteServer.choose(Optional.empty(), () -> NOTHING, NOT_STARTED, image, () -> false,
					NONE_MAY_START))
			.withMessage("MONGO_LOCK_TEST_IMAGE names mongo:8.0, but Docker does not answer: start it, or leave the "
					+ "name out");
		IllegalStateException failure = new IllegalStateException("Can't get Docker image");
		assertThatIllegalStateException().isThrownBy(
				() -> SuiteServer.choose(Optional.empty(), () -> NOTHING, NOT_STARTED, image, () -> true, (named) -> {
					throw failure;
				}))
			.isSameAs(failure);
	}

	@Test
	void allSuitesOfAJvmHaveTheSameServer() {
		assertThat(SuiteServer.get()).isSameAs(SuiteServer.get());
	}

	private static Search found(boolean named) {
		return new Search(Optional.of(BINARY), named, List.of());
	}

}
