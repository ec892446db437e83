package io.mongolock.store;

/**
 * Identifies one grant, or the attempt at it.
 *
 * @param key the key of the lock
 * @param leaseToken the 128 random bits of the attempt, as text
 */
public record LeaseId(String key, String leaseToken) {

	/**
	 * Hides the token, which proves possession of the lock.
	 */
	@Override
	public String toString() {
		return "lease of '" + KeyText.printable(this.key) + "'";
	}

}
