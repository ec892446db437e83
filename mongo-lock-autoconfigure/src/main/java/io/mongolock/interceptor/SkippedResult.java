package io.mongolock.interceptor;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

/**
 * What the caller of a method gets that was not run.
 */
public final class SkippedResult {

	private static final Map<Class<?>, Object> EMPTY = Map.of(Optional.class, Optional.empty(), OptionalInt.class,
			OptionalInt.empty(), OptionalLong.class, OptionalLong.empty(), OptionalDouble.class,
			OptionalDouble.empty());

	private SkippedResult() {
	}

	/**
	 * Whether there is a result that cannot be mistaken for one of the method's own.
	 * @return {@code false} for numbers and such, that have no empty value
	 */
	public static boolean existsFor(Class<?> type) {
		return !type.isPrimitive() || type == void.class;
	}

	static @Nullable Object of(Class<?> type) {
		return EMPTY.get(type);
	}

}
