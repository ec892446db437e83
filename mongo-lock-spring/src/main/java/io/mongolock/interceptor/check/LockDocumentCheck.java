package io.mongolock.interceptor.check;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.ResolvableType;

import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.interceptor.LockOperation;
import io.mongolock.spi.DocumentLocking;

/**
 * Finds mistakes in methods that run under the lock of a document.
 */
class LockDocumentCheck {

	private final BeanFactory beans;

	private final Map<LockOperation, Class<?>> seen = new ConcurrentHashMap<>();

	LockDocumentCheck(BeanFactory beans) {
		this.beans = beans;
	}

	void check(LockOperation operation, Class<?> targetClass) {
		Class<?> document = operation.document();
		if (document == null) {
			return;
		}
		DocumentLocking locking = documents();
		if (locking == null) {
			throw new InvalidLockMethodException(operation.method(), targetClass,
					"has document = " + document.getSimpleName() + ".class, but the application cannot lock documents",
					"Add mongo-lock-documents (part of mongo-lock-starter) and spring-boot-starter-data-mongodb "
							+ "(Spring Data MongoDB and the synchronous driver). If the method needs no document's "
							+ "lock, remove the attribute 'document'.");
		}
		IntStream.range(0, operation.method().getParameterCount())
			.filter((index) -> operation.method().getParameterTypes()[index] == locking.parameterType())
			.forEach((index) -> parameter(operation, index, document, targetClass));
		this.seen.put(operation, targetClass);
	}

	/**
	 * Look at the types of the documents, once there may be a template that knows their
	 * mapping.
	 */
	void checkTypes() {
		for (Map.Entry<LockOperation, Class<?>> one : this.seen.entrySet()) {
			LockOperation operation = one.getKey();
			Class<?> document = Objects.requireNonNull(operation.document());
			try {
				Objects.requireNonNull(documents()).check(document);
			}
			catch (IllegalArgumentException ex) {
				throw new InvalidLockMethodException(operation.method(), one.getValue(),
						"has document = " + document.getSimpleName()
								+ ".class, but documents of that type cannot be locked",
						String.valueOf(ex.getMessage()));
			}
		}
	}

	private @Nullable DocumentLocking documents() {
		return this.beans.getBeanProvider(DocumentLocking.class).getIfAvailable();
	}

	private static void parameter(LockOperation operation, int index, Class<?> document, Class<?> targetClass) {
		if (operation.condition() != null) {
			String parameter = operation.method().getParameterTypes()[index].getSimpleName();
			throw new InvalidLockMethodException(operation.method(), targetClass,
					"has the condition '" + operation.condition() + "' and a parameter " + parameter
							+ ", but this parameter has no value if the condition is false",
					"Remove the condition or the parameter.");
		}
		ResolvableType type = ResolvableType.forMethodParameter(operation.method(), index, targetClass);
		Class<?> argument = type.getGeneric(0).resolve();
		if (argument != null && !argument.isAssignableFrom(document)) {
			throw new InvalidLockMethodException(operation.method(), targetClass,
					"has document = " + document.getSimpleName() + ".class, but its parameter " + type
							+ " cannot take the locked document",
					"Declare the parameter as " + type.toClass().getSimpleName() + "<" + document.getSimpleName()
							+ ">. If the method needs another document, pass that document's ticket.");
		}
	}

}
