package io.mongolock.test.server;

import java.util.Optional;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/**
 * Tests for {@link SuiteServer}.
 */
class SuiteServerTests {

	private static final Supplier<String> NONE_MAY_START = () -> fail("No container may be started");

	@Test
	void aServerThatIsNamedIsTakenWithoutAskingDockerAndWithoutShowingItsPassword() {
		SuiteServer server = SuiteServer.choose(Optional.of("mongodb://me:secret@host"),
				() -> fail("Docker may not be asked"), NONE_MAY_START);
		assertThat(server.uri()).contains("mongodb://me:secret@host");
		assertThat(server.toString().lines())
			.containsExactly("Server of the tests: the one that MONGO_LOCK_TEST_URI names");
	}

	@Test
	void theEmbeddedServerCanBeChosenWhereDockerAnswers() {
		SuiteServer server = SuiteServer.choose(Optional.of("embedded"), () -> true, NONE_MAY_START);
		assertThat(server.uri()).isEmpty();
		assertThat(server.toString().lines())
			.containsExactly("Server of the tests: embedded, as MONGO_LOCK_TEST_URI says so");
	}

	@Test
	void aContainerIsStartedWhereDockerAnswers() {
		SuiteServer server = SuiteServer.choose(Optional.empty(), () -> true, () -> "mongodb://localhost:32768");
		assertThat(server.uri()).contains("mongodb://localhost:32768");
		assertThat(server.toString().lines())
			.containsExactly("Server of the tests: a container of mongo:5.0.7, as MONGO_LOCK_TEST_URI is not set "
					+ "and Docker answers");
	}

	@Test
	void suitesStartAnEmbeddedServerWhereDockerDoesNotAnswer() {
		SuiteServer server = SuiteServer.choose(Optional.empty(), () -> false, NONE_MAY_START);
		assertThat(server.uri()).isEmpty();
		assertThat(server.toString().lines())
			.containsExactly("Server of the tests: embedded, as neither MONGO_LOCK_TEST_URI is set nor Docker answers");
	}

	@Test
	void aContainerThatDoesNotStartLeavesTheEmbeddedServerAndSaysWhyInOneLine() {
		SuiteServer server = SuiteServer.choose(Optional.empty(), () -> true, () -> {
			throw new IllegalStateException("Can't get Docker image\nfor a reason of many lines");
		});
		assertThat(server.uri()).isEmpty();
		assertThat(server.toString().lines())
			.containsExactly("Server of the tests: embedded, as MONGO_LOCK_TEST_URI is not set and Docker answers, "
					+ "but no container of mongo:5.0.7 started: Can't get Docker image");
	}

	@Test
	void allSuitesOfAJvmHaveTheSameServer() {
		assertThat(SuiteServer.get()).isSameAs(SuiteServer.get());
	}

}
