package io.mongolock.annotation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

import io.mongolock.interceptor.InvalidLockMethodException;

/**
 * Decides which declarations count for a method: the method's own before its class's, and
 * for each of them what classes say before what interfaces say. All on one element count
 * together. Interfaces that say different things are refused.
 *
 * @param method the most specific method
 * @param userClass the class of the bean, or of a JDK proxy that stands for one
 */
record LockDeclarations(Method method, Class<?> userClass) {

	/** The container, or a thread of it, calls a method that has one of these. */
	private static final List<String> CALLED = List.of("org.springframework.scheduling.annotation.Scheduled",
			"org.springframework.scheduling.annotation.Schedules", "org.springframework.scheduling.annotation.Async",
			"org.springframework.context.event.EventListener",
			"org.springframework.messaging.handler.annotation.MessageMapping",
			"org.springframework.web.bind.annotation.RequestMapping");

	List<MergedAnnotation<DistributedLock>> find() {
		return nearest(on(this.method))
			.or(() -> mostSpecific(contracts().flatMap(this::on).filter(OnElement::isOfInterface).toList()))
			.or(() -> (isMeantByType()) ? onType() : Optional.empty())
			.map(OnElement::locks)
			.orElse(List.of());
	}

	private Optional<OnElement> onType() {
		List<OnElement> all = on(this.userClass).toList();
		List<OnElement> having = all.stream().filter((one) -> has(one.type())).toList();
		return nearest(all.stream())
			.or(() -> mostSpecific((having.isEmpty() && !Proxy.isProxyClass(this.userClass)) ? all : having));
	}

	private Stream<OnElement> on(AnnotatedElement element) {
		Map<Integer, List<MergedAnnotation<DistributedLock>>> found = MergedAnnotations
			.from(element, SearchStrategy.TYPE_HIERARCHY)
			.stream(DistributedLock.class)
			.collect(Collectors.groupingBy(MergedAnnotation::getAggregateIndex, LinkedHashMap::new,
					Collectors.toList()));
		return found.values().stream().map(OnElement::new);
	}

	private static Optional<OnElement> nearest(Stream<OnElement> found) {
		return found.filter((one) -> !one.isOfInterface()).findFirst();
	}

	private Optional<OnElement> mostSpecific(List<OnElement> found) {
		List<OnElement> best = found.stream()
			.filter((one) -> found.stream().noneMatch((other) -> isBelow(other.type(), one.type())))
			.toList();
		for (OnElement other : best) {
			if (!other.values().equals(best.get(0).values())) {
				throw new InvalidLockMethodException(
						this.method, this.userClass, "is declared to run under different locks by "
								+ best.get(0).type().getName() + " and " + other.type().getName(),
						"Annotate the method itself, or its class.");
			}
		}
		return best.stream().findFirst();
	}

	/** Methods of interfaces that it implements, perhaps without its class knowing. */
	private Stream<Method> contracts() {
		Stream<Method> ofInterfaces = ClassUtils.getAllInterfacesForClassAsSet(this.userClass)
			.stream()
			.flatMap((type) -> Arrays.stream(type.getMethods()));
		return Stream.concat(Stream.of(this.method), ofInterfaces.filter(this::isSpecifiedBy));
	}

	private boolean has(Class<?> type) {
		return Arrays.stream(type.getMethods()).anyMatch(this::isSpecifiedBy);
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
	 * Whether the container calls the method, without the lock of its class, as it is not
	 * public.
	 */
	boolean isLeftOut() {
		MergedAnnotations annotations = MergedAnnotations.from(this.method, SearchStrategy.TYPE_HIERARCHY);
		return !isMeantByType() && isOwn() && CALLED.stream().anyMatch(annotations::isPresent) && find().isEmpty()
				&& onType().isPresent();
	}

	private static boolean isBelow(Class<?> type, Class<?> other) {
		return type != other && other.isAssignableFrom(type);
	}

	/**
	 * What one class, interface or method says.
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
