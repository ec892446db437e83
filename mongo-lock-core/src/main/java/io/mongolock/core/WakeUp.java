package io.mongolock.core;

import org.jspecify.annotations.Nullable;

/**
 * Wakes the thread that begins due work. Does nothing until that thread is known.
 * Thread-safe.
 */
public final class WakeUp {

	private volatile @Nullable Runnable call;

	/**
	 * Have a thread woken from now on.
	 * @param call wakes the thread; must neither block nor throw
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
