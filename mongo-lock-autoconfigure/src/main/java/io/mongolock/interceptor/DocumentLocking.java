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
	 * @param document the type
	 * @throws IllegalArgumentException if they cannot
	 */
	void check(Class<?> document);

	/**
	 * Run a method under the lock of a document.
	 * @param operation what was declared; has a type of documents
	 * @param id the id of the document
	 * @param work the method
	 * @return what it returned
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
		 * @param locked what is locked, a {@link DocumentLocking#parameterType()}
		 * @return what it returned
		 * @throws Throwable what it threw
		 */
		@Nullable Object run(Object locked) throws Throwable;

	}

}
