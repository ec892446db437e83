package io.mongolock.documents;

import org.junit.jupiter.api.AutoClose;

import io.mongolock.test.embedded.EmbeddedMongo;

/**
 * A locked save compared with a plain one on the embedded server.
 */
class EmbeddedSameAsSaveTests extends AbstractSameAsSaveContractTests {

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.start();

	@Override
	String uri() {
		return this.server.connectionString();
	}

	@Override
	boolean isReal() {
		return false;
	}

}
