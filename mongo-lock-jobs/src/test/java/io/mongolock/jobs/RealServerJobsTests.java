package io.mongolock.jobs;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

import io.mongolock.store.mongo.RealServerCondition;
import io.mongolock.test.server.SuiteServer;

/**
 * Jobs on a real server.
 */
@Tag("real-server")
@ExtendWith(RealServerCondition.class)
class RealServerJobsTests extends AbstractJobsTests {

	RealServerJobsTests() {
		super(SuiteServer.get().uri().orElseThrow());
	}

}
