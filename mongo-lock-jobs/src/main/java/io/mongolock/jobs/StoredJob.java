package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import io.mongolock.jobs.JobDecision.Seen;

/**
 * The knowledge that all instances share of a job: a document beside its runs. It decides
 * from when on ticks count, and since when the job is overdue. All times are by the clock
 * of the server.
 *
 * @param schedule when it is due, as the last instance said that looked after it
 * @param scheduledAt when that was
 * @param scheduledSince when an instance first said that schedule instead of another one
 * @param since from when on its ticks are expected: from the first instance on, or from
 * when it was resumed
 * @param paused since when it is to be run nowhere, {@code null} if it is
 * @param rerun the tick that somebody last wanted to be run again, {@code null} if none
 */
record StoredJob(String schedule, Instant scheduledAt, Instant scheduledSince, Instant since, @Nullable Pause paused,
		@Nullable Instant rerun) {

	/** How often an instance says that it looks after a job. */
	static final Duration SAID_EVERY = Duration.ofMinutes(10);

	/** Whether an instance has looked after it lately. */
	boolean isScheduled(Instant now) {
		return Duration.between(this.scheduledAt, now).compareTo(SAID_EVERY.multipliedBy(3)) < 0;
	}

	/**
	 * From when on ticks count. The ticks of a schedule do once an instance has it, so
	 * that one that is changed makes up for none from before.
	 * @param trigger the schedule of the caller, {@code null} if it has none
	 * @param since when the caller began to look after the job
	 */
	Instant from(@Nullable JobTrigger trigger, Instant since, Instant now) {
		boolean before = trigger != null && this.schedule.equals(trigger.toString())
				&& this.scheduledSince.isBefore(since);
		Instant from = (before) ? this.scheduledSince : since;
		// A time to come is one before the clock was set back
		return (this.since.isAfter(from) && !this.since.isAfter(now)) ? this.since : from;
	}

	/**
	 * The first tick that no run has succeeded for, or which is to come.
	 * @param seen what is kept of the job; a run that goes on is not overdue
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
	 * The same while a run goes on: its own tick is not overdue, but an earlier one that
	 * failed still is.
	 */
	static Instant overdueBeside(JobTrigger trigger, Instant first, JobRun open) {
		Instant next = trigger.after(open, open.tick());
		return (open.byHand() || open.tick().isAfter(first) || next.isBefore(first)) ? first : next;
	}

	/**
	 * Somebody wants the job to be run nowhere.
	 *
	 * @param by who
	 * @param reason why
	 * @param at when that was
	 */
	record Pause(String by, String reason, Instant at) {

	}

}
