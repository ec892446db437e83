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
		Observation.Scope outer = this.registry.getCurrentObservationScope();
		Observation observation = Observation.start(this.convention, () -> context, this.registry);
		Observation.Scope scope;
		try {
			scope = observation.openScope();
		}
		catch (RuntimeException | Error ex) { // of a handler
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
