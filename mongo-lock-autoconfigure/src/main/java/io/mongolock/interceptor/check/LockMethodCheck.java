package io.mongolock.interceptor.check;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
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
 * Refuses methods whose lock could not do what was declared.
 */
class LockMethodCheck {

	private static final List<String> CALLBACKS = List.of("jakarta.annotation.PostConstruct",
			"jakarta.annotation.PreDestroy");

	private final LockKeyCheck keys;

	private final BiFunction<@Nullable String, LockSettings, ResolvedLockSettings> terms;

	private final LockDocumentCheck documents;

	private final boolean classProxies;

	LockMethodCheck(BiFunction<@Nullable String, LockSettings, ResolvedLockSettings> terms, LockDocumentCheck documents,
			LockKeyCheck keys, boolean classProxies) {
		this.terms = terms;
		this.keys = keys;
		this.documents = documents;
		this.classProxies = classProxies;
	}

	void check(LockOperation operation, Class<?> targetClass) {
		reachable(operation.method(), targetClass);
		endsWithTheCall(operation.method(), targetClass);
		result(operation, targetClass);
		this.keys.check(operation, targetClass);
		this.documents.check(operation, targetClass);
		settings(operation, targetClass);
	}

	private void reachable(Method method, Class<?> targetClass) {
		int modifiers = method.getModifiers();
		if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers)) {
			throw new InvalidLockMethodException(method, targetClass,
					"is " + ((Modifier.isStatic(modifiers)) ? "static" : "private")
							+ ": no proxy can stand in front of it, it would run without the lock",
					"Make it a public instance method that other beans call, or use LockOperations inside it.");
		}
		if (isCallback(method)) {
			throw new InvalidLockMethodException(method, targetClass,
					"is a callback that the container calls on the object itself, past the proxy",
					"Move the work to another bean, or use LockOperations inside it.");
		}
		if (isProxiedByInterface(targetClass)) {
			reachableByInterface(method, targetClass);
		}
		else if (isOfAnotherPackage(method, targetClass)) {
			throw new InvalidLockMethodException(method, targetClass,
					"is package-private in " + method.getDeclaringClass().getName()
							+ ", of another package: no proxy can override it, it would run without the lock",
					"Make it protected or public, or use LockOperations inside it.");
		}
		else if (Modifier.isFinal(modifiers) || Modifier.isFinal(targetClass.getModifiers())) {
			throw new InvalidLockMethodException(method, targetClass,
					"is final, or its class is: no proxy can override it, it would run without the lock",
					"Remove final (in Kotlin: open, or the kotlin-spring plugin), or use LockOperations inside it.");
		}
	}

	private static boolean isOfAnotherPackage(Method method, Class<?> targetClass) {
		Class<?> declaring = method.getDeclaringClass();
		return (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) == 0
				&& (!declaring.getPackageName().equals(targetClass.getPackageName())
						|| declaring.getClassLoader() != targetClass.getClassLoader());
	}

	private static boolean isCallback(Method method) {
		Class<?> type = method.getDeclaringClass();
		return CALLBACKS.stream().anyMatch((callback) -> AnnotatedElementUtils.isAnnotated(method, callback))
				|| (method.getParameterCount() == 0 && (isOf(InitializingBean.class, type, method, "afterPropertiesSet")
						|| isOf(DisposableBean.class, type, method, "destroy")));
	}

	private static boolean isOf(Class<?> contract, Class<?> type, Method method, String name) {
		return contract.isAssignableFrom(type) && method.getName().equals(name);
	}

	private boolean isProxiedByInterface(Class<?> targetClass) {
		return Proxy.isProxyClass(targetClass) || ClassUtils.isLambdaClass(targetClass)
				|| (!this.classProxies && ClassUtils.getAllInterfacesForClass(targetClass).length > 0);
	}

	private static void reachableByInterface(Method method, Class<?> targetClass) {
		if (!method.getDeclaringClass().isInterface() && ClassUtils.getAllInterfacesForClassAsSet(targetClass)
			.stream()
			.flatMap((contract) -> Arrays.stream(contract.getMethods()))
			.noneMatch((declared) -> declared.getName().equals(method.getName())
					&& AopUtils.getMostSpecificMethod(declared, targetClass).equals(method))) {
			throw new InvalidLockMethodException(method, targetClass,
					"is in none of its interfaces, and spring.aop.proxy-target-class=false makes proxies of those only",
					"Declare it in an interface, or remove that property.");
		}
	}

	private static void endsWithTheCall(Method method, Class<?> targetClass) {
		if (AnnotatedElementUtils.hasAnnotation(method, Async.class)
				|| AnnotatedElementUtils.hasAnnotation(targetClass, Async.class)) {
			throw new InvalidLockMethodException(method, targetClass, "is also @Async",
					"Let the @Async method call a @DistributedLock method of another bean, so that it is clear "
							+ "that the lock spans the work.");
		}
		String later = LaterResults.declaredBy(method, targetClass);
		if (later != null) {
			throw new InvalidLockMethodException(method, targetClass,
					"returns a " + later + ": the lock would end before the work does", LaterResults.ACTION);
		}
	}

	private static void result(LockOperation operation, Class<?> targetClass) {
		Class<?> type = operation.method().getReturnType();
		if (operation.onUnavailable() == OnUnavailable.SKIP && !SkippedResult.existsFor(type)) {
			throw new InvalidLockMethodException(operation.method(), targetClass,
					"returns " + type + ", and onUnavailable = SKIP would have to make a value up",
					"Return " + ClassUtils.resolvePrimitiveIfNecessary(type).getSimpleName()
							+ " (null if skipped) or an Optional, or use onUnavailable = FAIL.");
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
