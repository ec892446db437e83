package io.mongolock.jobs;

import io.micrometer.observation.Observation;

/**
 * The observation of a job's attempt. Used by the attempt's thread.
 */
public final class JobObservationContext extends Observation.Context {

	private JobRun run;

	JobObservationContext(JobRun run) {
		this.run = run;
	}

	/**
	 * The run.
	 * @return the run as it is recorded. It is still open while the work goes on. It
	 * stays open if the work was cut off, or if another instance has taken it over
	 */
	public JobRun run() {
		return this.run;
	}

	void ended(JobRun run) {
		this.run = run;
	}

}
