package io.mongolock.interceptor;

import java.util.Objects;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockRequest;
import io.mongolock.spi.DocumentLocking;

/**
 * Runs a method under the lock of a document.
 *
 * @param documents resolved at a call, not before
 * @param warnings checks each call
 */
record DocumentLockExecution(LockOperation operation, LockKeyEvaluator keys, Supplier<DocumentLocking> documents,
		CallWarnings warnings) implements LockedExecution {

	@Override
	public @Nullable Object run(LockedCall call) throws Throwable {
		this.warnings.warnIfBlocking(call);
		Object id = this.keys.id(this.operation, call);
		DocumentLocking documents = this.documents.get();
		Class<?> document = Objects.requireNonNull(this.operation.document());
		call.claim();
		return documents.execute(document, id, this::complete, (locked) -> {
			fillIn(call, documents.parameterType(), locked);
			return call.proceed();
		});
	}

	private void complete(LockRequest.Builder request) {
		if (this.operation.name() != null) {
			request.name(this.operation.name());
		}
		request.settings(this.operation.settings())
			.onUnavailable(this.operation.onUnavailable())
			.onLost(this.operation.onLost());
	}

	private static void fillIn(LockedCall call, Class<?> type, Object locked) {
		Class<?>[] types = call.method().getParameterTypes();
		for (int i = 0; i < types.length; i++) {
			if (types[i] == type) {
				call.arguments()[i] = locked;
			}
		}
	}

}
