package io.mongolock;

/**
 * The lock is no longer guaranteed to be held, so another caller may have been granted
 * it. Work that was done since then may have overlapped with the work of that caller.
 */
public class LockLostException extends LockException {

	private final long fence;

	private final LossReason reason;

	/**
	 * Create a new exception.
	 * @param key the key of the lock
	 * @param fence the number of the grant that was lost
	 * @param reason how the lock was lost
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
	 * How the lock was lost.
	 * @return the reason
	 */
	public LossReason getReason() {
		return this.reason;
	}

}
