package io.mongolock.jobs;

/**
 * Events about the ticks of jobs, for {@code @EventListener} methods. They are published
 * in the instance that runs a tick, or that notices that a tick was not run. They are
 * published under the lock of the job, on its thread, so a listener should return soon.
 */
public sealed interface JobRunEvent {

	/**
	 * The run.
	 * @return the run as it is recorded
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
	 * A tick has ended, because it was run, skipped, missed or abandoned.
	 *
	 * @param run the run, with its outcome
	 */
	record Ended(JobRun run) implements JobRunEvent {

	}

}
