package io.mongolock;

import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Currency;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/**
 * Turns the value of a key into text. Equal values have the same text in every JVM. A
 * value without such a text is refused, because two calls for the same thing would
 * silently not exclude each other.
 */
final class LockKeyText {

	/**
	 * The largest scale for plain notation. With all its zeros, a number could be longer
	 * than memory.
	 */
	private static final int MAX_PLAIN_SCALE = 1024;

	private static final String SEPARATORS = "\\[]=,";

	private LockKeyText() {
	}

	static String of(@Nullable Object value) {
		if (value == null) {
			throw new IllegalArgumentException("the value is null");
		}
		String text = (value instanceof Record composed) ? text(composed) : text(value);
		if (text.isBlank()) {
			throw new IllegalArgumentException("the value is blank. Pick another value");
		}
		return text;
	}

	private static String text(Object value) {
		if (value instanceof Enum<?> constant) {
			return constant.name();
		}
		if (value instanceof Currency currency) {
			return currency.getCurrencyCode();
		}
		if (value instanceof BigDecimal decimal) {
			// 1.0 and 1.00 are the same number, so they must be the same key
			BigDecimal stripped = decimal.stripTrailingZeros();
			return (Math.abs((long) stripped.scale()) <= MAX_PLAIN_SCALE) ? stripped.toPlainString()
					: stripped.toString();
		}
		if (!LockKeyTypes.hasText(value.getClass())) {
			throw new IllegalArgumentException("the value is a " + LockKeyTypes.refusalOfValue(value.getClass()));
		}
		return value.toString();
	}

	// This is like a record's own toString(), but separators inside of a text are
	// escaped, and null differs from every text
	private static String text(Record value) {
		return Arrays.stream(value.getClass().getRecordComponents())
			.map((component) -> component.getName() + component(component, value))
			.collect(Collectors.joining(", ", value.getClass().getSimpleName() + "[", "]"));
	}

	private static String component(RecordComponent component, Record value) {
		ReflectionUtils.makeAccessible(component.getAccessor());
		Object part = ReflectionUtils.invokeMethod(component.getAccessor(), value);
		try {
			if (part == null) {
				return "";
			}
			return "=" + ((part instanceof Record composed) ? text(composed) : escaped(text(part)));
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					"component '" + component.getName() + "' cannot be part of a key: " + ex.getMessage(), ex);
		}
	}

	private static String escaped(String text) {
		StringBuilder escaped = new StringBuilder(text.length());
		for (int i = 0; i < text.length(); i++) {
			if (SEPARATORS.indexOf(text.charAt(i)) >= 0) {
				escaped.append('\\');
			}
			escaped.append(text.charAt(i));
		}
		return escaped.toString();
	}

}
