package io.mongolock.core;

import org.jspecify.annotations.Nullable;

/**
 * Wakes the thread that begins what is due. Does nothing until it is known which thread
 * that is. Thread-safe.
 */
public final class WakeUp {

	private volatile @Nullable Runnable call;

	/**
	 * Have a thread woken from now on.
	 * @param call wakes it; must neither block nor throw
	 */
	public void set(Runnable call) {
		this.call = call;
	}

	/**
	 * There is something to do.
	 */
	public void run() {
		Runnable call = this.call;
		if (call != null) {
			call.run();
		}
	}

}
