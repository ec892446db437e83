package io.mongolock;

/**
 * A guarded write was refused, because a holder with a higher fence has written since.
 * The writer had lost the lock. Nothing was changed.
 */
public class StaleFenceException extends LockException {

	private final long fence;

	/**
	 * Create a new exception.
	 * @param key the key of the lock
	 * @param fence the fence that was refused
	 * @param message what happened, for diagnostics
	 */
	public StaleFenceException(String key, long fence, String message) {
		super(key, message, null);
		this.fence = fence;
	}

	/**
	 * The fence that was refused.
	 * @return the fence
	 */
	public long getFence() {
		return this.fence;
	}

}
