package io.mongolock.jobs;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;

/**
 * Observations of attempts. They are children of what the thread observes that asks for a
 * run, and what the work does on its thread is a child of them. Thread-safe.
 *
 * @param registry where they are observed
 * @param convention their key values
 */
record JobObservations(ObservationRegistry registry, JobObservationConvention convention) implements JobObserver {

	@Override
	@SuppressWarnings("resource") // closed at the end
	public End begin(JobRun run) {
		JobObservationContext context = new JobObservationContext(run);
		Observation observation = Observation.start(this.convention, () -> context, this.registry);
		Observation.Scope scope = observation.openScope();
		return (ended, failure) -> {
			scope.close();
			context.ended(ended);
			if (failure != null) {
				observation.error(failure);
			}
			observation.stop();
		};
	}

}
