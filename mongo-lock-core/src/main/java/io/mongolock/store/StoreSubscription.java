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
	 * Whether the listener is notified at present. If not, the client has to look itself.
	 * This may change at any time. Each time that it becomes {@code true},
	 * {@code missed()} of the listener is called.
	 * @return whether the listener is notified
	 */
	boolean isLive();

	/**
	 * Stop watching and free the resources of the watch. A notification that is underway
	 * may still call the listener once. A repeated call does nothing.
	 */
	@Override
	void close();

	/**
	 * Wait after the close until the resources of the watch are free.
	 * @throws InterruptedException if the thread is interrupted
	 */
	default void awaitEnd(Duration timeout) throws InterruptedException {
	}

}
