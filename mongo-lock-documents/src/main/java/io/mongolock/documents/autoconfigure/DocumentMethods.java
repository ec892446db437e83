package io.mongolock.documents.autoconfigure;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

import io.mongolock.LockRequest;
import io.mongolock.documents.DocumentLockOperations;
import io.mongolock.documents.LockedDocument;
import io.mongolock.spi.DocumentLocking;

/**
 * Runs methods under the locks of documents. Asks for those who lock them at the first
 * call.
 *
 * @param operations lock them
 */
record DocumentMethods(ObjectProvider<DocumentLockOperations> operations) implements DocumentLocking {

	@Override
	public Class<?> parameterType() {
		return LockedDocument.class;
	}

	@Override
	public void check(Class<?> document) {
		this.operations.getObject().check(document);
	}

	@Override
	@SuppressWarnings("NullAway") // sees no type arguments: the callback may return null
	public @Nullable Object execute(Class<?> document, Object id, Consumer<LockRequest.Builder> how, Work work)
			throws Throwable {
		return this.operations.getObject().execute(document, id, how, work::run);
	}

}
