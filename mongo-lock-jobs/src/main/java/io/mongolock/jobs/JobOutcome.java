package io.mongolock.jobs;

/**
 * The ways in which a tick of a job ends.
 */
public enum JobOutcome {

	/** It runs, or its instance died and nobody has noticed yet. */
	RUNNING,

	/** The work returned. */
	SUCCEEDED,

	/** The work threw something. */
	FAILED,

	/**
	 * The work took longer than its {@link ScheduledJob#maxDuration} and was interrupted.
	 */
	TIMED_OUT,

	/** The instance died, and the work was not run again. */
	ABANDONED,

	/** The tick was not run, because the job was still running, or paused. */
	SKIPPED,

	/** The tick was not run, because no instance was there in time. */
	MISSED,

	/**
	 * It was recorded by a newer version, or by hand. Such a run is shown, and neither
	 * replaced nor run again.
	 */
	UNKNOWN

}
