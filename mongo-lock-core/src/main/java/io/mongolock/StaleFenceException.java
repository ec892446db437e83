package io.mongolock;

/**
 * A guarded write was refused, because somebody with a higher fence has written since:
 * the lock that this writer relied on had been lost. Nothing was changed.
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
