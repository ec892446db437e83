package io.mongolock.jobs;

import java.time.Instant;
import java.util.List;
import java.util.SortedSet;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.mongolock.jobs.JobDecision.Seen;
import io.mongolock.jobs.StoredJob.Pause;

/**
 * The records of runs, one for each job and tick, and a record of each job. They are kept
 * in the store of the locks. Thread-safe.
 */
interface JobRuns {

	/** Prepare the store for its first record. */
	void createIndexes();

	/** The time of the store. */
	Instant now();

	/**
	 * The record of the last tick of the schedule of a job.
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
	 * The run of an earlier tick that succeeded last. Its fence decides which was last,
	 * not the clock.
	 * @param before the time before which its tick was due
	 * @return the run, {@code null} if there is none
	 */
	@Nullable JobRun previous(String job, Instant before);

	/**
	 * The runs that have not ended, and can be taken over.
	 * @param job the job, {@code null} for all
	 */
	List<JobRun> running(@Nullable String job);

	/**
	 * Record that an instance looks after a job.
	 * @return the name of another application that has recently scheduled the job,
	 * {@code null} if there is none
	 */
	@Nullable String schedule(String job, JobTrigger trigger, Instant now);

	/** Read the newest records of a job. */
	Newest newest(String job);

	/**
	 * Pause or resume a job.
	 * @param pause the pause, {@code null} to resume the job
	 * @return whether there is such a job
	 */
	boolean pause(String job, @Nullable Pause pause);

	/** The record of a job. */
	@Nullable StoredJob stored(String job);

	/** All jobs with a record of any kind, in the order of their names. */
	SortedSet<String> names();

	/** The record of a tick: its run, or a note of consecutive ticks that includes it. */
	@Nullable JobRun find(String job, Instant tick);

	/** The last runs of a job, the newest tick first. */
	List<JobRun> last(String job, int limit);

	/**
	 * Keep a run or a note, unless there is a record that begins with the same tick. Each
	 * record begins after the last one that its writer has seen, so a late writer records
	 * no tick twice. A note of ticks in the future, by a clock that was ahead, is
	 * replaced.
	 * @return whether it was kept
	 */
	boolean add(JobRun run);

	/**
	 * Replace a run, if it is still the same attempt with the same outcome.
	 * @return whether it was replaced
	 */
	boolean replace(JobRun before, JobRun after);

	/**
	 * End a run by the clock of the store, if it is still the same attempt.
	 * @return the run as it is recorded, {@code null} if it is no longer the same attempt
	 */
	@Nullable JobRun end(JobRun running, JobRun ended);

	/** Have {@link #newest} find the next attempt of a run, however old its tick is. */
	void rerun(JobRun run);

	/**
	 * Keep the progress of a run.
	 * @return whether it still runs
	 */
	boolean note(JobRun run, String note);

	/**
	 * Let the store remove, in time, the records before a tick. The last run of a job
	 * stays, because the next tick depends on it. The last success stays, because it
	 * decides from when on the job is overdue. The run whose state the next run finds
	 * stays, too.
	 */
	void expireBefore(JobRun last);

	/**
	 * Read the records of a job.
	 * @param trigger when it is due, {@code null} if the caller does not know
	 * @param since when the caller began to look after the job
	 */
	default Seen readState(String job, @Nullable JobTrigger trigger, Instant since) {
		Newest newest = newest(job);
		Instant now = newest.now();
		StoredJob stored = newest.stored();
		List<JobRun> runs = newest.runs();
		List<JobRun> until = runs.stream().filter((run) -> !run.tick().isAfter(now)).toList();
		JobRun last = first(until, (run) -> !run.byHand());
		if (last == null && !newest.areAll()) {
			last = lastUntil(job, now);
		}
		JobRun success = first(until, (run) -> run.outcome() == JobOutcome.SUCCEEDED);
		if (success == null && !newest.areAll() && stored != null) {
			success = lastSuccessUntil(job, now);
		}
		JobRun open = first(runs, (run) -> run.outcome() == JobOutcome.RUNNING);
		if (open == null && !newest.areAll()) {
			open = open(job, stored);
		}
		return new Seen(now, (stored != null) ? stored.from(trigger, since, now) : since, last,
				first(until, (run) -> run.attempt() > 0), success, open, stored);
	}

	// A run of an old tick, which code or a person has requested
	private @Nullable JobRun open(String job, @Nullable StoredJob stored) {
		if (stored == null) {
			return running(job).stream().findFirst().orElse(null);
		}
		JobRun rerun = (stored.rerun() != null) ? find(job, stored.rerun()) : null;
		return (rerun != null && rerun.outcome() == JobOutcome.RUNNING) ? rerun : null;
	}

	private static @Nullable JobRun first(List<JobRun> runs, Predicate<JobRun> which) {
		return runs.stream().filter(which).findFirst().orElse(null);
	}

	/**
	 * The first tick of a job without a successful run; it may be in the future.
	 * @return the tick, {@code null} if none is expected
	 */
	static @Nullable Instant overdueFrom(JobTrigger trigger, Seen seen) {
		return (seen.stored() != null && !seen.paused()) ? StoredJob.overdueFrom(trigger, seen) : null;
	}

	/** The unfinished runs of jobs that no instance looks after any more. */
	default List<JobRun> unattended(Instant now) {
		return running(null).stream().filter((run) -> {
			StoredJob stored = stored(run.job());
			return stored != null && !stored.isScheduled(now);
		}).toList();
	}

	/**
	 * The newest records of a job.
	 *
	 * @param now the time of the store
	 * @param stored the record of the job, {@code null} if there is none
	 * @param runs the newest runs, the newest tick first
	 * @param areAll whether these are all runs
	 */
	record Newest(Instant now, @Nullable StoredJob stored, List<JobRun> runs, boolean areAll) {

	}

}
