package io.mongolock.documents;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

import io.mongolock.store.mongo.RealServerCondition;
import io.mongolock.test.server.SuiteServer;

/**
 * Tests for {@link OptimisticUpdater} on a real server.
 */
@Tag("real-server")
@ExtendWith(RealServerCondition.class)
class RealServerOptimisticUpdaterTests extends AbstractOptimisticUpdaterContractTests {

	@Override
	String uri() {
		return SuiteServer.get().uri().orElseThrow();
	}

}
