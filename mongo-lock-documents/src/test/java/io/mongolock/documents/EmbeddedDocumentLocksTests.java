package io.mongolock.documents;

import org.junit.jupiter.api.AutoClose;

import io.mongolock.test.embedded.EmbeddedMongo;

/**
 * Tests for {@link DocumentLockOperations} on the embedded server.
 */
class EmbeddedDocumentLocksTests extends AbstractDocumentLocksContractTests {

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.start();

	@Override
	String uri() {
		return this.server.connectionString();
	}

}
