package io.mongolock.jobs;

/**
 * The work of a job.
 *
 * @param <E> what it throws
 */
@FunctionalInterface
public interface JobWork<E extends Throwable> {

	/**
	 * Do the work, under the lock of the job.
	 * @param run the run, as far as it is known at the beginning
	 * @throws E whatever the work throws; its class and message are recorded
	 */
	void run(JobRun run) throws E;

}
