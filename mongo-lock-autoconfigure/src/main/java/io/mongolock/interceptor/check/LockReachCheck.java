package io.mongolock.interceptor.check;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.interceptor.ProxyKind;

/**
 * Finds methods that no proxy can stand in front of, or that are called past it.
 */
class LockReachCheck {

	private static final List<String> CALLBACKS = List.of("jakarta.annotation.PostConstruct",
			"jakarta.annotation.PreDestroy");

	private final LockVerification verification;

	private final ProxyKind proxies;

	LockReachCheck(LockVerification verification, ProxyKind proxies) {
		this.verification = verification;
		this.proxies = proxies;
	}

	void check(Method method, Class<?> targetClass) {
		if (this.verification.isOn()) {
			try {
				refuse(method, targetClass);
			}
			catch (InvalidLockMethodException ex) {
				this.verification.report(ex);
			}
		}
	}

	/**
	 * Report a method that a bean's definition names as its init or destroy method.
	 */
	void callback(Method method, Class<?> targetClass) {
		if (this.verification.isOn()) {
			this.verification.report(calledByTheContainer(method, targetClass));
		}
	}

	private void refuse(Method method, Class<?> targetClass) {
		int modifiers = method.getModifiers();
		if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers)) {
			throw new InvalidLockMethodException(method, targetClass,
					"is " + ((Modifier.isStatic(modifiers)) ? "static" : "private")
							+ ": no proxy can stand in front of it, it would run without the lock",
					"Make it a public instance method that other beans call, or use LockOperations inside it.");
		}
		if (isCallback(method, targetClass)) {
			throw calledByTheContainer(method, targetClass);
		}
		if (this.proxies.isByInterface(targetClass)) {
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
					((targetClass.isRecord()) ? "Make the record a class"
							: "Remove final (in Kotlin: open, or the kotlin-spring plugin)")
							+ ", or use LockOperations inside it.");
		}
	}

	private static InvalidLockMethodException calledByTheContainer(Method method, Class<?> targetClass) {
		return new InvalidLockMethodException(method, targetClass,
				"is a callback that the container calls on the object itself, past the proxy",
				"Move the work to another bean, or use LockOperations inside it.");
	}

	private static boolean isOfAnotherPackage(Method method, Class<?> targetClass) {
		Class<?> declaring = method.getDeclaringClass();
		return (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) == 0
				&& (!declaring.getPackageName().equals(targetClass.getPackageName())
						|| declaring.getClassLoader() != targetClass.getClassLoader());
	}

	private static boolean isCallback(Method method, Class<?> type) {
		return CALLBACKS.stream().anyMatch((callback) -> AnnotatedElementUtils.isAnnotated(method, callback))
				|| (method.getParameterCount() == 0 && (isOf(InitializingBean.class, type, method, "afterPropertiesSet")
						|| isOf(DisposableBean.class, type, method, "destroy")));
	}

	private static boolean isOf(Class<?> contract, Class<?> type, Method method, String name) {
		return contract.isAssignableFrom(type) && method.getName().equals(name);
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

}
