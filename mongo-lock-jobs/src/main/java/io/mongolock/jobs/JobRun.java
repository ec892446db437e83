package io.mongolock.jobs;

import java.time.Instant;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The record of one tick of a job, or of several consecutive ticks that were not run. All
 * times are by the clock of the MongoDB server.
 *
 * @param job the name of the job
 * @param tick the time at which it was due
 * @param firstTick the first tick, if several consecutive ticks were not run and
 * {@code tick} is the last of them; otherwise equal to {@code tick}
 * @param ticks the number of these ticks, 1 for a run
 * @param byHand whether the run was requested, and its tick is not one of the schedule
 * @param attempt 1, or more if an earlier attempt failed or its instance died; 0 if the
 * tick was not run
 * @param deaths the number of earlier attempts whose instance died
 * @param failures the number of attempts that have failed
 * @param fence the fence of the attempt's lock, higher than in all earlier runs; 0 if the
 * tick was not run
 * @param startedAt when the attempt began, or when it was noted that the tick was not run
 * @param endedAt when the attempt ended, {@code null} as long as it runs
 * @param outcome how it ended
 * @param cutOff whether the application ended during the run, and no instance has taken
 * the run over yet
 * @param runner the instance that ran the tick, or noted that it was not run
 * @param exception the class of the exception, {@code null} unless the work threw one
 * @param message the message of the exception, at most 500 characters; or why the tick
 * was not run
 * @param note the progress that the work has reported; {@code null} once the run has
 * ended
 * @param state the state that the run has left for later runs, empty unless it succeeded
 */
public record JobRun(String job, Instant tick, Instant firstTick, int ticks, boolean byHand, int attempt, int deaths,
		int failures, long fence, Instant startedAt, @Nullable Instant endedAt, JobOutcome outcome, boolean cutOff,
		String runner, @Nullable String exception, @Nullable String message, @Nullable String note,
		Map<String, String> state) {

	static final int MAX_MESSAGE = 500;

	static JobRun begun(String job, Instant tick, int attempt, long fence, Instant now, String runner) {
		return begun(job, tick, false, attempt, 0, 0, fence, now, runner);
	}

	private static JobRun begun(String job, Instant tick, boolean byHand, int attempt, int deaths, int failures,
			long fence, Instant now, String runner) {
		return new JobRun(job, tick, tick, 1, byHand, attempt, deaths, failures, fence, now, null, JobOutcome.RUNNING,
				false, runner, null, null, null, Map.of());
	}

	static JobRun byHand(String job, Instant tick, long fence, Instant now, String runner) {
		return begun(job, tick, true, 1, 0, 0, fence, now, runner);
	}

	static JobRun notRun(String job, Instant firstTick, Instant tick, int ticks, Instant now, JobOutcome outcome,
			String why, String runner) {
		return new JobRun(job, tick, firstTick, ticks, false, 0, 0, 0, 0, now, now, outcome, false, runner, null, why,
				null, Map.of());
	}

	/** The next attempt at this tick, after an attempt that was left or has ended. */
	JobRun again(long fence, Instant now, String runner) {
		return new JobRun(this.job, this.tick, this.firstTick, this.ticks, this.byHand, this.attempt + 1,
				deathsIfLeft(), this.failures, fence, now, null, JobOutcome.RUNNING, false, runner, null, null, null,
				Map.of());
	}

	/** The number of instances that have died in its attempts, if this one was left. */
	int deathsIfLeft() {
		return (this.outcome == JobOutcome.RUNNING && !this.cutOff) ? this.deaths + 1 : this.deaths;
	}

	JobRun ended(Instant now, JobOutcome how, @Nullable Throwable failure) {
		return new JobRun(this.job, this.tick, this.firstTick, this.ticks, this.byHand, this.attempt, this.deaths,
				this.failures + ((isFailure(how)) ? 1 : 0), this.fence, this.startedAt, now, how, false, this.runner,
				(failure != null) ? failure.getClass().getName() : null, message(failure), null, Map.of());
	}

	/** The same run, with its end by the clock of the store. */
	JobRun endedAt(Instant now) {
		return new JobRun(this.job, this.tick, this.firstTick, this.ticks, this.byHand, this.attempt, this.deaths,
				this.failures, this.fence, this.startedAt, now, this.outcome, this.cutOff, this.runner, this.exception,
				this.message, this.note, this.state);
	}

	/** The same run, with the state that it leaves for later runs. */
	JobRun leaving(Map<String, String> what) {
		return new JobRun(this.job, this.tick, this.firstTick, this.ticks, this.byHand, this.attempt, this.deaths,
				this.failures, this.fence, this.startedAt, this.endedAt, this.outcome, this.cutOff, this.runner,
				this.exception, this.message, this.note, what);
	}

	JobRun noted(String how) {
		return new JobRun(this.job, this.tick, this.firstTick, this.ticks, this.byHand, this.attempt, this.deaths,
				this.failures, this.fence, this.startedAt, this.endedAt, this.outcome, this.cutOff, this.runner,
				this.exception, this.message, how, this.state);
	}

	/** The same run, left by an application that has ended. */
	JobRun leftByCutOff() {
		return new JobRun(this.job, this.tick, this.firstTick, this.ticks, this.byHand, this.attempt, this.deaths,
				this.failures, this.fence, this.startedAt, this.endedAt, this.outcome, true, this.runner,
				this.exception, this.message, this.note, this.state);
	}

	/** Whether it is a note that ticks were not run for this reason. */
	boolean isNote(String why) {
		return this.attempt == 0 && why.equals(this.message);
	}

	/** Whether its work went on until its end. */
	boolean hasWorked() {
		return this.outcome == JobOutcome.SUCCEEDED || hasFailed();
	}

	/** Whether the work threw an exception, by itself or when its time was over. */
	boolean hasFailed() {
		return isFailure(this.outcome);
	}

	private static boolean isFailure(JobOutcome outcome) {
		return outcome == JobOutcome.FAILED || outcome == JobOutcome.TIMED_OUT;
	}

	private static @Nullable String message(@Nullable Throwable failure) {
		if (failure == null) {
			return null;
		}
		try {
			String text = failure.getMessage();
			return (text != null) ? bounded(text) : null;
		}
		catch (RuntimeException | Error ex) { // must not repeat the run
			return "The exception's message cannot be read: " + ex.getClass().getName();
		}
	}

	// Not cut within a character
	static String bounded(String text) {
		int end = Math.min(text.length(), MAX_MESSAGE);
		return text.substring(0,
				(end == MAX_MESSAGE && Character.isHighSurrogate(text.charAt(end - 1))) ? end - 1 : end);
	}

}
