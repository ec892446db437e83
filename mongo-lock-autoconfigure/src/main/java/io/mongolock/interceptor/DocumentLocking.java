package io.mongolock.interceptor;

import org.jspecify.annotations.Nullable;

/**
 * Runs methods under locks that are fields of documents, of which the interceptor knows
 * nothing. Thread-safe.
 */
public interface DocumentLocking {

	/**
	 * The type of the parameters that are filled in with what is locked.
	 * @return the type, which has the type of the document as its type argument
	 */
	Class<?> parameterType();

	/**
	 * Check that documents of a type can be locked.
	 * @throws IllegalArgumentException if they cannot
	 */
	void check(Class<?> document);

	/**
	 * Run a method under the lock of a document.
	 * @throws Throwable what it threw, or why it was not run
	 */
	@Nullable Object execute(LockOperation operation, Object id, Work work) throws Throwable;

	/**
	 * A method that runs under the lock of a document.
	 */
	@FunctionalInterface
	interface Work {

		/**
		 * Run the method.
		 * @throws Throwable what it threw
		 */
		@Nullable Object run(Object locked) throws Throwable;

	}

}
