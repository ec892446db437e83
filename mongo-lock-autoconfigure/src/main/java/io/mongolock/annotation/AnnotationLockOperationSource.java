package io.mongolock.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringValueResolver;

import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.interceptor.LockOperation;
import io.mongolock.interceptor.LockOperationSource;

/**
 * Finds {@link DistributedLock @DistributedLock}: on the most specific method and those
 * it implements or overrides, then on the class of the bean and its supertypes. Each
 * method is looked at once.
 */
public class AnnotationLockOperationSource implements LockOperationSource {

	private final DistributedLockParser parser;

	private final Map<MethodClassKey, Optional<LockOperation>> operations = new ConcurrentHashMap<>(256);

	/**
	 * Create a new source.
	 * @param placeholders replaces {@code ${…}}
	 */
	public AnnotationLockOperationSource(StringValueResolver placeholders) {
		this.parser = new DistributedLockParser(placeholders);
	}

	@Override
	public boolean isCandidateClass(Class<?> targetClass) {
		// the framework's own beans are most of what a start has to look at
		return !targetClass.getName().startsWith("org.springframework.")
				&& AnnotationUtils.isCandidateClass(targetClass, DistributedLock.class);
	}

	@Override
	public @Nullable LockOperation getLockOperation(Method method, Class<?> targetClass) {
		if (ReflectionUtils.isObjectMethod(method)) {
			return null;
		}
		MethodClassKey key = new MethodClassKey(method, targetClass);
		Optional<LockOperation> known = this.operations.get(key);
		if (known == null) {
			known = Optional.ofNullable(find(method, targetClass));
			this.operations.put(key, known);
		}
		return known.orElse(null);
	}

	private @Nullable LockOperation find(Method method, Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		// the methods of a JDK proxy, as of a repository, have neither names nor
		// annotations
		Method specific = (Proxy.isProxyClass(userClass)) ? ClassUtils.getInterfaceMethodIfPossible(method, userClass)
				: AopUtils.getMostSpecificMethod(method, userClass);
		MergedAnnotation<DistributedLock> found = onMethod(specific, userClass);
		if (!found.isPresent() && specific != method) {
			found = only(MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY), specific, userClass);
		}
		if (!found.isPresent() && isMeantByType(specific)) {
			found = only(MergedAnnotations.from(userClass, SearchStrategy.TYPE_HIERARCHY), specific, userClass);
		}
		return (found.isPresent()) ? this.parser.parse(found, specific, userClass) : null;
	}

	private MergedAnnotation<DistributedLock> onMethod(Method specific, Class<?> userClass) {
		MergedAnnotation<DistributedLock> found = only(MergedAnnotations.from(specific, SearchStrategy.TYPE_HIERARCHY),
				specific, userClass);
		// a superclass may implement a method of an interface that it does not know
		for (Class<?> type : (found.isPresent()) ? new Class<?>[0] : ClassUtils.getAllInterfacesForClass(userClass)) {
			Method declared = ClassUtils.getMethodIfAvailable(type, specific.getName(), specific.getParameterTypes());
			if (declared != null && !Modifier.isStatic(specific.getModifiers()) && !found.isPresent()) {
				found = only(MergedAnnotations.from(declared, SearchStrategy.TYPE_HIERARCHY), specific, userClass);
			}
		}
		return found;
	}

	private static boolean isMeantByType(Method method) {
		return Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers())
				&& !method.isSynthetic() && method.getDeclaringClass() != Object.class;
	}

	private static MergedAnnotation<DistributedLock> only(MergedAnnotations annotations, Method method,
			Class<?> userClass) {
		// the nearest one, unless two of them stand on the same element
		MergedAnnotation<DistributedLock> nearest = annotations.get(DistributedLock.class);
		if (nearest.isPresent()) {
			long together = annotations.stream(DistributedLock.class)
				.filter((other) -> other.getAggregateIndex() == nearest.getAggregateIndex())
				.count();
			if (together > 1) {
				throw new InvalidLockMethodException(method, userClass, "carries " + together + " locks on one element",
						"Keep one of the annotations that bring @DistributedLock.");
			}
		}
		return nearest;
	}

}
