package io.mongolock.store;

import java.time.Duration;

/**
 * Watches a store for released locks until it is closed. Thread-safe.
 */
public interface ReleaseWatch extends AutoCloseable {

	/**
	 * Whether releases are notified at present. If not, those who wait have to look. It
	 * may change at any time; each time that it becomes {@code true},
	 * {@link ReleaseListener#missed()} follows.
	 * @return whether the listener is notified of releases as they happen
	 */
	boolean isLive();

	/**
	 * Stop watching and release what it took. The listener may be called once more by a
	 * notification that is underway. Repeated, it does nothing.
	 */
	@Override
	void close();

	/**
	 * Wait after the close until everything that it took is given back.
	 * @throws InterruptedException if the thread is interrupted
	 */
	default void awaitEnd(Duration timeout) throws InterruptedException {
	}

}
