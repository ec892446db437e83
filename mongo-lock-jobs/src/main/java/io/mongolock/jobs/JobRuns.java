package io.mongolock.jobs;

import java.time.Instant;
import java.util.List;
import java.util.SortedSet;

import org.jspecify.annotations.Nullable;

import io.mongolock.jobs.JobDecision.Seen;
import io.mongolock.jobs.StoredJob.Pause;

/**
 * The records of runs, one for each job and tick, and a record of each job. They are kept
 * where the locks are. Thread-safe.
 */
interface JobRuns {

	/** Prepare the store for its first record. */
	void createIndexes();

	/** The time of the store. */
	Instant now();

	/**
	 * The newest run of a job.
	 * @param until the latest tick
	 * @return the run, {@code null} if there is none
	 */
	@Nullable JobRun lastUntil(String job, Instant until);

	/**
	 * The newest run of a job that succeeded.
	 * @param until the latest tick
	 * @return the run, {@code null} if there is none
	 */
	@Nullable JobRun lastSuccessUntil(String job, Instant until);

	/**
	 * The runs that have not ended, and can be taken over.
	 * @param job the job, {@code null} for all
	 */
	List<JobRun> running(@Nullable String job);

	/**
	 * Record that an instance looks after a job.
	 */
	void schedule(String job, JobTrigger trigger, Instant now);

	/**
	 * Have a job run nowhere, or again.
	 * @param pause who wants that, {@code null} if it is to run again
	 * @return whether there is such a job
	 */
	boolean pause(String job, @Nullable Pause pause);

	/** The record of a job. */
	@Nullable StoredJob stored(String job);

	/** All jobs with a record of any kind, in the order of their names. */
	SortedSet<String> names();

	/** The run of a tick. */
	@Nullable JobRun find(String job, Instant tick);

	/** The last runs of a job, the newest tick first. */
	List<JobRun> last(String job, int limit);

	/**
	 * Keep a run of a tick that there is none of.
	 * @return whether it was kept
	 */
	boolean add(JobRun run);

	/**
	 * Replace a run, if it is still the attempt that it was, and as it was.
	 * @return whether it was
	 */
	boolean replace(JobRun before, JobRun after);

	/**
	 * Keep how far a run is.
	 * @return whether it still runs
	 */
	boolean note(JobRun run, String note);

	/**
	 * Let the store remove in time what is before a tick. The last run of a job stays,
	 * because the next tick depends on it, and so does the last success, from which on it
	 * is overdue.
	 */
	void expireBefore(JobRun last);

	/**
	 * Read what is kept of a job.
	 * @param trigger when it is due, {@code null} if the caller does not know
	 * @param since when the caller began to look after the job
	 */
	default Seen readState(String job, @Nullable JobTrigger trigger, Instant since) {
		StoredJob stored = stored(job);
		Instant now = now();
		JobRun last = lastUntil(job, now);
		boolean open = last != null && last.outcome() == JobOutcome.RUNNING;
		return new Seen(now, (stored != null) ? stored.from(trigger, since, now) : since, last,
				(open) ? last : running(job).stream().findFirst().orElse(null), stored);
	}

	/**
	 * The first tick of a job that no run has succeeded for, or which is to come.
	 * @return the tick, {@code null} if none is expected
	 */
	default @Nullable Instant overdueFrom(String job, JobTrigger trigger, Seen seen) {
		StoredJob stored = seen.stored();
		if (stored == null || seen.paused()) {
			return null;
		}
		JobRun last = seen.last();
		JobRun success = (last == null || last.outcome() == JobOutcome.SUCCEEDED) ? last
				: lastSuccessUntil(job, seen.now());
		return StoredJob.overdueFrom(trigger, seen.since(), success, seen.open());
	}

	/** The runs that have not ended of jobs that no instance looks after any more. */
	default List<JobRun> unattended(Instant now) {
		return running(null).stream().filter((run) -> {
			StoredJob stored = stored(run.job());
			return stored != null && !stored.isScheduled(now);
		}).toList();
	}

}
