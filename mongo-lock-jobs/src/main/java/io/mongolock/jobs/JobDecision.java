package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.mongolock.OnLost;
import io.mongolock.jobs.StoredJob.Pause;

/**
 * The next thing to do about a job now. The decision is a pure function of the
 * declaration and of the kept runs, so instances that see the same decide the same. It
 * does not ensure that a tick runs once. {@link JobRunner} ensures this by deciding again
 * under the lock of the job, and {@link JobRuns} by having one document per tick.
 */
sealed interface JobDecision {

	/**
	 * Why a tick is not run. The text is stored and compared: with another text, each
	 * tick would be noted.
	 */
	String PAUSED = "it is paused";

	/** Why a tick is not run. The text is stored and compared, too. */
	String STILL_RAN = "it still ran";

	/** Why a tick is not run. */
	String NOBODY = "no instance ran it in time";

	/** The largest number of ticks that are caught up. */
	int MAX_CATCH_UP = 100;

	/** Why a tick is not run. */
	String TOO_MANY = "more than " + MAX_CATCH_UP + " ticks were waiting";

	/**
	 * Decide.
	 * @param terms what was declared
	 * @param fence the fence of the lock of the job, zero unless it is held here. A run
	 * that has not ended and has a lower fence was left by its instance. If its fence is
	 * higher, this instance has stood still, and another holds the lock.
	 * @param seen the records of the job
	 * @return what to do; runs are begun and ended under the lock
	 */
	static JobDecision decide(Terms terms, long fence, Seen seen) {
		JobTrigger trigger = terms.trigger();
		Instant due = due(trigger, seen);
		JobRun open = seen.open();
		if (open != null) {
			if (open.fence() < fence) {
				return (!seen.paused() && terms.onAbandoned() == OnAbandoned.RERUN
						&& open.deathsIfLeft() < terms.maxAttempts()) ? new Run(open.tick(), open) : new Abandon(open);
			}
			return beside(open, terms, due, seen);
		}
		JobDecision closing = (trigger.isClock()) ? close(terms, seen) : null;
		if (closing != null) {
			return closing;
		}
		if (due == null) {
			return retry(terms, seen, trigger.next(seen.now(), seen.since(), seen.last()));
		}
		if (!trigger.isClock()) {
			return (seen.paused()) ? new Paused() : new Run(due, null);
		}
		if (seen.paused()) {
			return note(trigger, seen, due, JobOutcome.SKIPPED, PAUSED);
		}
		if (isTooLate(terms, due, seen.now())) {
			return note(trigger, seen, due, JobOutcome.MISSED, NOBODY);
		}
		boolean all = terms.catchUp() == CatchUp.ALL;
		Instant runs = (all) ? earliest(terms, seen, due) : due;
		return (first(trigger, seen).isBefore(runs))
				? note(trigger, seen, Objects.requireNonNull(due(trigger, seen.at(runs.minusMillis(1)))),
						JobOutcome.MISSED, (all) ? TOO_MANY : NOBODY)
				: new Run(runs, null);
	}

	// What to do about a tick while a run goes on
	private static JobDecision beside(JobRun open, Terms terms, @Nullable Instant due, Seen seen) {
		if (due == null || !terms.trigger().isClock()) {
			return new Settle(open);
		}
		if (seen.paused()) {
			return note(terms.trigger(), seen, due, JobOutcome.SKIPPED, PAUSED);
		}
		return (terms.catchUp() != CatchUp.ALL && due.isAfter(open.tick()) && !seen.isNotedSince(open))
				? note(terms.trigger(), seen, due, JobOutcome.SKIPPED, STILL_RAN) : new Settle(open);
	}

	// The last tick until now that counts and has no record
	private static @Nullable Instant due(JobTrigger trigger, Seen seen) {
		Instant due = trigger.due(seen.now(), seen.since(), seen.last());
		return (due != null && trigger.isClock() && seen.isLeftOut(due)) ? null : due;
	}

	// The first tick that counts and has no record
	private static Instant first(JobTrigger trigger, Seen seen) {
		Instant first = trigger.after(seen.last(), seen.since());
		return (seen.isBeforeItCounts(first)) ? trigger.next(seen.since().minusMillis(1), seen.since(), seen.last())
				: first;
	}

	private static Note note(JobTrigger trigger, Seen seen, Instant until, JobOutcome outcome, String why) {
		Instant first = first(trigger, seen);
		return new Note(first, until, trigger.count(first, until), outcome, why);
	}

	/**
	 * Note the ticks that were not noted one by one. These are ticks during a pause that
	 * is over, and during a run that has ended.
	 */
	private static @Nullable JobDecision close(Terms terms, Seen seen) {
		JobTrigger trigger = terms.trigger();
		JobRun last = seen.last();
		if (seen.paused()) {
			return null;
		}
		Instant from = seen.pausedFrom(trigger);
		if (from != null) {
			Instant first = trigger.after(last, from);
			first = (first.isBefore(from)) ? trigger.next(from.minusMillis(1), from, last) : first;
			if (seen.isBeforeItCounts(first)) {
				Instant until = Objects.requireNonNull(trigger.due(seen.since().minusMillis(1), from, last));
				return new Note(first, until, trigger.count(first, until), JobOutcome.SKIPPED, PAUSED);
			}
		}
		if (last == null) {
			return null;
		}
		Instant first = trigger.after(last, seen.since());
		Instant busy = seen.busyUntil();
		if (busy == null || terms.catchUp() == CatchUp.ALL || seen.isBeforeItCounts(first) || first.isAfter(busy)) {
			return null;
		}
		return note(trigger, seen, Objects.requireNonNull(trigger.due(busy, seen.since(), last)), JobOutcome.SKIPPED,
				STILL_RAN);
	}

	private static JobDecision retry(Terms terms, Seen seen, Instant next) {
		JobRun last = seen.last();
		if (last == null || last.endedAt() == null || !last.hasFailed() || seen.paused()
				|| last.failures() > terms.retries()) {
			return new Wait(next);
		}
		Duration pause = terms.retryAfter().multipliedBy(1L << Math.min(last.failures() - 1, 20));
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
	 * The declaration of a job.
	 *
	 * @param job its name
	 * @param trigger when it is due
	 * @param catchUp what happens to ticks while no instance was running
	 * @param grace how late a tick may still be run, or retried, without catch-up
	 * @param onAbandoned what happens to a run whose instance has left it
	 * @param maxAttempts how often a tick is run at most if instances die during its runs
	 * @param retries how often a tick is run again if its work fails
	 * @param retryAfter the pause after the first attempt, which doubles after each
	 * further one
	 * @param maxDuration how long an attempt may take, {@code null} if there is no limit
	 * @param onLost what happens to an attempt that loses its lock
	 */
	record Terms(String job, JobTrigger trigger, CatchUp catchUp, Duration grace, OnAbandoned onAbandoned,
			int maxAttempts, int retries, Duration retryAfter, @Nullable Duration maxDuration, OnLost onLost) {

		Terms(String job, JobTrigger trigger, CatchUp catchUp, Duration grace, OnAbandoned onAbandoned, int maxAttempts,
				int retries, Duration retryAfter) {
			this(job, trigger, catchUp, grace, onAbandoned, maxAttempts, retries, retryAfter, null, OnLost.IGNORE);
		}

	}

	/**
	 * The runs of a job, and when they were read.
	 *
	 * @param now the time of the store
	 * @param since the time from which on its ticks count
	 * @param last the record of the last tick of the schedule until now, {@code null} if
	 * there is none
	 * @param ran the last run until now, {@code null} if there is none
	 * @param success the last run until now that succeeded, {@code null} if there is none
	 * @param open the run that has not ended, {@code null} if there is none
	 * @param stored the record of the job, {@code null} if there is none
	 */
	record Seen(Instant now, Instant since, @Nullable JobRun last, @Nullable JobRun ran, @Nullable JobRun success,
			@Nullable JobRun open, @Nullable StoredJob stored) {

		/** Whether the job is paused. */
		boolean paused() {
			return this.stored != null && this.stored.paused() != null;
		}

		/** The same records after the run of the last tick has ended. */
		Seen after(JobRun run, Instant time) {
			return new Seen(time, this.since, run, run, (run.outcome() == JobOutcome.SUCCEEDED) ? run : this.success,
					null, this.stored);
		}

		private Seen at(Instant time) {
			return new Seen(time, this.since, this.last, this.ran, this.success, this.open, this.stored);
		}

		/** The time until which the last run went on, {@code null} if it is not known. */
		private @Nullable Instant busyUntil() {
			Instant ended = (this.ran != null && this.ran.hasWorked()) ? this.ran.endedAt() : null;
			// An end in the future was recorded before the clock was set back
			return (ended != null && !ended.isAfter(this.now)) ? ended : null;
		}

		/** Whether a note already says that ticks are not run beside this run. */
		private boolean isNotedSince(JobRun run) {
			return this.last != null && this.last.isNote(STILL_RAN) && !this.last.startedAt().isBefore(run.startedAt());
		}

		/**
		 * The time from which on ticks without a record were skipped by a pause that is
		 * over.
		 * @return the time, {@code null} if there are no such ticks
		 */
		private @Nullable Instant pausedFrom(JobTrigger trigger) {
			StoredJob job = this.stored;
			if (job != null && job.since().equals(this.since) && job.scheduledSince().isBefore(this.since)
					&& job.schedule().equals(trigger.toString())) {
				return job.scheduledSince();
			}
			return (this.last != null && this.last.isNote(PAUSED)) ? this.last.tick() : null;
		}

		private boolean isBeforeItCounts(Instant tick) {
			// A time in the future was recorded before the clock was set back
			return tick.isBefore(this.since) && !this.since.isAfter(this.now);
		}

		/**
		 * Whether a tick came before ticks counted, or during a pause. Only the first
		 * tick of a pause is noted, so that a pause does not cause a write at each tick.
		 */
		private boolean isLeftOut(Instant tick) {
			Pause pause = (this.stored != null) ? this.stored.paused() : null;
			if (pause != null) {
				return this.last != null && this.last.isNote(PAUSED) && !this.last.startedAt().isBefore(pause.at());
			}
			return isBeforeItCounts(tick);
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
	 * Nothing is due, because the job is paused.
	 */
	record Paused() implements JobDecision {

	}

	/**
	 * A run goes on, or was left by its instance: the lock tells which.
	 *
	 * @param open the run
	 */
	record Settle(JobRun open) implements JobDecision {

	}

	/**
	 * Run a tick.
	 *
	 * @param tick the tick
	 * @param left the previous attempt, which failed or was left by its instance;
	 * {@code null} for the first attempt
	 */
	record Run(Instant tick, @Nullable JobRun left) implements JobDecision {

	}

	/**
	 * Note that ticks are not run.
	 *
	 * @param first the first tick
	 * @param last the last tick
	 * @param ticks the number of ticks
	 * @param outcome the outcome to note
	 * @param why why they are not run
	 */
	record Note(Instant first, Instant last, int ticks, JobOutcome outcome, String why) implements JobDecision {

	}

	/**
	 * Note that a run was left by its instance, and is not run again.
	 *
	 * @param left the run
	 */
	record Abandon(JobRun left) implements JobDecision {

	}

}
