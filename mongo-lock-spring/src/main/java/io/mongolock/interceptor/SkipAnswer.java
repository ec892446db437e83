package io.mongolock.interceptor;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The result for the caller of a method that was not run: the value of its type that
 * means <em>nothing</em>.
 */
public final class SkipAnswer {

	private static final Map<Class<?>, Object> NOTHING = Map.ofEntries(Map.entry(Optional.class, Optional.empty()),
			Map.entry(OptionalInt.class, OptionalInt.empty()), Map.entry(OptionalLong.class, OptionalLong.empty()),
			Map.entry(OptionalDouble.class, OptionalDouble.empty()), Map.entry(Boolean.class, false),
			Map.entry(Byte.class, (byte) 0), Map.entry(Short.class, (short) 0), Map.entry(Integer.class, 0),
			Map.entry(Long.class, 0L), Map.entry(Float.class, 0f), Map.entry(Double.class, 0d),
			Map.entry(Iterable.class, Collections.emptyList()), Map.entry(Collection.class, Collections.emptyList()),
			Map.entry(List.class, Collections.emptyList()), Map.entry(Set.class, Collections.emptySet()),
			Map.entry(Map.class, Collections.emptyMap()));

	private SkipAnswer() {
	}

	/**
	 * Whether there is a result for a method that was not run.
	 * @return {@code false} for primitive types, and for reactive types that are never
	 * empty. Their callers expect a real value of the method
	 */
	public static boolean existsFor(Method method, Class<?> targetClass) {
		Class<?> type = method.getReturnType();
		LaterType later = LaterType.of(method, targetClass);
		return (!type.isPrimitive() || type == void.class) && (later == null || later.mayBeEmpty());
	}

	/**
	 * The result for a method that was not run.
	 * @return an empty value, zero or {@code false}; {@code null} for types that have
	 * none of these, for example texts, characters and objects of the application
	 */
	static @Nullable Object of(Class<?> type) {
		return (type.isArray()) ? Array.newInstance(type.getComponentType(), 0) : NOTHING.get(type);
	}

}
