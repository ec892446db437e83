package io.mongolock.interceptor;

import java.util.Calendar;
import java.util.Date;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.stream.BaseStream;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Turns the result of a key expression into text that is the same in every JVM, or
 * refuses.
 */
final class LockKeyText {

	private LockKeyText() {
	}

	static String of(@Nullable Object value) {
		if (value == null) {
			throw new IllegalArgumentException("it is null. If it refers to parameters by name, the class must be "
					+ "compiled with -parameters; #p0 always is the first argument");
		}
		String type = value.getClass().getTypeName();
		if (value instanceof Date || value instanceof Calendar) {
			throw new IllegalArgumentException("it is a " + type + ", whose text depends on the time zone of the JVM: "
					+ "the key would be different in each. Let the expression pick an Instant, or its time in milliseconds");
		}
		if (isSeveral(value)) {
			throw new IllegalArgumentException(
					"it is a " + type + ", and a lock has one key. Let the expression pick one value");
		}
		if (!BeanUtils.isSimpleValueType(value.getClass()) && !hasText(value)) {
			throw new IllegalArgumentException("it is a " + type + ", which has no toString() of its own: "
					+ "the key would be different in each JVM. Let the expression pick a value such as its id");
		}
		String text = value.toString();
		if (text == null || text.isBlank()) {
			throw new IllegalArgumentException("it is blank: '" + text + "'. Let the expression pick another value");
		}
		return text;
	}

	private static boolean isSeveral(Object value) {
		return value.getClass().isArray() || value instanceof Map || value instanceof Optional
				|| (value instanceof Iterable && !BeanUtils.isSimpleValueType(value.getClass()))
				|| value instanceof Iterator || value instanceof BaseStream;
	}

	private static boolean hasText(Object value) {
		var method = ReflectionUtils.findMethod(value.getClass(), "toString");
		return method != null && method.getDeclaringClass() != Object.class;
	}

}
