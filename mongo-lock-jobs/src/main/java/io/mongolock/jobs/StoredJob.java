package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import io.mongolock.jobs.JobDecision.Seen;

/**
 * The knowledge of a job that all instances share, in a document beside its runs. Decides
 * from when on ticks count, and since when the job is overdue. All times are by the clock
 * of the server.
 *
 * @param schedule when it is due, as last announced by an instance
 * @param scheduledAt when that was last announced
 * @param scheduledSince when an instance first announced this schedule instead of another
 * one
 * @param since the time from which on its ticks are expected: since its first instance,
 * or since it was resumed
 * @param paused the pause, {@code null} if the job is not paused
 * @param rerun the last tick that was requested to be run again, {@code null} if there is
 * none
 */
record StoredJob(String schedule, Instant scheduledAt, Instant scheduledSince, Instant since, @Nullable Pause paused,
		@Nullable Instant rerun) {

	/** How often an instance announces that it looks after a job. */
	static final Duration SAID_EVERY = Duration.ofMinutes(10);

	/** Whether an instance has recently looked after the job. */
	boolean isScheduled(Instant now) {
		return Duration.between(this.scheduledAt, now).compareTo(SAID_EVERY.multipliedBy(3)) < 0;
	}

	/**
	 * The time from which on ticks count. The ticks of a schedule count once an instance
	 * has it, so a changed schedule makes up for no earlier ticks.
	 * @param trigger the schedule of the caller, {@code null} if it has none
	 * @param since when the caller began to look after the job
	 */
	Instant from(@Nullable JobTrigger trigger, Instant since, Instant now) {
		boolean before = trigger != null && this.schedule.equals(trigger.toString())
				&& this.scheduledSince.isBefore(since);
		Instant from = (before) ? this.scheduledSince : since;
		// A time in the future was recorded before the clock was set back
		return (this.since.isAfter(from) && !this.since.isAfter(now)) ? this.since : from;
	}

	/**
	 * The first tick without a successful run; it may be in the future.
	 * @param seen the records of the job; the tick of a run that goes on is not overdue
	 */
	static Instant overdueFrom(JobTrigger trigger, Seen seen) {
		JobRun success = seen.success();
		Instant since = seen.since();
		Instant first;
		if (success != null && trigger.isClock()) {
			Instant from = success.tick();
			first = trigger.next((from.isBefore(since)) ? since.minusMillis(1) : from, since, seen.last());
		}
		else {
			first = trigger.after(success, since);
			first = (first.isBefore(since)) ? since : first;
		}
		return (seen.open() != null) ? overdueBeside(trigger, first, seen.open()) : first;
	}

	/**
	 * The same while a run goes on. The tick of this run is not overdue, but an earlier
	 * tick whose run failed still is.
	 */
	static Instant overdueBeside(JobTrigger trigger, Instant first, JobRun open) {
		Instant next = trigger.after(open, open.tick());
		return (open.byHand() || open.tick().isAfter(first) || next.isBefore(first)) ? first : next;
	}

	/**
	 * A pause, during which no instance runs the job.
	 *
	 * @param by the user who paused it
	 * @param reason why
	 * @param at when it was paused
	 */
	record Pause(String by, String reason, Instant at) {

	}

}
