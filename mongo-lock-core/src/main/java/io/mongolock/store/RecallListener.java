package io.mongolock.store;

/**
 * Is notified of clients that want a lock whose lease another may keep though nobody
 * holds it. All are hints: one may come twice, late, or never. Called by one thread at a
 * time, which it must not hold up.
 */
public interface RecallListener {

	/**
	 * Somebody wants a lock.
	 * @param holder the lease that is in the way
	 */
	void recalled(LeaseId holder);

	/**
	 * Anything may have been recalled until now, for example while the watch was
	 * interrupted.
	 */
	void missed();

}
