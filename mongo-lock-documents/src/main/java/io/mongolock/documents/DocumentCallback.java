package io.mongolock.documents;

import org.jspecify.annotations.Nullable;

/**
 * Work to do under the lock of a document.
 *
 * @param <T> the type of the document
 * @param <R> what it returns
 * @param <E> what it throws
 */
@FunctionalInterface
public interface DocumentCallback<T, R extends @Nullable Object, E extends Throwable> {

	/**
	 * Do the work. Called once, on the thread that called
	 * {@link DocumentLockOperations#execute execute}.
	 * @param locked the document, which the callback may save or leave
	 * @return a result, or {@code null}
	 * @throws E if it fails
	 */
	R doWithDocument(LockedDocument<T> locked) throws E;

}
