package io.mongolock.jobs;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * One tick of a job, as it is kept. All times are by the clock of the MongoDB server.
 *
 * @param job the name of the job
 * @param tick when it was due
 * @param attempt 1, or more if an instance died in an attempt before, or it failed; 0 if
 * the tick was not run
 * @param fence the fence of the lock that the attempt has, higher than in all runs
 * before; 0 if the tick was not run
 * @param startedAt when the attempt began, or when it was noted that the tick was not run
 * @param endedAt when that ended, {@code null} as long as it runs
 * @param outcome how it ended
 * @param runner the instance that ran it, or that noted that it was not run
 * @param exception the class of the exception, {@code null} unless the work threw one
 * @param message the message of the exception, at most 500 characters; or why the tick
 * was not run
 * @param note how far it is, as the work says; {@code null} once it has ended
 */
public record JobRun(String job, Instant tick, int attempt, long fence, Instant startedAt, @Nullable Instant endedAt,
		JobOutcome outcome, String runner, @Nullable String exception, @Nullable String message,
		@Nullable String note) {

	static final int MAX_MESSAGE = 500;

	static JobRun begun(String job, Instant tick, int attempt, long fence, Instant now, String runner) {
		return new JobRun(job, tick, attempt, fence, now, null, JobOutcome.RUNNING, runner, null, null, null);
	}

	static JobRun notRun(String job, Instant tick, Instant now, JobOutcome outcome, String why, String runner) {
		return new JobRun(job, tick, 0, 0, now, now, outcome, runner, null, why, null);
	}

	JobRun ended(Instant now, JobOutcome how, @Nullable Throwable failure) {
		String text = (failure != null) ? failure.getMessage() : null;
		return new JobRun(this.job, this.tick, this.attempt, this.fence, this.startedAt, now, how, this.runner,
				(failure != null) ? failure.getClass().getName() : null, (text != null) ? bounded(text) : null, null);
	}

	JobRun noted(String how) {
		return new JobRun(this.job, this.tick, this.attempt, this.fence, this.startedAt, this.endedAt, this.outcome,
				this.runner, this.exception, this.message, how);
	}

	// Not through the middle of a character
	static String bounded(String text) {
		int end = Math.min(text.length(), MAX_MESSAGE);
		return text.substring(0,
				(end == MAX_MESSAGE && Character.isHighSurrogate(text.charAt(end - 1))) ? end - 1 : end);
	}

}
