package io.mongolock.shedlock;

import java.time.Duration;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

import io.mongolock.store.mongo.RealServerCondition;
import io.mongolock.test.server.SuiteServer;

/**
 * Providers on a real server: ours, ours beside ShedLock's documents, and ShedLock's own.
 */
@Tag("real-server")
@ExtendWith(RealServerCondition.class)
class RealServerLockProviderTests {

	private static Providers providers;

	@BeforeAll
	static void start() {
		providers = new Providers(SuiteServer.get().uri().orElseThrow(), Duration.ofSeconds(2));
	}

	@AfterAll
	static void end() {
		providers.close();
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
