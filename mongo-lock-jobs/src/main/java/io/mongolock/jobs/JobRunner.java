package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.OnLost;
import io.mongolock.jobs.JobDecision.Abandon;
import io.mongolock.jobs.JobDecision.Miss;
import io.mongolock.jobs.JobDecision.Rest;
import io.mongolock.jobs.JobDecision.Run;
import io.mongolock.jobs.JobDecision.Seen;
import io.mongolock.jobs.JobDecision.Skip;
import io.mongolock.jobs.JobDecision.Terms;
import io.mongolock.jobs.JobDecision.Wait;

/**
 * Does what is decided of a job, under its lock. The holder of the lock reads the runs
 * anew and decides again, so that what others have done meanwhile counts. Thread-safe.
 */
final class JobRunner {

	static final String NAME = "job";

	private static final Log logger = LogFactory.getLog(JobRunner.class);

	/** How often the end of a run is written if the server does not answer. */
	private static final int WRITES = 20;

	private final LockOperations locks;

	private final JobRuns runs;

	private final ApplicationEventPublisher events;

	private final String runner;

	private volatile boolean cutOff;

	JobRunner(LockOperations locks, JobRuns runs, ApplicationEventPublisher events, String runner) {
		this.locks = locks;
		this.runs = runs;
		this.events = events;
		this.runner = runner;
	}

	/** From now on work that fails was cut off by the end of the application. */
	void cutOff() {
		this.cutOff = true;
	}

	/**
	 * Do what is due, if this instance can.
	 * @param seen what is kept of the job
	 * @return how long nothing is due: zero only after something was written,
	 * {@code null} if another instance is at it or the job is paused
	 */
	@SuppressWarnings("try") // leaving is what the scope is for
	@Nullable Duration runDue(Terms terms, Seen seen, JobWork<?> work) {
		JobDecision decision = JobDecision.decide(terms, 0, seen);
		if (decision instanceof Wait wait) {
			return Duration.between(seen.now(), wait.until());
		}
		if (decision instanceof Rest) {
			return null;
		}
		if (decision instanceof Skip skip && (seen.paused() || seen.open() == null)) {
			return (note(terms, skip.tick(), seen.now(), JobOutcome.SKIPPED,
					(seen.paused()) ? "it is paused" : "it still ran")) ? Duration.ZERO : null;
		}
		Optional<LockHandle> lock = this.locks.tryAcquire(request(terms.job()));
		if (lock.isEmpty()) {
			if (decision instanceof Skip skip) {
				note(terms, skip.tick(), seen.now(), JobOutcome.SKIPPED, "it still ran");
			}
			return null;
		}
		try (LockHandle handle = lock.get(); LockContext.Scope scope = LockContext.enter(handle)) {
			return (runUnderLock(handle, terms, seen.since(), work)) ? Duration.ZERO : null;
		}
	}

	// Whether anything was done
	private boolean runUnderLock(LockHandle handle, Terms terms, Instant since, JobWork<?> work) {
		for (boolean done = false;; done = true) {
			Seen seen = this.runs.readState(terms.job(), terms.trigger(), since);
			JobDecision decision = JobDecision.decide(terms, handle.fence(), seen);
			if (decision instanceof Run run) {
				Attempt attempt = attempt(handle, terms.job(), run, seen.now(), work);
				logFailure(attempt);
				return attempt != null || done;
			}
			boolean noted = (decision instanceof Abandon abandon) ? abandon(abandon.left(), seen.now())
					: decision instanceof Miss miss
							&& note(terms, miss.tick(), seen.now(), JobOutcome.MISSED, "no instance was there in time");
			if (!noted) {
				return done;
			}
		}
	}

	/**
	 * Note what was left of jobs that no instance looks after any more.
	 */
	void abandonUnattended(Instant now) {
		for (JobRun left : this.runs.unattended(now)) {
			try {
				this.locks.tryAcquire(request(left.job())).ifPresent((handle) -> {
					try (handle) {
						abandon(left, now);
					}
				});
			}
			catch (RuntimeException ex) { // keeps nobody from the others
				logger.warn("What was left of job '" + left.job() + "' by " + left.runner()
						+ " could not be recorded as abandoned; trying again in ten minutes", ex);
			}
		}
	}

	/**
	 * Run a tick by the wish of somebody.
	 * @param tick the tick to run again, {@code null} to run one at this time: the one
	 * that was left, if there is one that is to be run again
	 * @return the run, or {@code null} if another instance is at it
	 */
	@Nullable Attempt runNow(Terms terms, @Nullable Instant tick, JobWork<?> work) {
		Attempt attempt = run(terms.job(), tick, terms, work);
		logFailure(attempt);
		return attempt;
	}

	/**
	 * Run one tick, unless it was run.
	 * @return the run, or {@code null} if it was run before or another instance is at it
	 */
	@Nullable Attempt run(String job, Instant tick, JobWork<?> work) {
		return (isOver(this.runs.find(job, tick))) ? null : run(job, tick, null, work);
	}

	private static void logFailure(@Nullable Attempt attempt) {
		if (attempt != null && attempt.failure() != null) {
			logger.error("Job '" + attempt.run().job() + "' failed at its tick " + attempt.run().tick(),
					attempt.failure());
		}
	}

	// Whether it was run, too, if somebody wishes that, by the given terms
	@SuppressWarnings("try") // leaving is what the scope is for
	private @Nullable Attempt run(String job, @Nullable Instant wanted, @Nullable Terms wish, JobWork<?> work) {
		LockRequest request = request(job);
		if (LockContext.find((held) -> held.key().equals(request.key())).isPresent()) {
			throw new IllegalStateException("Job '" + job + "' runs on this thread already: let that return first");
		}
		Optional<LockHandle> lock = this.locks.tryAcquire(request);
		if (lock.isEmpty()) {
			return null;
		}
		try (LockHandle handle = lock.get(); LockContext.Scope scope = LockContext.enter(handle)) {
			Seen seen = this.runs.readState(job, null, Instant.EPOCH);
			Instant tick = (wanted != null) ? wanted : seen.now();
			JobRun open = seen.open();
			while (open != null && open.fence() < handle.fence() && !open.tick().equals(tick)) {
				if (wish != null && JobDecision.decide(wish, handle.fence(), seen) instanceof Run run) {
					return (wanted != null) ? null : attempt(handle, job, run, seen.now(), work);
				}
				abandon(open, seen.now());
				seen = this.runs.readState(job, null, Instant.EPOCH);
				open = seen.open();
			}
			JobRun left = this.runs.find(job, tick);
			// With a higher fence another holds the
			// lock, and this instance has stood still
			if (wish == null && isOver(left) || open != null && open.fence() >= handle.fence()) {
				return null;
			}
			return attempt(handle, job, new Run(tick, left), seen.now(), work);
		}
	}

	private static boolean isOver(@Nullable JobRun run) {
		return run != null && run.outcome() != JobOutcome.RUNNING;
	}

	private @Nullable Attempt attempt(LockHandle handle, String job, Run run, Instant now, JobWork<?> work) {
		JobRun left = run.left();
		JobRun begun = JobRun.begun(job, run.tick(), (left != null) ? left.attempt() + 1 : 1, handle.fence(), now,
				this.runner);
		if (left != null && left.outcome() == JobOutcome.RUNNING) {
			logger.warn("The run of job '" + begun.job() + "' for its tick " + begun.tick() + " was left by "
					+ left.runner() + ", and is run again: attempt " + begun.attempt());
		}
		if (!((left != null) ? this.runs.replace(left, begun) : this.runs.add(begun))) {
			return null;
		}
		// The process may have stood still since it was granted the lock
		handle.assertHeld();
		publish(new JobRunEvent.Started(begun));
		Throwable failure = null;
		try {
			work.run(begun);
		}
		catch (Throwable ex) { // recorded, and logged or thrown by who asked
			failure = ex;
		}
		if (failure != null && (this.cutOff || !handle.isHeld())) {
			logger.warn("The run of job '" + begun.job() + "' for its tick " + begun.tick() + " was cut off by "
					+ ((this.cutOff) ? "the end of the application" : "the loss of its lock")
					+ "; another instance finds it");
			return new Attempt(begun, failure);
		}
		return new Attempt(end(handle, begun, failure), failure);
	}

	private JobRun end(LockHandle handle, JobRun begun, @Nullable Throwable failure) {
		// The driver would refuse to write
		boolean interrupted = Thread.interrupted();
		try {
			for (int write = 1;; write++) {
				try {
					return end(begun, begun.ended(this.runs.now(),
							(failure != null) ? JobOutcome.FAILED : JobOutcome.SUCCEEDED, failure));
				}
				catch (RuntimeException ex) {
					if (write == WRITES || !handle.isHeld()) {
						return unwritten(begun, ex);
					}
					TimeUnit.MILLISECONDS.sleep(500);
				}
			}
		}
		catch (InterruptedException ex) {
			interrupted = true;
			return unwritten(begun, ex);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private static JobRun unwritten(JobRun begun, Exception failure) {
		logger.error("The end of job '" + begun.job() + "' for its tick " + begun.tick()
				+ " could not be written, and it may be run again", failure);
		return begun;
	}

	private JobRun end(JobRun begun, JobRun ended) {
		if (!this.runs.replace(begun, ended) && !isWritten(ended)) {
			logger.warn("Job '" + begun.job() + "' ended for its tick " + begun.tick()
					+ " after another instance had taken it over, because its lock was lost");
			return begun;
		}
		ended(ended);
		return ended;
	}

	// Whether it was, and the answer got lost
	private boolean isWritten(JobRun ended) {
		JobRun found = this.runs.find(ended.job(), ended.tick());
		return found != null && found.fence() == ended.fence() && found.outcome() == ended.outcome();
	}

	private boolean abandon(JobRun left, Instant now) {
		JobRun abandoned = left.ended(now, JobOutcome.ABANDONED, null);
		boolean replaced = this.runs.replace(left, abandoned);
		if (replaced) {
			logger.warn("The run of job '" + left.job() + "' for its tick " + left.tick() + " was abandoned by "
					+ left.runner());
			ended(abandoned);
		}
		return replaced;
	}

	private boolean note(Terms terms, Instant tick, Instant now, JobOutcome outcome, String why) {
		JobRun notRun = JobRun.notRun(terms.job(), tick, now, outcome, why, this.runner);
		boolean noted = this.runs.add(notRun);
		if (noted) {
			if (outcome == JobOutcome.MISSED) {
				logger.warn("Job '" + notRun.job() + "' missed its tick " + tick
						+ ", because no instance was there in time");
			}
			else {
				logger.info("Job '" + notRun.job() + "' skips its tick " + tick + ", because " + why);
			}
			ended(notRun);
		}
		return noted;
	}

	private void ended(JobRun run) {
		try {
			this.runs.expireBefore(run);
		}
		catch (RuntimeException ex) {
			// The next end does it
			logger.debug("The history of job '" + run.job() + "' was not shortened", ex);
		}
		publish(new JobRunEvent.Ended(run));
	}

	private void publish(JobRunEvent event) {
		try {
			this.events.publishEvent(event);
		}
		catch (RuntimeException | Error ex) { // must not harm the work
			logger.warn("A listener failed on " + event, ex);
		}
	}

	private static LockRequest request(String job) {
		return LockRequest.builder(NAME, job)
			.settings(LockSettings.builder()
				.waitTimeout(Duration.ZERO)
				.autoRenew(true)
				.limit(1)
				.minHold(Duration.ZERO)
				.linger(Duration.ZERO)
				.build())
			.onLost(OnLost.IGNORE)
			.build();
	}

	/**
	 * What became of a run.
	 *
	 * @param run the run
	 * @param failure what the work threw
	 */
	record Attempt(JobRun run, @Nullable Throwable failure) {

	}

}
