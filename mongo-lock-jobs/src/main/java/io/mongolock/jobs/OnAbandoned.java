package io.mongolock.jobs;

/**
 * What happens to a run whose instance died before the run's end, or that was cut off. It
 * happens when the lock of the job is free.
 */
public enum OnAbandoned {

	/**
	 * Another instance runs the same tick again, as the next attempt.
	 */
	RERUN,

	/**
	 * The run is recorded as {@link JobOutcome#ABANDONED}.
	 */
	REPORT

}
