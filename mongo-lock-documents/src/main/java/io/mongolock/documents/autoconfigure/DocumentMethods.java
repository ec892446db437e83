package io.mongolock.documents.autoconfigure;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

import io.mongolock.LockRequest;
import io.mongolock.documents.DocumentLockOperations;
import io.mongolock.documents.LockedDocument;
import io.mongolock.spi.DocumentLocking;

/**
 * Runs methods under the locks of documents. Resolves the operations at the first call.
 *
 * @param operations the operations that lock documents
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
	@SuppressWarnings("NullAway") // does not see that the callback may return null
	public @Nullable Object execute(Class<?> document, Object id, Consumer<LockRequest.Builder> how, Work work)
			throws Throwable {
		return this.operations.getObject().execute(document, id, how, work::run);
	}

}
