package io.mongolock.annotation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

import io.mongolock.interceptor.InvalidLockMethodException;

/**
 * Decides which declaration counts for a method: that of the method before that of its
 * class, and for each of them what classes say before what interfaces say. Interfaces
 * that say different things are refused.
 *
 * @param method the most specific method
 * @param userClass the class of the bean, or of a JDK proxy that stands for one
 */
record LockDeclarations(Method method, Class<?> userClass) {

	Optional<MergedAnnotation<DistributedLock>> find() {
		return nearest(on(this.method))
			.or(() -> mostSpecific(contracts().flatMap(this::on).filter((one) -> type(one).isInterface()).toList()))
			.or(() -> (isMeantByType()) ? onType() : Optional.empty());
	}

	private Optional<MergedAnnotation<DistributedLock>> onType() {
		List<MergedAnnotation<DistributedLock>> all = on(this.userClass).toList();
		List<MergedAnnotation<DistributedLock>> having = all.stream().filter((one) -> has(type(one))).toList();
		return nearest(all.stream())
			.or(() -> mostSpecific((having.isEmpty() && !Proxy.isProxyClass(this.userClass)) ? all : having));
	}

	private Stream<MergedAnnotation<DistributedLock>> on(AnnotatedElement element) {
		List<MergedAnnotation<DistributedLock>> found = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY)
			.stream(DistributedLock.class)
			.toList();
		for (MergedAnnotation<DistributedLock> one : found) {
			long together = found.stream()
				.filter((other) -> other.getAggregateIndex() == one.getAggregateIndex())
				.count();
			if (together > 1) {
				throw new InvalidLockMethodException(this.method, this.userClass,
						"carries " + together + " locks on one element",
						"Keep one of the annotations that bring @DistributedLock.");
			}
		}
		return found.stream();
	}

	private static Optional<MergedAnnotation<DistributedLock>> nearest(
			Stream<MergedAnnotation<DistributedLock>> found) {
		return found.filter((one) -> !type(one).isInterface()).findFirst();
	}

	private Optional<MergedAnnotation<DistributedLock>> mostSpecific(List<MergedAnnotation<DistributedLock>> found) {
		List<MergedAnnotation<DistributedLock>> best = found.stream()
			.filter((one) -> found.stream().noneMatch((other) -> isBelow(type(other), type(one))))
			.toList();
		for (MergedAnnotation<DistributedLock> other : best) {
			if (!other.asMap().equals(best.get(0).asMap())) {
				throw new InvalidLockMethodException(
						this.method, this.userClass, "is declared to run under different locks by "
								+ type(best.get(0)).getName() + " and " + type(other).getName(),
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
		return Modifier.isPublic(this.method.getModifiers()) && !Modifier.isStatic(this.method.getModifiers())
				&& !this.method.isSynthetic() && this.method.getDeclaringClass() != Object.class;
	}

	private static boolean isBelow(Class<?> type, Class<?> other) {
		return type != other && other.isAssignableFrom(type);
	}

	private static Class<?> type(MergedAnnotation<DistributedLock> annotation) {
		@Nullable Object source = annotation.getSource();
		return (source instanceof Method method) ? method.getDeclaringClass()
				: (Class<?>) Objects.requireNonNull(source);
	}

}
