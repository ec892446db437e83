package io.mongolock.jobs;

import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.mongolock.jobs.JobDecision.Seen;
import io.mongolock.jobs.JobRunner.Done;

/**
 * Reads the records of a job, runs it if it is due, and announces its schedule to other
 * instances. Thread-safe; a job has one look at a time.
 */
final class DueJobs {

	private static final Log logger = LogFactory.getLog(DueJobs.class);

	private final JobRunner runner;

	private final JobRuns runs;

	/** The time of the last search for abandoned runs, by the stopwatch. */
	private final AtomicReference<@Nullable Long> swept = new AtomicReference<>();

	private volatile boolean indexesFailed;

	DueJobs(JobRunner runner, JobRuns runs) {
		this.runner = runner;
		this.runs = runs;
	}

	/**
	 * Run a job if it is due.
	 */
	Done run(Job job) {
		Done done = this.runner.runDue(job.terms(), readState(job), job::run);
		if (done.after() != null) {
			job.expect(done.after().now(), JobRuns.overdueFrom(job.terms().trigger(), done.after()));
		}
		return done;
	}

	/** Read from which tick on a job is overdue, without running it. */
	void refreshOverdue(Job job) {
		readState(job);
	}

	private Seen readState(Job job) {
		Instant since = (isLongAgo(job.announced())) ? announce(job) : Objects.requireNonNull(job.since());
		JobTrigger trigger = job.terms().trigger();
		Seen seen = this.runs.readState(job.name(), trigger, since);
		// The collection was dropped, or the clock was set back
		if (seen.stored() == null || seen.now().isBefore(since)) {
			this.swept.set(null);
			seen = this.runs.readState(job.name(), trigger, announce(job));
		}
		job.expect(seen.now(), JobRuns.overdueFrom(trigger, seen));
		return seen;
	}

	private Instant announce(Job job) {
		Instant now = this.runs.now();
		Instant since = job.since();
		if (since == null || since.isAfter(now)) { // the clock was set back
			since = now;
			job.begin(since);
		}
		String other = this.runs.schedule(job.name(), job.terms().trigger(), now);
		if (other != null && job.isSharedForTheFirstTime()) {
			logger.warn("Job '" + job.name() + "' is also scheduled by the application '" + other + "' in the same "
					+ "database, so only one of the two applications runs each tick. Set a different "
					+ "mongo-lock.key-prefix in each application, or give the jobs different names");
		}
		job.announced(System.nanoTime());
		sweep(now);
		return since;
	}

	// Reads all runs, so this is done once for all jobs
	private void sweep(Instant now) {
		Long before = this.swept.get();
		if (isLongAgo(before) && this.swept.compareAndSet(before, System.nanoTime())) {
			createIndexes();
			this.runner.abandonUnattended(now);
		}
	}

	private static boolean isLongAgo(@Nullable Long nanos) {
		return nanos == null || System.nanoTime() - nanos > StoredJob.SAID_EVERY.toNanos();
	}

	private void createIndexes() {
		try {
			this.runs.createIndexes();
			this.indexesFailed = false;
		}
		catch (RuntimeException ex) {
			if (!this.indexesFailed) {
				logger.warn("The indexes for job runs could not be created, so old runs are not removed. The "
						+ "application tries again every ten minutes. The reason is: " + ex.getMessage());
			}
			this.indexesFailed = true;
		}
	}

}
