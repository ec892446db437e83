package io.mongolock.jobs;

/**
 * Events about the ticks of jobs, for {@code @EventListener} methods in the instance that
 * runs them, or that noticed that they are not run. They are published under the lock of
 * the job, on its thread: a listener returns soon.
 */
public sealed interface JobRunEvent {

	/**
	 * The run.
	 * @return the run as it is kept
	 */
	JobRun run();

	/**
	 * An attempt begins here.
	 *
	 * @param run the run
	 */
	record Started(JobRun run) implements JobRunEvent {

	}

	/**
	 * A tick has ended: run, skipped, missed or abandoned.
	 *
	 * @param run the run, with its outcome
	 */
	record Ended(JobRun run) implements JobRunEvent {

	}

}
