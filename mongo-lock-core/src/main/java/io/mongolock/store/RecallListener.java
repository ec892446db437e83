package io.mongolock.store;

/**
 * Is notified when a client wants a lock whose lease another client may keep idle. Every
 * notification is a hint: it may come twice, late, or never. One thread at a time calls
 * the listener, which must not hold that thread up.
 */
public interface RecallListener {

	/**
	 * Another client wants a lock.
	 * @param holder the lease that is in the way
	 */
	void recalled(LeaseId holder);

	/**
	 * Any lease may have been recalled until now, for example while the watch was
	 * interrupted.
	 */
	void missed();

}
