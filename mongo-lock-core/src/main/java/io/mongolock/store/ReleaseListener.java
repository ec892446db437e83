package io.mongolock.store;

/**
 * Is notified of everything that may have freed a place in a lock. Every notification is
 * a hint: the place may be taken again by the time the hint arrives, and a hint may never
 * come. One thread at a time calls the listener, which must not hold that thread up.
 */
public interface ReleaseListener {

	/**
	 * A place of this key may have become free: among the holders, or in the queue.
	 */
	void released(String key);

	/**
	 * Anything may have happened to any key, for example while the watch was interrupted:
	 * look at everything once.
	 */
	void missed();

}
