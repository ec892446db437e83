package io.mongolock.jobs;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;

/**
 * Observes attempts. The observation of an attempt is a child of the current observation
 * of the thread that asks for the run. Observations of the work on this thread are its
 * children. Thread-safe.
 *
 * @param registry the registry for the observations
 * @param convention has their key values
 */
record JobObservations(ObservationRegistry registry, JobObservationConvention convention) implements JobObserver {

	@Override
	@SuppressWarnings("resource") // closed at the end
	public End begin(JobRun run) {
		JobObservationContext context = new JobObservationContext(run);
		Observation.Scope outer = this.registry.getCurrentObservationScope();
		Observation observation = Observation.start(this.convention, () -> context, this.registry);
		Observation.Scope scope;
		try {
			scope = observation.openScope();
		}
		catch (RuntimeException | Error ex) { // by a handler
			this.registry.setCurrentObservationScope(outer);
			observation.stop();
			throw ex;
		}
		return (ended, failure) -> {
			try {
				scope.close();
			}
			finally {
				this.registry.setCurrentObservationScope(outer);
				context.ended(ended);
				if (failure != null) {
					observation.error(failure);
				}
				observation.stop();
			}
		};
	}

}
