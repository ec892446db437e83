package io.mongolock.jobs;

/**
 * The fate of a run whose instance died or was cut off before its end, once the lock of
 * the job is free.
 */
public enum OnAbandoned {

	/** Another instance runs it again, under the same tick, as the next attempt. */
	RERUN,

	/** It is recorded as {@link JobOutcome#ABANDONED}. */
	REPORT

}
