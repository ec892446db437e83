package io.mongolock;

import org.jspecify.annotations.Nullable;

/**
 * The store could not be asked, or did not answer.
 */
public class LockStoreException extends LockException {

	private final Outcome outcome;

	/**
	 * Create a new exception.
	 * @param key the key of the lock, or of the first lock if several locks were
	 * requested
	 * @param outcome what is known of the request
	 * @param message what happened, for diagnostics
	 * @param cause the failure of the store
	 */
	public LockStoreException(String key, Outcome outcome, String message, @Nullable Throwable cause) {
		super(key, message, cause);
		this.outcome = outcome;
	}

	/**
	 * The outcome of the request that failed.
	 * @return the outcome
	 */
	public Outcome getOutcome() {
		return this.outcome;
	}

	/**
	 * The outcome of a request that failed.
	 */
	public enum Outcome {

		/**
		 * The request was not executed and never will be, so another attempt may succeed.
		 */
		NOT_EXECUTED,

		/**
		 * The request may have been executed, or may still be executed.
		 */
		UNKNOWN,

		/**
		 * The request was refused for a reason that another attempt does not change, for
		 * example missing rights.
		 */
		REFUSED

	}

}
