package io.mongolock.store;

import java.time.Duration;

/**
 * Watches a store for released locks, or for recalls, until it is closed. Thread-safe.
 */
public interface StoreSubscription extends AutoCloseable {

	/** For a store that notices nothing. */
	StoreSubscription NEVER_LIVE = new StoreSubscription() {

		@Override
		public boolean isLive() {
			return false;
		}

		@Override
		public void close() {
			// Nothing was opened
		}

	};

	/**
	 * Whether the listener is notified at present. If not, those who want to know have to
	 * look. It may change at any time; each time that it becomes {@code true},
	 * {@code missed()} of the listener follows.
	 * @return whether the listener learns what happens
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
