package io.mongolock.data;

import org.junit.jupiter.api.AutoClose;

import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.embedded.UpsertRace;

/**
 * Tests for {@link Sequences} on the embedded server as MongoDB 5.0 behaves.
 */
class EmbeddedSequencesTests extends AbstractSequencesContractTests {

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.builder().upsertRace(upsertRace()).start();

	UpsertRace upsertRace() {
		return UpsertRace.RETRY;
	}

	@Override
	String uri() {
		return this.server.connectionString();
	}

}
