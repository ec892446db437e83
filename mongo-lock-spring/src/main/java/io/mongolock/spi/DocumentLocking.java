package io.mongolock.spi;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockRequest;

/**
 * Runs methods that are declared with {@code @DistributedLock(document = …)}. There is at
 * most one bean of this type. The bean of another module replaces the bean of
 * {@code mongo-lock-documents} if it is declared first. Without a bean of this type,
 * these methods are refused at startup. Only {@link #parameterType()} is called before
 * all singletons exist. Thread-safe.
 */
public interface DocumentLocking {

	/**
	 * The type of the parameters that get the locked document.
	 * @return the type, which has the type of the document as its type argument
	 */
	Class<?> parameterType();

	/**
	 * Check that documents of a type can be locked, at startup.
	 * @param document the type
	 * @throws IllegalArgumentException if they cannot be locked; the message says why,
	 * and what to do
	 */
	void check(Class<?> document);

	/**
	 * Run a method under the lock of a document, which is released when it ends.
	 * @param document the type of the document
	 * @param id the id of the document, which is the value of the declared key
	 * @param how completes the request with the declared settings
	 * @param work the method
	 * @return the result of the method
	 * @throws Throwable the exception of the method, or the reason why it was not run:
	 * {@link io.mongolock.LockUnavailableException} if another holder has the lock
	 */
	@Nullable Object execute(Class<?> document, Object id, Consumer<LockRequest.Builder> how, Work work) throws Throwable;

	/**
	 * A method that runs under the lock of a document.
	 */
	@FunctionalInterface
	interface Work {

		/**
		 * Run the method.
		 * @param locked the locked document, of the type
		 * {@link DocumentLocking#parameterType()}
		 * @return the result of the method
		 * @throws Throwable the exception of the method
		 */
		@Nullable Object run(Object locked) throws Throwable;

	}

}
