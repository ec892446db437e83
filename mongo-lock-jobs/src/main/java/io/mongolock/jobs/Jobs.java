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
 * Jobs by code, for applications that have a scheduler of their own, and the runs of all
 * jobs. Thread-safe.
 */
public final class Jobs {

	private static final Log logger = LogFactory.getLog(Jobs.class);

	private static final int MAX_NAME = 100;

	/** Of the names and values that a run leaves. */
	private static final int MAX_STATE = 4000;

	private static final Pattern STATE_NAME = Pattern.compile("[^$.\\x00][^.\\x00]*");

	/** A job that takes longer than its period is always due. */
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
	 * Run a tick of a job, unless it was run already, is being run, or another tick of
	 * the job is. A run whose instance died is run again by who asks for its tick, and is
	 * recorded as abandoned by who asks for another one. A tick is known as long as its
	 * run is kept.
	 * @param <E> what the work throws
	 * @param job the name of the job, of 1 to 100 characters
	 * @param tick what distinguishes this run from others of the job, for example the
	 * time at which it was due by the scheduler; whole milliseconds count
	 * @param work what to do, on this thread
	 * @return the run, or empty if it was not run now
	 * @throws E what the work threw; the run is then recorded as failed
	 * @throws IllegalStateException inside a transaction, or inside a run of the same job
	 */
	public <E extends Throwable> Optional<JobRun> run(String job, Instant tick, JobWork<E> work) throws E {
		checkName(job);
		if (TransactionSynchronizationManager.isActualTransactionActive()) {
			throw new IllegalStateException("Job '" + job + "' is run inside a transaction, so its run would be "
					+ "recorded before the commit. Begin the transaction in the work");
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
	 * Schedule a job in this instance, as {@link ScheduledJob} does with a method: the
	 * database keeps its runs and knows nothing of its work, so each instance that may
	 * run it schedules it.
	 * @param job the name of the job, of 1 to 100 characters
	 * @param schedule when it is due
	 * @param work what to do, on a thread of its own
	 * @throws IllegalStateException if this application has a job of that name
	 */
	public void schedule(String job, JobSchedule schedule, JobWork<?> work) {
		checkName(job);
		if (!this.declared.add(new Job(job, () -> schedule.terms(job, this.grace), work))) {
			throw new IllegalStateException("This application already has a job '" + job
					+ "'. Unschedule that job first, or choose another name");
		}
	}

	/**
	 * Have this instance look after a job no more. A run that has begun goes on; other
	 * instances that have the job run it as before.
	 * @param job the name of the job
	 * @return whether this instance had it
	 */
	public boolean unschedule(String job) {
		Job found = this.declared.find(job);
		return found != null && this.declared.remove(found);
	}

	/**
	 * Run a tick of a scheduled job now, on this thread, whether it is due or not: for
	 * tests. It is run again as its next attempt if it was run before.
	 * @param job the name of the job
	 * @param tick the tick
	 * @return the run, also if the work has failed
	 * @throws IllegalArgumentException if no method of this application is that job
	 * @throws IllegalStateException if the job is being run, the tick is one of several
	 * that were not run and have one record, or its outcome is unknown to this version
	 */
	public JobRun runTick(String job, Instant tick) {
		Job found = this.declared.find(job);
		if (found == null) {
			throw new IllegalArgumentException("There is no job '" + job + "' in this application; its jobs are "
					+ this.declared.all().stream().map(Job::name).sorted().toList());
		}
		Attempt attempt = this.runner.runNow(found.terms(), tick.truncatedTo(ChronoUnit.MILLIS), found::run);
		if (attempt == null) {
			throw new IllegalStateException("Job '" + job + "' is being run. Wait for its end");
		}
		return attempt.run();
	}

	/**
	 * Run the scheduled jobs that are due by the clock of the store, on this thread,
	 * until none is: for tests, which switch the schedule off and move that clock. The
	 * first call is the start of the schedules.
	 */
	public void runDue() {
		for (Job job : this.declared.all()) {
			for (int run = 0; run < MAX_DUE && this.due.run(job).written(); run++) {
				logger.debug("Job '" + job.name() + "' was due");
			}
		}
	}

	/**
	 * Say how far a run is, for who looks at the jobs: one write each time.
	 * @param run the run, as the work was given it
	 * @param note how far it is; 500 characters of it are kept until the run ends
	 * @throws IllegalStateException if the run has ended, or another attempt has begun
	 * because its lock was lost: then stop
	 */
	public void note(JobRun run, String note) {
		if (!this.runs.note(run, JobRun.bounded(note))) {
			throw new IllegalStateException("Attempt " + run.attempt() + " of job '" + run.job() + "' for its tick "
					+ run.tick() + " does not run any more. It has ended, it was taken over, or its record was "
					+ "dropped");
		}
	}

	/**
	 * The run of an earlier tick that succeeded last, with the state that it left.
	 * @param run the run, as the work was given it
	 * @return the run, empty if none has succeeded
	 */
	public Optional<JobRun> previous(JobRun run) {
		return Optional.ofNullable(this.runs.previous(run.job(), run.tick()));
	}

	/**
	 * Leave something for later runs, which find it in {@link #previous}: it is kept with
	 * the end of the run if that succeeds. Replaces what was said before.
	 * @param run the run, as the work was given it
	 * @param state names and values, which have at most 4,000 characters together
	 * @throws IllegalArgumentException if they have more, or a name is empty, begins with
	 * {@code $} or has a dot
	 * @throws IllegalStateException if the run does not go on in this instance
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
					+ run.tick() + " does not run here. Call Jobs.state within the work of that attempt");
		}
	}

	/**
	 * The last runs of a job.
	 * @param job the name of the job
	 * @param limit how many at most, at least 1
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
					+ " characters. '" + job + "' has " + job.length());
		}
	}

	// What the work throws is of this type, or unchecked
	@SuppressWarnings("unchecked")
	private static <E extends Throwable> E thrown(Throwable failure) {
		return (E) failure;
	}

}
