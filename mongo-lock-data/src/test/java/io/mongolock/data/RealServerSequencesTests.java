package io.mongolock.data;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

import io.mongolock.store.mongo.RealServerCondition;
import io.mongolock.test.server.SuiteServer;

/**
 * Tests for {@link Sequences} on a real server.
 */
@Tag("real-server")
@ExtendWith(RealServerCondition.class)
class RealServerSequencesTests extends AbstractSequencesContractTests {

	@Override
	String uri() {
		return SuiteServer.get().uri().orElseThrow();
	}

}
