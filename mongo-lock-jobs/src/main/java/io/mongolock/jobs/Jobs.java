package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.mongolock.jobs.JobRunner.Attempt;

/**
 * Runs jobs by code, for applications with their own scheduler, and finds the runs of all
 * jobs. Thread-safe.
 */
public final class Jobs {

	private static final Log logger = LogFactory.getLog(Jobs.class);

	private static final int MAX_NAME = 100;

	/** The greatest length of all names and values together that a run leaves. */
	private static final int MAX_STATE = 4000;

	private static final Pattern STATE_NAME = Pattern.compile("[^$.\\x00][^.\\x00]*");

	/** A limit, because a job that takes longer than its period is always due. */
	private static final int MAX_DUE = 1000;

	private final JobRunner runner;

	private final JobRuns runs;

	private final JobRegistry declared;

	private final DueJobs due;

	private final Duration grace;

	Jobs(JobRunner runner, JobRuns runs, JobRegistry declared, DueJobs due, Duration grace) {
		this.runner = runner;
		this.runs = runs;
		this.declared = declared;
		this.due = due;
		this.grace = grace;
	}

	/**
	 * Run a tick of a job, unless this tick was run already, or the job is running. If
	 * the instance of an earlier run died, a call for the tick of that run repeats the
	 * run. A call for another tick records that run as abandoned. A tick is known only as
	 * long as its run is kept.
	 * @param <E> what the work throws
	 * @param job the name of the job, of 1 to 100 characters
	 * @param tick the time that distinguishes this run from other runs of the job, for
	 * example the time at which your scheduler had it due; only whole milliseconds count
	 * @param work the work, which runs on this thread
	 * @return the run, or empty if the tick was not run now
	 * @throws E the exception of the work; the run is then recorded as failed
	 * @throws IllegalStateException inside a transaction, or inside a run of the same job
	 */
	public <E extends Throwable> Optional<JobRun> run(String job, Instant tick, JobWork<E> work) throws E {
		checkName(job);
		if (TransactionSynchronizationManager.isActualTransactionActive()) {
			throw new IllegalStateException("Job '" + job + "' is run inside a transaction, so its run would be "
					+ "recorded before the commit. Begin the transaction inside the JobWork");
		}
		Job scheduled = this.declared.find(job);
		Attempt attempt = this.runner.run(job, tick.truncatedTo(ChronoUnit.MILLIS),
				(scheduled != null) ? scheduled.terms() : null, work);
		if (attempt != null && attempt.failure() != null) {
			throw Jobs.<E>thrown(attempt.failure());
		}
		return Optional.ofNullable(attempt).map(Attempt::run);
	}

	/**
	 * Schedule a job in this instance, as {@link ScheduledJob} does with a method.
	 * MongoDB stores the runs of the job but not its work, so call this method in each
	 * instance that may run the job.
	 * @param job the name of the job, of 1 to 100 characters
	 * @param schedule when the job is due
	 * @param work the work, which runs on a thread of its own
	 * @throws IllegalStateException if this application already has a job of this name
	 */
	public void schedule(String job, JobSchedule schedule, JobWork<?> work) {
		checkName(job);
		if (!this.declared.add(new Job(job, () -> schedule.terms(job, this.grace), work))) {
			throw new IllegalStateException("This application already has a job '" + job
					+ "'. Unschedule that job first, or choose another name");
		}
	}

	/**
	 * Remove a job from this instance. A run that has begun goes on. Other instances that
	 * have the job still run it.
	 * @param job the name of the job
	 * @return whether this instance had the job
	 */
	public boolean unschedule(String job) {
		Job found = this.declared.find(job);
		return found != null && this.declared.remove(found);
	}

	/**
	 * Run a tick of a scheduled job now, on this thread, whether the tick is due or not.
	 * This is for tests. If the tick was run before, this is its next attempt.
	 * @param job the name of the job
	 * @param tick the tick
	 * @return the run, even if the work has failed
	 * @throws IllegalArgumentException if this application has no such job
	 * @throws IllegalStateException if the job is running, if the tick shares its record
	 * with other ticks that were not run, or if this version does not know the outcome of
	 * the tick
	 */
	public JobRun runTick(String job, Instant tick) {
		Job found = this.declared.find(job);
		if (found == null) {
			throw new IllegalArgumentException("There is no job '" + job + "' in this application. The jobs of this "
					+ "application are " + this.declared.all().stream().map(Job::name).sorted().toList());
		}
		Attempt attempt = this.runner.runNow(found.terms(), tick.truncatedTo(ChronoUnit.MILLIS), found::run);
		if (attempt == null) {
			throw new IllegalStateException("Job '" + job + "' is being run. Wait until this run has ended");
		}
		return attempt.run();
	}

	/**
	 * Run the scheduled jobs that are due by the clock of the store, on this thread,
	 * until no job is due. This is for tests that switch the schedule off and move that
	 * clock. The schedules start with the first call.
	 */
	public void runDue() {
		for (Job job : this.declared.all()) {
			for (int run = 0; run < MAX_DUE && this.due.run(job).written(); run++) {
				logger.debug("Job '" + job.name() + "' was due");
			}
		}
	}

	/**
	 * Store a note that says how far a run is, for people who look at the jobs. Each call
	 * is one write.
	 * @param run the run that was passed to the work
	 * @param note how far the run is; 500 characters are kept until the run ends
	 * @throws IllegalStateException if the run has ended, or if another attempt has begun
	 * because the lock was lost; the work should then stop
	 */
	public void note(JobRun run, String note) {
		if (!this.runs.note(run, JobRun.bounded(note))) {
			throw new IllegalStateException("Attempt " + run.attempt() + " of job '" + run.job() + "' for its tick "
					+ run.tick() + " is not running any more. The attempt has ended, another instance has taken over "
					+ "the run, or the record of the run was dropped");
		}
	}

	/**
	 * Find the last successful run of an earlier tick, with the state that this run left.
	 * @param run the run that was passed to the work
	 * @return the earlier run, empty if none has succeeded
	 */
	public Optional<JobRun> previous(JobRun run) {
		return Optional.ofNullable(this.runs.previous(run.job(), run.tick()));
	}

	/**
	 * Leave texts for later runs, which find them by {@link #previous}. The texts are
	 * stored when the run ends, if it succeeds. They replace the texts of earlier calls
	 * in this run.
	 * @param run the run that was passed to the work
	 * @param state names and values, which have at most 4,000 characters together
	 * @throws IllegalArgumentException if they have more characters, or if a name is
	 * empty, begins with {@code $} or has a dot
	 * @throws IllegalStateException if the run does not run in this instance
	 */
	public void state(JobRun run, Map<String, String> state) {
		int length = state.entrySet().stream().mapToInt((one) -> one.getKey().length() + one.getValue().length()).sum();
		if (length > MAX_STATE) {
			throw new IllegalArgumentException(
					"The state of job '" + run.job() + "' has " + length + " characters, but at most " + MAX_STATE
							+ " are kept. Store large data in a collection of your own, and keep only its id in the "
							+ "state");
		}
		state.keySet().stream().filter((name) -> !STATE_NAME.matcher(name).matches()).findFirst().ifPresent((name) -> {
			throw new IllegalArgumentException("The name '" + name + "' in the state of job '" + run.job()
					+ "' is empty, begins with $, or has a dot or NUL. Choose another name");
		});
		if (!this.runner.leave(run, state)) {
			throw new IllegalStateException("Attempt " + run.attempt() + " of job '" + run.job() + "' for its tick "
					+ run.tick() + " is not running in this instance. Call Jobs.state inside the work of that attempt");
		}
	}

	/**
	 * Find the last runs of a job.
	 * @param job the name of the job
	 * @param limit how many runs at most, at least 1
	 * @return the runs, the newest tick first
	 */
	public List<JobRun> last(String job, int limit) {
		if (limit < 1) {
			throw new IllegalArgumentException("The limit must be at least 1, but it is " + limit);
		}
		return this.runs.last(job, limit);
	}

	static void checkName(String job) {
		if (job.isBlank() || job.length() > MAX_NAME) {
			throw new IllegalArgumentException("The name of a job must not be blank, and must have at most " + MAX_NAME
					+ " characters, but '" + job + "' has " + job.length() + " characters");
		}
	}

	// The work throws exceptions of this type, or unchecked ones
	@SuppressWarnings("unchecked")
	private static <E extends Throwable> E thrown(Throwable failure) {
		return (E) failure;
	}

}
