package io.mongolock.jobs;

/**
 * The fate of ticks at which no instance was there, once one is there again. Ticks count
 * from the start of the first instance that has the schedule: a new job, or one whose
 * schedule was changed, makes up for none from before.
 */
public enum CatchUp {

	/**
	 * The last tick is run if that is not longer ago than {@code mongo-lock.jobs.grace}.
	 * Otherwise it is recorded as {@link JobOutcome#MISSED}.
	 */
	NONE,

	/** The last tick is run, however long ago it was. */
	LAST,

	/**
	 * Each tick is run, one after the other, the oldest first: also those that come while
	 * the job still runs. If there are more than 100, the last 100 are run.
	 */
	ALL

}
