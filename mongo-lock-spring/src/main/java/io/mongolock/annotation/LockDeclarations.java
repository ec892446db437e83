package io.mongolock.annotation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

import io.mongolock.interceptor.InvalidLockMethodException;

/**
 * Decides which declarations count for a method. Declarations on the method come before
 * declarations on the type. In both cases declarations of classes come before
 * declarations of interfaces. All declarations on one element count together.
 * Contradicting interfaces are refused.
 *
 * @param method the most specific method
 * @param userClass the class of the bean, or of a JDK proxy that stands for one
 */
record LockDeclarations(Method method, Class<?> userClass) {

	/** The container or one of its threads calls methods with these annotations. */
	private static final List<String> CALLED = List.of("org.springframework.scheduling.annotation.Scheduled",
			"org.springframework.scheduling.annotation.Schedules", "org.springframework.scheduling.annotation.Async",
			"org.springframework.context.event.EventListener",
			"org.springframework.messaging.handler.annotation.MessageMapping",
			"org.springframework.web.bind.annotation.RequestMapping");

	List<MergedAnnotation<DistributedLock>> find() {
		OnElement found = nearest(on(this.method));
		if (found == null) {
			found = mostSpecific(onContracts());
		}
		if (found == null && isMeantByType()) {
			found = onType();
		}
		return (found != null) ? found.locks() : List.of();
	}

	private @Nullable OnElement onType() {
		List<OnElement> all = on(this.userClass);
		OnElement nearest = nearest(all);
		List<OnElement> having = new ArrayList<>();
		for (OnElement one : all) {
			if (has(one.type())) {
				having.add(one);
			}
		}
		return (nearest != null) ? nearest
				: mostSpecific((having.isEmpty() && !Proxy.isProxyClass(this.userClass)) ? all : having);
	}

	private static List<OnElement> on(AnnotatedElement element) {
		Map<Integer, List<MergedAnnotation<DistributedLock>>> found = new LinkedHashMap<>();
		for (MergedAnnotation<DistributedLock> one : MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY)
			.stream(DistributedLock.class)
			.toList()) {
			found.putIfAbsent(one.getAggregateIndex(), new ArrayList<>());
			found.get(one.getAggregateIndex()).add(one);
		}
		List<OnElement> elements = new ArrayList<>();
		for (List<MergedAnnotation<DistributedLock>> locks : found.values()) {
			elements.add(new OnElement(locks));
		}
		return elements;
	}

	private static @Nullable OnElement nearest(List<OnElement> found) {
		for (OnElement one : found) {
			if (!one.isOfInterface()) {
				return one;
			}
		}
		return null;
	}

	private @Nullable OnElement mostSpecific(List<OnElement> found) {
		OnElement best = null;
		for (OnElement one : found) {
			if (isMostSpecific(one, found)) {
				if (best != null && !one.values().equals(best.values())) {
					throw new InvalidLockMethodException(this.method, this.userClass,
							"inherits different locks from " + best.type().getName() + " and " + one.type().getName(),
							"Annotate the method itself, or its class.");
				}
				best = (best != null) ? best : one;
			}
		}
		return best;
	}

	private static boolean isMostSpecific(OnElement one, List<OnElement> found) {
		for (OnElement other : found) {
			if (one.type() != other.type() && one.type().isAssignableFrom(other.type())) {
				return false;
			}
		}
		return true;
	}

	/**
	 * The declarations on methods of interfaces that the method implements. The method's
	 * own class need not implement these interfaces.
	 */
	private List<OnElement> onContracts() {
		List<OnElement> found = new ArrayList<>(on(this.method));
		for (Class<?> type : ClassUtils.getAllInterfacesForClassAsSet(this.userClass)) {
			for (Method declared : type.getMethods()) {
				if (isSpecifiedBy(declared)) {
					found.addAll(on(declared));
				}
			}
		}
		List<OnElement> ofInterfaces = new ArrayList<>();
		for (OnElement one : found) {
			if (one.isOfInterface()) {
				ofInterfaces.add(one);
			}
		}
		return ofInterfaces;
	}

	private boolean has(Class<?> type) {
		for (Method declared : type.getMethods()) {
			if (isSpecifiedBy(declared)) {
				return true;
			}
		}
		return false;
	}

	private boolean isSpecifiedBy(Method declared) {
		return !Modifier.isStatic(this.method.getModifiers()) && declared.getName().equals(this.method.getName())
				&& declared.getParameterCount() == this.method.getParameterCount()
				&& (Arrays.equals(declared.getParameterTypes(), this.method.getParameterTypes())
						|| AopUtils.getMostSpecificMethod(declared, this.userClass).equals(this.method));
	}

	private boolean isMeantByType() {
		return Modifier.isPublic(this.method.getModifiers()) && isOwn();
	}

	private boolean isOwn() {
		return !Modifier.isStatic(this.method.getModifiers()) && !this.method.isSynthetic()
				&& this.method.getDeclaringClass() != Object.class;
	}

	/**
	 * Whether the container calls the method without the lock of its class, because the
	 * method is not public.
	 */
	boolean isLeftOut() {
		return !isMeantByType() && isOwn() && isCalled() && find().isEmpty() && onType() != null;
	}

	private boolean isCalled() {
		MergedAnnotations annotations = MergedAnnotations.from(this.method, SearchStrategy.TYPE_HIERARCHY);
		for (String one : CALLED) {
			if (annotations.isPresent(one)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * The declarations on one class, interface or method.
	 *
	 * @param locks at least one
	 */
	private record OnElement(List<MergedAnnotation<DistributedLock>> locks) {

		private Class<?> type() {
			@Nullable Object source = this.locks.get(0).getSource();
			return (source instanceof Method declared) ? declared.getDeclaringClass()
					: (Class<?>) Objects.requireNonNull(source);
		}

		private boolean isOfInterface() {
			return type().isInterface();
		}

		private List<Map<String, Object>> values() {
			return this.locks.stream().map((lock) -> lock.asMap()).toList();
		}

	}

}
