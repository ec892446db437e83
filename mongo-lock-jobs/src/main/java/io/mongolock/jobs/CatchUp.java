package io.mongolock.jobs;

/**
 * What happens to ticks that came while no instance was running, when an instance runs
 * again. Ticks count from the start of the first instance that has the schedule. So a new
 * job, or a job whose schedule was changed, makes up for no ticks from before.
 */
public enum CatchUp {

	/**
	 * The last tick is run if it is not longer ago than {@code mongo-lock.jobs.grace}.
	 * Otherwise, it is recorded as {@link JobOutcome#MISSED}.
	 */
	NONE,

	/** The last tick is run, however long ago it was. */
	LAST,

	/**
	 * Each tick is run, the oldest tick first. This includes ticks that come while the
	 * job still runs. If there are more than 100 ticks, the last 100 are run.
	 */
	ALL

}
