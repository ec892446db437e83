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
	 * An attempt begins on this thread.
	 * @return its end, which is called on the same thread
	 */
	End begin(JobRun run);

	/**
	 * Ends the observation of an attempt.
	 */
	@FunctionalInterface
	interface End {

		/**
		 * End it.
		 * @param ended the run as it is kept then
		 * @param failure what the work threw, if it did
		 */
		void of(JobRun ended, @Nullable Throwable failure);

	}

}
