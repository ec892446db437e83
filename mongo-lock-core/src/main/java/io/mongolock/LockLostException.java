package io.mongolock;

/**
 * The lock is no longer guaranteed held: another may have been granted it. What was done
 * under the lock since may have overlapped with somebody else's work.
 */
public class LockLostException extends LockException {

	private final long fence;

	private final LossReason reason;

	/**
	 * Create a new exception.
	 * @param key the key of the lock
	 * @param fence the number of the grant that was lost
	 * @param reason how it was lost
	 * @param message what happened, for diagnostics
	 */
	public LockLostException(String key, long fence, LossReason reason, String message) {
		super(key, message, null);
		this.fence = fence;
		this.reason = reason;
	}

	/**
	 * The number of the grant that was lost.
	 * @return the fence
	 */
	public long getFence() {
		return this.fence;
	}

	/**
	 * How it was lost.
	 * @return the reason
	 */
	public LossReason getReason() {
		return this.reason;
	}

}
