package io.mongolock.observation;

import java.util.Locale;

import io.mongolock.LockRequest;
import io.mongolock.core.ReleaseOutcome;

/**
 * What meters and observations are tagged with.
 */
final class LockTags {

	/** The name of locks without one. */
	private static final String UNNAMED = "none";

	private LockTags() {
	}

	static String name(LockRequest request) {
		return (request.name() != null) ? request.name() : UNNAMED;
	}

	static String outcome(ReleaseOutcome outcome) {
		return (outcome != ReleaseOutcome.RELEASED) ? lower(outcome) : "completed";
	}

	static String lower(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
