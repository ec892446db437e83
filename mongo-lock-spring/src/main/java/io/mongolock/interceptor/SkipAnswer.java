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
 * The answer to the caller of a method that was not run: what its type has for
 * <em>nothing</em>.
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
	 * @return {@code false} for primitive types, and reactive ones that are never empty:
	 * their callers cannot be meant to expect anything but a value of the method's own
	 */
	public static boolean existsFor(Method method, Class<?> targetClass) {
		Class<?> type = method.getReturnType();
		LaterType later = LaterType.of(method, targetClass);
		return (!type.isPrimitive() || type == void.class) && (later == null || later.mayBeEmpty());
	}

	/**
	 * The result for a method that was not run.
	 * @return empty, zero or {@code false}; {@code null} where the type has nothing such,
	 * as texts, characters and objects of the application
	 */
	static @Nullable Object of(Class<?> type) {
		return (type.isArray()) ? Array.newInstance(type.getComponentType(), 0) : NOTHING.get(type);
	}

}
