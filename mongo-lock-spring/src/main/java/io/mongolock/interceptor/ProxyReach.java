package io.mongolock.interceptor;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Finds methods that no proxy can intercept, or that are called past the proxy. Their
 * declarations would have no effect.
 */
public final class ProxyReach {

	/**
	 * Methods with these annotations are called even if an overriding method lacks the
	 * annotation.
	 */
	private static final List<String> LIFECYCLE = List.of("jakarta.annotation.PostConstruct",
			"jakarta.annotation.PreDestroy");

	private static final List<String> INJECTION = List.of("org.springframework.beans.factory.annotation.Autowired",
			"jakarta.inject.Inject");

	private static final Obstacle CALLBACK = new Obstacle(
			"is a callback, which the container calls on the object itself and not on its proxy",
			"Move the work to another bean");

	/** The start of the names of the library's annotations, in all modules. */
	private static final String LIBRARY = "io.mongolock.";

	private ProxyReach() {
	}

	/**
	 * The obstacle that keeps every kind of proxy from a method.
	 * @return {@code null} if one kind of proxy reaches the method
	 */
	public static @Nullable Obstacle toAnyProxy(Method method, Class<?> targetClass) {
		int modifiers = method.getModifiers();
		if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers)) {
			return new Obstacle(
					"cannot be called through a proxy, because it is "
							+ ((Modifier.isStatic(modifiers)) ? "static" : "private"),
					"Make the method a public instance method, and call it from other beans");
		}
		if (isCallback(method, targetClass)) {
			return CALLBACK;
		}
		return (isByInterface(targetClass)
				|| isIn(ClassUtils.getAllInterfacesForClass(targetClass), method, targetClass)) ? null
						: toClassProxy(method, targetClass);
	}

	/**
	 * The obstacle that keeps an existing proxy from a method.
	 * @return {@code null} if the proxy reaches the method
	 */
	public static @Nullable Obstacle toProxy(Object proxy, Method method, Class<?> targetClass) {
		if (!AopUtils.isJdkDynamicProxy(proxy)) {
			return toClassProxy(method, targetClass);
		}
		return (isByInterface(targetClass) || isOfType(method, targetClass)
				|| isIn(proxy.getClass().getInterfaces(), method, targetClass))
						? null
						: new Obstacle("is declared in no interface that the bean's proxy implements",
								"Declare the method in an interface, or let Spring proxy the class by removing "
										+ "spring.aop.proxy-target-class=false and @Proxyable(INTERFACES)");
	}

	/**
	 * The obstacle that keeps a proxy that extends the class from a method.
	 * @return {@code null} if the proxy reaches the method
	 */
	public static @Nullable Obstacle toClassProxy(Method method, Class<?> targetClass) {
		if (isOfAnotherPackage(method, targetClass)) {
			return new Obstacle(
					"cannot be overridden by a proxy, because it is package-private in "
							+ method.getDeclaringClass().getName() + ", which is in another package",
					"Make the method protected or public");
		}
		if (Modifier.isFinal(method.getModifiers()) || Modifier.isFinal(targetClass.getModifiers())) {
			return new Obstacle("cannot be overridden by a proxy, because the method or its class is final",
					(targetClass.isRecord()) ? "Make the record a class"
							: "Remove the modifier final (in Kotlin, add open or use the kotlin-spring plugin)");
		}
		return null;
	}

	/**
	 * The obstacle if a bean's definition names a method as its init or destroy method.
	 * @return {@code null} if the definition does not
	 */
	public static @Nullable Obstacle toCallback(BeanDefinition definition, Method method, Class<?> targetClass) {
		return (method.getParameterCount() == 0 && callbacks(definition, targetClass).contains(method.getName()))
				? CALLBACK : null;
	}

	private static List<String> callbacks(BeanDefinition definition, Class<?> targetClass) {
		List<String> names = new ArrayList<>();
		String init = definition.getInitMethodName();
		if (init != null) {
			names.add(init);
		}
		String destroy = definition.getDestroyMethodName();
		boolean closeable = AutoCloseable.class.isAssignableFrom(targetClass);
		if (AbstractBeanDefinition.INFER_METHOD.equals(destroy) || (destroy == null && closeable)) {
			// Follows Spring's inference
			if (!DisposableBean.class.isAssignableFrom(targetClass)) {
				names.add((closeable || ClassUtils.hasMethod(targetClass, "close")) ? "close" : "shutdown");
			}
		}
		else if (destroy != null) {
			names.add(destroy);
		}
		return names;
	}

	private static boolean isByInterface(Class<?> targetClass) {
		return Proxy.isProxyClass(targetClass) || ClassUtils.isLambdaClass(targetClass);
	}

	// A declaration on the type applies only to the methods that callers see
	private static boolean isOfType(Method method, Class<?> targetClass) {
		return isAnnotated(targetClass) && !isAnnotated(method);
	}

	private static boolean isAnnotated(AnnotatedElement element) {
		return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY)
			.stream()
			.anyMatch((declared) -> declared.getType().getName().startsWith(LIBRARY));
	}

	private static boolean isOfAnotherPackage(Method method, Class<?> targetClass) {
		Class<?> declaring = method.getDeclaringClass();
		return (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) == 0
				&& (!declaring.getPackageName().equals(targetClass.getPackageName())
						|| declaring.getClassLoader() != targetClass.getClassLoader());
	}

	private static boolean isCallback(Method method, Class<?> type) {
		MergedAnnotations inherited = MergedAnnotations.from(method, SearchStrategy.SUPERCLASS);
		for (String callback : LIFECYCLE) {
			if (inherited.isPresent(callback)) {
				return true;
			}
		}
		for (String callback : INJECTION) {
			if (AnnotatedElementUtils.isAnnotated(method, callback)) {
				return true;
			}
		}
		return method.getParameterCount() == 0 && (isOf(InitializingBean.class, type, method, "afterPropertiesSet")
				|| isOf(DisposableBean.class, type, method, "destroy")
				// The default stop(Runnable) calls it on the object itself
				|| isOf(SmartLifecycle.class, type, method, "stop"));
	}

	private static boolean isOf(Class<?> contract, Class<?> type, Method method, String name) {
		return contract.isAssignableFrom(type) && method.getName().equals(name);
	}

	private static boolean isIn(Class<?>[] interfaces, Method method, Class<?> targetClass) {
		for (Class<?> contract : interfaces) {
			for (Method declared : contract.getMethods()) {
				if (declared.equals(method) || (declared.getName().equals(method.getName())
						&& AopUtils.getMostSpecificMethod(declared, targetClass).equals(method))) {
					return true;
				}
			}
		}
		return false;
	}

	/**
	 * The reason why a proxy does not reach a method.
	 *
	 * @param problem a clause that follows the method's name
	 * @param action what to do, a sentence without its full stop
	 */
	public record Obstacle(String problem, String action) {

	}

}
