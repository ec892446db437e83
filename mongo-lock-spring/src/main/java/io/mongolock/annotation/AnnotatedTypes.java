package io.mongolock.annotation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ReflectionUtils;

/**
 * Knows which types declare locks: on the type itself, on one of its methods, or on a
 * supertype. Each type is looked at once. So framework types cost next to nothing,
 * although they are most of the types at a start. Thread-safe.
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
		// Most elements have no annotations, and Spring would cache this for each
		return element.getDeclaredAnnotations().length > 0
				&& (!(element instanceof Method method) || !method.isSynthetic())
				&& MergedAnnotations.from(element).isPresent(DistributedLock.class);
	}

}
