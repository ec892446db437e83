package io.mongolock.store.mongo;

import java.time.Duration;

import org.springframework.data.mongodb.core.MongoOperations;

/**
 * PLACEHOLDER until the store is merged.
 */
public final class TtlIndexInitializer {

	public TtlIndexInitializer(MongoOperations template, String collection, Mode mode, Duration retention) {
	}

	public void initialize() {
	}

	/** What to do about the index at start. */
	public enum Mode {

		/** Create it if it is missing. */
		CREATE,

		/** Only warn if it is missing. */
		VALIDATE,

		/** Do not look. */
		NONE

	}

}
