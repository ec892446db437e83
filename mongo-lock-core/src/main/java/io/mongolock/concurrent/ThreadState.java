package io.mongolock.concurrent;

import io.mongolock.event.LockInstrumentation.Scope;

/**
 * Something that a thread carries for the code that runs on it, for example who is logged
 * in. Thread-safe.
 */
@FunctionalInterface
public interface ThreadState {

	/**
	 * Take what the current thread has of it.
	 * @return what it has, also if that is nothing
	 */
	Captured capture();

	/**
	 * What a thread had, for others. Both scopes end on the thread that opened them,
	 * innermost first, and what was there before is there again. Thread-safe.
	 */
	interface Captured {

		/**
		 * Let the current thread have this, and nothing else.
		 */
		Scope replace();

		/**
		 * Let the current thread have what it has, and of this what it lacks.
		 */
		Scope complete();

	}

}
