package io.mongolock.jobs;

/**
 * The fate of a run whose instance died before its end, or that was cut off, once the
 * lock of the job is free.
 */
public enum OnAbandoned {

	/** Another instance runs it again, under the same tick, as the next attempt. */
	RERUN,

	/** It is recorded as {@link JobOutcome#ABANDONED}. */
	REPORT

}
