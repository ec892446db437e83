package io.mongolock.shedlock;

import java.time.Duration;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

import io.mongolock.test.embedded.EmbeddedMongo;

/**
 * Providers on the embedded server: ours, ours beside ShedLock's documents, and
 * ShedLock's own.
 */
class EmbeddedLockProviderTests {

	private static EmbeddedMongo server;

	private static Providers providers;

	@BeforeAll
	static void start() {
		server = EmbeddedMongo.builder().start();
		providers = new Providers(server.connectionString(), Duration.ofSeconds(1));
	}

	@AfterAll
	static void end() {
		providers.close();
		server.close();
	}

	@AfterEach
	void reset() {
		providers.reset();
	}

	@Nested
	class OursTests extends AbstractOwnerCheckTests {

		OursTests() {
			super(providers::own, providers.moment());
		}

	}

	@Nested
	class BothTests extends AbstractOwnerCheckTests {

		BothTests() {
			super(providers::both, providers.moment());
		}

	}

	@Nested
	class ShedLocksTests extends AbstractLockProviderContractTests {

		ShedLocksTests() {
			super(providers::shedLock, providers.moment());
		}

	}

	@Nested
	class RollingUpgradeTests extends AbstractRollingUpgradeTests {

		RollingUpgradeTests() {
			super(providers);
		}

	}

}
