package io.mongolock.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * The key values of the observations {@value LockObservations#ACQUIRE} and
 * {@value LockObservations#HOLD}. A bean of this type takes the place of
 * {@link DefaultLockObservationConvention}. Without a name of its own each keeps its
 * name.
 */
public interface LockObservationConvention extends ObservationConvention<LockObservationContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof LockObservationContext;
	}

}
