package io.mongolock;

/**
 * The arguments of a call give no key for its lock, so the method was not called.
 */
public class InvalidLockKeyException extends IllegalArgumentException {

	/**
	 * Create a new exception.
	 * @param message the call and its expression, and what is wrong with the key
	 * @param cause the exception that refused the key
	 */
	public InvalidLockKeyException(String message, Throwable cause) {
		super(message, cause);
	}

}
