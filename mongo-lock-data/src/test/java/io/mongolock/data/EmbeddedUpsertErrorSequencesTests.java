package io.mongolock.data;

import io.mongolock.test.embedded.UpsertRace;

/**
 * Tests for {@link Sequences} on the embedded server as MongoDB 4.4 behaves: the loser of
 * an upsert race gets an error.
 */
class EmbeddedUpsertErrorSequencesTests extends EmbeddedSequencesTests {

	@Override
	UpsertRace upsertRace() {
		return UpsertRace.CLIENT_ERROR;
	}

}
