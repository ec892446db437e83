package io.mongolock;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.PessimisticLockingFailureException;

/**
 * Base class of all exceptions of this library that concern one lock.
 */
public abstract class LockException extends PessimisticLockingFailureException {

	private final String key;

	protected LockException(String key, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.key = key;
	}

	/**
	 * The key of the lock.
	 * @return the key
	 */
	public String getKey() {
		return this.key;
	}

}
