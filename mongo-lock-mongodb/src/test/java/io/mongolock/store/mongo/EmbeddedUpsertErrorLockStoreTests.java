package io.mongolock.store.mongo;

import io.mongolock.test.embedded.UpsertRace;

/**
 * Tests for {@link MongoLockStore} on the embedded server as MongoDB 4.4 behaves: the
 * loser of an upsert race gets an error.
 */
class EmbeddedUpsertErrorLockStoreTests extends EmbeddedLockStoreTests {

	@Override
	UpsertRace upsertRace() {
		return UpsertRace.CLIENT_ERROR;
	}

}
