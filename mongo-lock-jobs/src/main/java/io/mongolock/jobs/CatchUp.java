package io.mongolock.jobs;

/**
 * The fate of ticks at which no instance was there, once one is there again. A job that
 * has never run has no such ticks: it begins with the first one after the start of an
 * instance.
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
	 * the job still runs. Of more than 100 the last 100 are.
	 */
	ALL

}
