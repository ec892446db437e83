package io.mongolock.interceptor.check;

import java.lang.reflect.Method;
import java.util.List;
import java.util.function.BiFunction;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

import io.mongolock.InvalidLockSettingsException;
import io.mongolock.LockSettings;
import io.mongolock.OnUnavailable;
import io.mongolock.core.ResolvedLockSettings;
import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.interceptor.LaterResults;
import io.mongolock.interceptor.LockOperation;
import io.mongolock.interceptor.SkippedResult;

/**
 * Refuses methods whose lock could not do what was declared, however they are called.
 */
class LockMethodCheck {

	private final LockKeyCheck keys;

	private final BiFunction<@Nullable String, LockSettings, ResolvedLockSettings> terms;

	private final LockDocumentCheck documents;

	private final LockHandlerCheck handlers;

	LockMethodCheck(BiFunction<@Nullable String, LockSettings, ResolvedLockSettings> terms, LockDocumentCheck documents,
			LockKeyCheck keys, LockHandlerCheck handlers) {
		this.terms = terms;
		this.keys = keys;
		this.handlers = handlers;
		this.documents = documents;
	}

	void check(List<LockOperation> operations, Class<?> targetClass) {
		LockOperation first = operations.get(0);
		endsWithTheCall(first, targetClass);
		result(first, targetClass);
		this.handlers.check(first, targetClass);
		operations.forEach((operation) -> check(operation, targetClass));
	}

	private void check(LockOperation operation, Class<?> targetClass) {
		this.keys.check(operation, targetClass);
		this.documents.check(operation, targetClass);
		settings(operation, targetClass);
	}

	private static void endsWithTheCall(LockOperation operation, Class<?> targetClass) {
		Method method = operation.method();
		String later = LaterResults.declaredBy(method, targetClass);
		if (later != null) {
			throw new InvalidLockMethodException(method, targetClass,
					"returns a " + later + ": the lock would end before the work does", LaterResults.ACTION);
		}
		Class<?> document = operation.document();
		if (document != null && LaterResults.areHeldFor(method, targetClass)) {
			throw new InvalidLockMethodException(method, targetClass,
					"has document = " + document.getSimpleName()
							+ ".class and a result that ends later, and the lock of a document ends with the call",
					"Wait for the result inside the method, or leave document out.");
		}
	}

	private static void result(LockOperation operation, Class<?> targetClass) {
		Class<?> type = operation.method().getReturnType();
		if (operation.onUnavailable() == OnUnavailable.SKIP && !SkippedResult.existsFor(type)) {
			throw new InvalidLockMethodException(operation.method(), targetClass,
					"returns " + type + ", and onUnavailable = SKIP would have to make a value up",
					"Return " + ClassUtils.resolvePrimitiveIfNecessary(type).getSimpleName()
							+ " (if skipped zero or false, or null of a Character) or an Optional, name a fallback, "
							+ "or use onUnavailable = FAIL.");
		}
	}

	private void settings(LockOperation operation, Class<?> targetClass) {
		try {
			this.terms.apply(operation.name(), operation.settings());
		}
		catch (InvalidLockSettingsException ex) {
			throw new InvalidLockMethodException(operation.method(), targetClass,
					"has settings that contradict each other or those configured: " + ex.getMessage(),
					"Change the attribute, or the properties mongo-lock.*"
							+ ((operation.name() != null) ? " or mongo-lock.locks." + operation.name() + ".*" : "")
							+ ".",
					ex);
		}
	}

}
