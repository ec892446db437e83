package io.mongolock.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

import io.mongolock.LockRequest;
import io.mongolock.interceptor.DocumentLocking;
import io.mongolock.interceptor.LockOperation;
import io.mongolock.mongodb.DocumentLockOperations;
import io.mongolock.mongodb.LockedDocument;

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
	public @Nullable Object execute(LockOperation operation, Object id, Work work) throws Throwable {
		return this.operations.getObject()
			.execute(operation.document(), id, (request) -> request(operation, request), work::run);
	}

	private static void request(LockOperation operation, LockRequest.Builder request) {
		if (operation.name() != null) {
			request.name(operation.name());
		}
		request.settings(operation.settings()).onUnavailable(operation.onUnavailable()).onLost(operation.onLost());
	}

}
