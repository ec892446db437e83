package io.mongolock.jobs;

import io.micrometer.observation.Observation;

/**
 * An attempt of a job as it is observed. Used by its thread.
 */
public final class JobObservationContext extends Observation.Context {

	private JobRun run;

	JobObservationContext(JobRun run) {
		this.run = run;
	}

	/**
	 * The run.
	 * @return the run as it is kept, which has not ended as long as the work goes on, and
	 * after that only if it was cut off or another instance has taken it over
	 */
	public JobRun run() {
		return this.run;
	}

	void ended(JobRun run) {
		this.run = run;
	}

}
