package io.mongolock.store;

/**
 * Is notified of whatever may have freed a place in a lock. All are hints: a place may be
 * taken again by the time the hint arrives, and a hint may never come. Called by one
 * thread at a time, which it must not hold up.
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
