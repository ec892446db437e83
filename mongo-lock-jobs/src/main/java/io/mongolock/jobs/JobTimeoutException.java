package io.mongolock.jobs;

/**
 * The work of a job took longer than its maximum duration.
 */
final class JobTimeoutException extends RuntimeException {

	JobTimeoutException(String message, Throwable cause) {
		super(message, cause);
	}

}
