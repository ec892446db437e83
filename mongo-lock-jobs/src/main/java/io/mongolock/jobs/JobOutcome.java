package io.mongolock.jobs;

/**
 * The ways in which a tick of a job can end.
 */
public enum JobOutcome {

	/**
	 * The work still runs, or its instance died and no other instance has noticed this
	 * yet.
	 */
	RUNNING,

	/** The work returned. */
	SUCCEEDED,

	/**
	 * The work threw an exception.
	 */
	FAILED,

	/**
	 * The work took longer than its {@link ScheduledJob#maxDuration} and was interrupted.
	 */
	TIMED_OUT,

	/**
	 * The instance died, and the work was not run again.
	 */
	ABANDONED,

	/**
	 * The tick was not run, because the job was still running or was paused.
	 */
	SKIPPED,

	/**
	 * The tick was not run, because no instance was running in time, or because more than
	 * 100 ticks were waiting with {@link CatchUp#ALL}.
	 */
	MISSED,

	/**
	 * The run was recorded by a newer version, or by hand. Such a run is shown, but it is
	 * neither replaced nor run again.
	 */
	UNKNOWN

}
