package io.mongolock.spi;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockRequest;

/**
 * Runs methods that are declared with {@code @DistributedLock(document = …)}: one bean at
 * most, so the bean of another module replaces the one of {@code mongo-lock-documents} if
 * it is declared before that. Where there is none, such a method is refused at startup.
 * It is asked for nothing but {@link #parameterType()} before all singletons exist.
 * Thread-safe.
 */
public interface DocumentLocking {

	/**
	 * The type of the parameters that are filled in with what is locked.
	 * @return the type, which has the type of the document as its type argument
	 */
	Class<?> parameterType();

	/**
	 * Check that documents of a type can be locked, at startup.
	 * @param document the type
	 * @throws IllegalArgumentException if they cannot: why, and the way out
	 */
	void check(Class<?> document);

	/**
	 * Run a method under the lock of a document, which is released when it ends.
	 * @param document the type of the document
	 * @param id its id, as the key of the declaration
	 * @param how completes the request with what was declared
	 * @param work the method
	 * @return what it returned
	 * @throws Throwable what it threw, or why it was not run:
	 * {@link io.mongolock.LockUnavailableException} if others hold the lock
	 */
	@Nullable Object execute(Class<?> document, Object id, Consumer<LockRequest.Builder> how, Work work) throws Throwable;

	/**
	 * A method that runs under the lock of a document.
	 */
	@FunctionalInterface
	interface Work {

		/**
		 * Run the method.
		 * @param locked what is locked, of {@link DocumentLocking#parameterType()}
		 * @return what it returned
		 * @throws Throwable what it threw
		 */
		@Nullable Object run(Object locked) throws Throwable;

	}

}
