package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import io.mongolock.jobs.StoredJob.Pause;

/**
 * The next thing to do about a job now: a pure function of what was declared and of the
 * runs that are kept, so that instances that see the same decide the same. It does not
 * see to it that a tick runs once: {@link JobRunner} does, which decides again under the
 * lock of the job, and {@link JobRuns}, where each tick has one document.
 */
sealed interface JobDecision {

	/** How many ticks are caught up at most. */
	int MAX_CATCH_UP = 100;

	/**
	 * Decide.
	 * @param terms what was declared
	 * @param fence the fence of the lock of the job, zero unless it is held here. A run
	 * with a lower fence that has not ended was left by its instance. One with a higher
	 * fence was not: then this instance has stood still, and the lock is held by another.
	 * @param seen what is kept of the job
	 * @return what to do; all but {@link Wait}, {@link Rest} and {@link Skip} is done
	 * under the lock
	 */
	static JobDecision decide(Terms terms, long fence, Seen seen) {
		Instant now = seen.now();
		Instant due = due(terms, seen);
		JobRun open = seen.open();
		if (open != null) {
			if (open.fence() < fence) {
				return (!seen.paused() && terms.onAbandoned() == OnAbandoned.RERUN
						&& open.attempt() < terms.maxAttempts()) ? new Run(open.tick(), open) : new Abandon(open);
			}
			return (due != null && terms.trigger().isClock() && due.isAfter(open.tick())
					&& (terms.catchUp() != CatchUp.ALL || seen.paused())) ? new Skip(due) : new Settle(open);
		}
		if (due == null) {
			return retry(terms, seen, terms.trigger().next(now, seen.since(), seen.last()));
		}
		if (seen.paused()) {
			return (terms.trigger().isClock()) ? new Skip(due) : new Rest();
		}
		if (terms.catchUp() == CatchUp.ALL) {
			return new Run(earliest(terms, seen, due), null);
		}
		if (terms.trigger().isClock() && seen.hasRunAt(due)) {
			return new Skip(due);
		}
		return (terms.trigger().isClock() && isTooLate(terms, due, now)) ? new Miss(due) : new Run(due, null);
	}

	private static @Nullable Instant due(Terms terms, Seen seen) {
		Instant due = terms.trigger().due(seen.now(), seen.since(), seen.last());
		return (due != null && terms.trigger().isClock() && seen.isLeftOut(due)) ? null : due;
	}

	private static JobDecision retry(Terms terms, Seen seen, Instant next) {
		JobRun last = seen.last();
		if (last == null || last.endedAt() == null || last.outcome() != JobOutcome.FAILED || seen.paused()
				|| last.attempt() > terms.retries()) {
			return new Wait(next);
		}
		Duration pause = terms.retryAfter().multipliedBy(1L << Math.min(last.attempt() - 1, 20));
		Instant again = last.endedAt().plus(pause);
		if (again.isAfter(seen.now())) {
			return new Wait((again.isBefore(next)) ? again : next);
		}
		return (isTooLate(terms, again, seen.now())) ? new Wait(next) : new Run(last.tick(), last);
	}

	private static boolean isTooLate(Terms terms, Instant due, Instant now) {
		return terms.catchUp() == CatchUp.NONE && Duration.between(due, now).compareTo(terms.grace()) > 0;
	}

	private static Instant earliest(Terms terms, Seen seen, Instant due) {
		Instant earliest = due;
		for (int more = 1; more < MAX_CATCH_UP; more++) {
			Instant before = terms.trigger().due(earliest.minusMillis(1), seen.since(), seen.last());
			if (before == null || seen.isLeftOut(before)) {
				break;
			}
			earliest = before;
		}
		return earliest;
	}

	/**
	 * What was declared of a job.
	 *
	 * @param job its name
	 * @param trigger when it is due
	 * @param catchUp what happens to ticks at which nobody was there
	 * @param grace how late a tick is run, or retried, without being caught up
	 * @param onAbandoned what happens to a run that its instance has left
	 * @param maxAttempts how often a tick is run at most if instances die
	 * @param retries how often a tick is run again whose work failed
	 * @param retryAfter how long after the first attempt
	 */
	record Terms(String job, JobTrigger trigger, CatchUp catchUp, Duration grace, OnAbandoned onAbandoned,
			int maxAttempts, int retries, Duration retryAfter) {

	}

	/**
	 * The runs of a job, and when they were read.
	 *
	 * @param now the time of the server
	 * @param since from when on its ticks count
	 * @param last the run of the last tick until now, {@code null} if there is none
	 * @param open the run that has not ended, {@code null} if there is none
	 * @param stored what instances know of the job, {@code null} if there is nothing
	 */
	record Seen(Instant now, Instant since, @Nullable JobRun last, @Nullable JobRun open, @Nullable StoredJob stored) {

		/** Whether somebody wants the job to be run nowhere. */
		boolean paused() {
			return this.stored != null && this.stored.paused() != null;
		}

		/**
		 * Whether a tick came while the last run still went on, and no other instance has
		 * noted it.
		 */
		private boolean hasRunAt(Instant tick) {
			Instant ended = (this.last != null
					&& (this.last.outcome() == JobOutcome.SUCCEEDED || this.last.outcome() == JobOutcome.FAILED))
							? this.last.endedAt() : null;
			// An end to come is one before the clock was set back
			return ended != null && !tick.isAfter(ended) && !ended.isAfter(this.now);
		}

		/**
		 * Whether a tick came before ticks counted, or while nobody wanted the job to be
		 * run: the first one is noted, so that a pause does not fill the history.
		 */
		private boolean isLeftOut(Instant tick) {
			Pause pause = (this.stored != null) ? this.stored.paused() : null;
			if (pause != null) {
				return this.last != null && this.last.attempt() == 0 && !this.last.startedAt().isBefore(pause.at());
			}
			// A time to come is one before the clock was set back
			return tick.isBefore(this.since) && !this.since.isAfter(this.now);
		}

	}

	/**
	 * Nothing is due.
	 *
	 * @param until when the next tick is due
	 */
	record Wait(Instant until) implements JobDecision {

	}

	/**
	 * Nothing is due as long as the job is paused.
	 */
	record Rest() implements JobDecision {

	}

	/**
	 * A run goes on, or was left: the lock says which.
	 *
	 * @param open the run
	 */
	record Settle(JobRun open) implements JobDecision {

	}

	/**
	 * Run a tick.
	 *
	 * @param tick the tick
	 * @param left the attempt before, which its instance has left or which failed;
	 * {@code null} for the first one
	 */
	record Run(Instant tick, @Nullable JobRun left) implements JobDecision {

	}

	/**
	 * Note that a tick is not run, because a run goes on, or did so at that time, or the
	 * job is paused.
	 *
	 * @param tick the tick
	 */
	record Skip(Instant tick) implements JobDecision {

	}

	/**
	 * Note that a tick is not run, because it is too late.
	 *
	 * @param tick the tick
	 */
	record Miss(Instant tick) implements JobDecision {

	}

	/**
	 * Note that a run was left by its instance, and is not run again.
	 *
	 * @param left the run
	 */
	record Abandon(JobRun left) implements JobDecision {

	}

}
