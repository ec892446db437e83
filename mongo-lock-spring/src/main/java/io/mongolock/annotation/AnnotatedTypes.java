package io.mongolock.annotation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ReflectionUtils;

/**
 * Knows which types say anything about locks: themselves, in one of their methods, or in
 * a supertype. Each type is looked at once, so that the types of frameworks, which are
 * most of what a start has to look at, cost next to nothing. Thread-safe.
 */
class AnnotatedTypes {

	private final Map<Class<?>, Boolean> known = new ConcurrentHashMap<>(1024);

	boolean isIn(Class<?> type) {
		Boolean annotated = this.known.get(type);
		if (annotated == null) {
			annotated = look(type);
			this.known.put(type, annotated);
		}
		return annotated;
	}

	private boolean look(Class<?> type) {
		if (!AnnotationUtils.isCandidateClass(type, DistributedLock.class)) {
			return false;
		}
		Class<?> superclass = type.getSuperclass();
		if ((superclass != null && isIn(superclass)) || isOn(type)) {
			return true;
		}
		for (Class<?> contract : type.getInterfaces()) {
			if (isIn(contract)) {
				return true;
			}
		}
		for (Method method : ReflectionUtils.getDeclaredMethods(type)) {
			if (isOn(method)) {
				return true;
			}
		}
		return false;
	}

	private static boolean isOn(AnnotatedElement element) {
		// Most have none, and Spring would remember that for each
		return element.getDeclaredAnnotations().length > 0
				&& (!(element instanceof Method method) || !method.isSynthetic())
				&& MergedAnnotations.from(element).isPresent(DistributedLock.class);
	}

}
