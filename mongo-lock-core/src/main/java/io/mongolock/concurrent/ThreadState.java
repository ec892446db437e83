package io.mongolock.concurrent;

import io.mongolock.event.LockInstrumentation.Scope;

/**
 * A part of the context that a thread carries for the code that runs on it, for example
 * the user who is logged in. Thread-safe.
 */
@FunctionalInterface
public interface ThreadState {

	/**
	 * Take this part of the context from the current thread.
	 * @return the part that was taken, even if it is empty
	 */
	Captured capture();

	/**
	 * A part of the context of a thread, for other threads. A scope ends on the thread
	 * that opened it, the innermost scope first, and restores the earlier context.
	 * Thread-safe.
	 */
	interface Captured {

		/**
		 * Replace the part of the current thread with this one.
		 */
		Scope replace();

		/**
		 * Let the current thread keep what it has, and add what it lacks.
		 */
		Scope complete();

	}

}
