package io.mongolock.interceptor.check;

import java.lang.reflect.Method;
import java.util.List;
import java.util.function.BiFunction;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;

import io.mongolock.InvalidLockSettingsException;
import io.mongolock.LockSettings;
import io.mongolock.LockUnavailableHandler;
import io.mongolock.OnUnavailable;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.LockTerms;
import io.mongolock.interceptor.AsyncResultDetector;
import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.interceptor.LockOperation;
import io.mongolock.interceptor.SkipAnswer;

/**
 * Refuses methods whose lock cannot work as declared, however they are called.
 */
record LockMethodCheck(BiFunction<@Nullable String, LockSettings, LockTerms> terms, LockDocumentCheck documents,
		KeyTypeCheck keys, BeanFactory beans) {

	void check(List<LockOperation> operations, Class<?> targetClass) {
		LockOperation first = operations.get(0);
		endsWithTheCall(first, targetClass);
		result(first, targetClass);
		handler(first, targetClass);
		for (LockOperation operation : operations) {
			check(operation, targetClass);
		}
	}

	private void check(LockOperation operation, Class<?> targetClass) {
		this.keys.check(operation, targetClass);
		this.documents.check(operation, targetClass);
		settings(operation, targetClass);
	}

	private static void endsWithTheCall(LockOperation operation, Class<?> targetClass) {
		Method method = operation.method();
		String later = AsyncResultDetector.declaredBy(method, targetClass);
		if (later != null) {
			throw new InvalidLockMethodException(method, targetClass,
					"returns a " + later + ", so the lock would end before the work ends", AsyncResultDetector.ACTION);
		}
		Class<?> document = operation.document();
		if (document != null && AsyncResultDetector.areHeldFor(method, targetClass)) {
			throw new InvalidLockMethodException(method, targetClass,
					"has document = " + document.getSimpleName()
							+ ".class and an asynchronous result, but a document's lock ends with the call",
					"Wait for the result inside the method, or remove the attribute 'document'.");
		}
	}

	private static void result(LockOperation operation, Class<?> targetClass) {
		Class<?> type = operation.method().getReturnType();
		if (operation.onUnavailable() == OnUnavailable.SKIP && !SkipAnswer.existsFor(operation.method(), targetClass)) {
			throw new InvalidLockMethodException(operation.method(), targetClass,
					"returns " + type.getTypeName() + ", so onUnavailable = SKIP would have to invent a result",
					((type.isPrimitive())
							? "Return " + ClassUtils.resolvePrimitiveIfNecessary(type).getSimpleName()
									+ " or an Optional (a skipped call then returns 0, false, a null Character, or "
									+ "an empty Optional)"
							: "Return a type that may be empty, for example a Maybe or a Mono")
							+ ", name a fallback, or use onUnavailable = FAIL.");
		}
	}

	private void handler(LockOperation operation, Class<?> targetClass) {
		String name = operation.unavailableHandler();
		if (name == null
				|| (this.beans.containsBean(name) && this.beans.isTypeMatch(name, LockUnavailableHandler.class))) {
			return;
		}
		throw new InvalidLockMethodException(operation.method(), targetClass,
				"has the unavailableHandler '" + name + "', "
						+ ((this.beans.containsBean(name)) ? "which is no LockUnavailableHandler"
								: "but there is no such bean"),
				"Name a LockUnavailableHandler bean in the attribute 'unavailableHandler', or in the property "
						+ "mongo-lock.unavailable-handler, which is for methods without SKIP, fallback or handler.");
	}

	private void settings(LockOperation operation, Class<?> targetClass) {
		try {
			this.terms.apply(operation.name(), operation.settings());
		}
		catch (InvalidLockSettingsException ex) {
			throw new InvalidLockMethodException(operation.method(), targetClass,
					"has settings that contradict each other or the configured settings: " + ex.getMessage(),
					"Change the attribute, or the properties mongo-lock.*" + ((operation.name() != null)
							? " or " + ConfiguredSettings.property(operation.name()) + ".*" : "") + ".",
					ex);
		}
	}

}
