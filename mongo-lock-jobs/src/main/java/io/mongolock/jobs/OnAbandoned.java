package io.mongolock.jobs;

/**
 * What happens to a run that was cut off, or whose instance died before its end. It
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
