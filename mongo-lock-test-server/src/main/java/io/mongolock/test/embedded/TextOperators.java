package io.mongolock.test.embedded;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The operators that join texts, and find one text in another.
 */
final class TextOperators {

	private TextOperators() {
	}

	static Map<String, Operator> all() {
		return Map.of("$concat", Operator.ofValues("$concat", 0, Operators.ANY_NUMBER, TextOperators::concat), //
				"$indexOfCP", Operator.ofValues("$indexOfCP", 2, 2, TextOperators::indexOf), //
				"$toString", Operator.ofValues("$toString", 1, 1, (values) -> toString(values.get(0))));
	}

	private static @Nullable Object concat(List<Object> values) {
		StringBuilder text = new StringBuilder();
		for (Object value : values) {
			if (Values.isNullish(value)) {
				return null;
			}
			if (!(value instanceof String)) {
				throw ServerErrors.location(16702, "$concat only supports strings, not " + ValueType.of(value).alias());
			}
			text.append(value);
		}
		return text.toString();
	}

	private static @Nullable Object indexOf(List<Object> values) {
		if (Values.isNullish(values.get(0))) {
			return null;
		}
		String text = text("first", values.get(0), 40091);
		int index = text.indexOf(text("second", values.get(1), 40092));
		return (index < 0) ? index : text.codePointCount(0, index);
	}

	private static String text(String which, @Nullable Object value, int code) {
		if (value instanceof String text) {
			return text;
		}
		throw ServerErrors.location(code,
				"$indexOfCP requires a string as the " + which + " argument, found: " + ValueType.of(value).alias());
	}

	private static @Nullable Object toString(@Nullable Object value) {
		if (Values.isNullish(value)) {
			return null;
		}
		if (value instanceof String || value instanceof Integer || value instanceof Long || value instanceof Boolean) {
			return value.toString();
		}
		throw ServerErrors.conversionFailure("Unsupported conversion from " + ValueType.of(value).alias()
				+ " to string in $convert with no onError value");
	}

}
