package io.mongolock.observation;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockLostException;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.core.ReleaseDecision.ReleaseOutcome;

/**
 * The values of tags of meters and observations. {@link LockMeters},
 * {@link LockObservations} and {@link DefaultLockObservationConvention} have the names of
 * their tags.
 */
final class LockTags {

	/** The tag's value for locks without a name. */
	private static final String UNNAMED = "none";

	private static final String NO_ERROR = "none";

	private LockTags() {
	}

	static String name(LockRequest request) {
		return (request.name() != null) ? request.name() : UNNAMED;
	}

	static String outcome(ReleaseOutcome outcome) {
		return (outcome != ReleaseOutcome.RELEASED) ? lower(outcome) : "completed";
	}

	/**
	 * The error tag, with the value that timers made from observations have.
	 * @param failure the failure of the claim, if it failed
	 */
	static String error(@Nullable LockStoreException failure) {
		return (failure != null) ? failure.getClass().getSimpleName() : NO_ERROR;
	}

	static String error(ReleaseOutcome outcome) {
		return (outcome == ReleaseOutcome.LOST) ? LockLostException.class.getSimpleName() : NO_ERROR;
	}

	static String lower(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
