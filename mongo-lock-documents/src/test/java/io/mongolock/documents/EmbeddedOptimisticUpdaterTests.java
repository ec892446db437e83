package io.mongolock.documents;

import org.junit.jupiter.api.AutoClose;

import io.mongolock.test.embedded.EmbeddedMongo;

/**
 * Tests for {@link OptimisticUpdater} on the embedded server.
 */
class EmbeddedOptimisticUpdaterTests extends AbstractOptimisticUpdaterContractTests {

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.start();

	@Override
	String uri() {
		return this.server.connectionString();
	}

}
