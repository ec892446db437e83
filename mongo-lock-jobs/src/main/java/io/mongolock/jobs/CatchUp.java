package io.mongolock.jobs;

/**
 * What happens to ticks at which no instance was there, once one is there again. A job
 * that has never run has no such ticks: it begins with the first one after the start of
 * an instance.
 */
public enum CatchUp {

	/**
	 * The last tick is run if that is not longer ago than {@code mongo-lock.jobs.grace}.
	 * Otherwise it is recorded as {@link JobOutcome#MISSED}.
	 */
	NONE,

	/** The last tick is run, however long ago it was. */
	LAST

}
