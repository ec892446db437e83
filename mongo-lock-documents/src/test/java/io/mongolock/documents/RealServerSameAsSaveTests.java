package io.mongolock.documents;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

import io.mongolock.store.mongo.RealServerCondition;
import io.mongolock.test.server.SuiteServer;

/**
 * A locked save compared with a plain one on a real server.
 */
@Tag("real-server")
@ExtendWith(RealServerCondition.class)
class RealServerSameAsSaveTests extends AbstractSameAsSaveContractTests {

	@Override
	String uri() {
		return SuiteServer.get().uri().orElseThrow();
	}

	@Override
	boolean isReal() {
		return true;
	}

}
