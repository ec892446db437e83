package io.mongolock.jobs;

import org.jspecify.annotations.Nullable;

/**
 * Observes attempts, each on its thread. Thread-safe.
 */
interface JobObserver {

	/** Observes nothing. */
	JobObserver NONE = (run) -> (outcome, failure) -> {
	};

	/**
	 * Observe an attempt that begins on this thread.
	 * @return ends the observation; it is called on the same thread
	 */
	End begin(JobRun run);

	/**
	 * Ends the observation of an attempt.
	 */
	@FunctionalInterface
	interface End {

		/**
		 * End the observation.
		 * @param ended the run as it is recorded at its end
		 * @param failure what the work threw, if it did
		 */
		void of(JobRun ended, @Nullable Throwable failure);

	}

}
