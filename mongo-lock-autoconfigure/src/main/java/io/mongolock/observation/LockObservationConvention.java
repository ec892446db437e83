package io.mongolock.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * The key values of the observations {@value LockObservations#ACQUIRE} and
 * {@value LockObservations#HOLD}. A bean of this type replaces
 * {@link DefaultLockObservationConvention}. If the convention has no name, each
 * observation keeps its own name.
 */
public interface LockObservationConvention extends ObservationConvention<LockObservationContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof LockObservationContext;
	}

}
