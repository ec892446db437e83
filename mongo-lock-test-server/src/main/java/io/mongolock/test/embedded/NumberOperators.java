package io.mongolock.test.embedded;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import de.bwaldvogel.mongo.bson.Decimal128;
import org.jspecify.annotations.Nullable;

/**
 * The operators for arithmetic on numbers and dates, for extremes and for conversion. A
 * result is as wide as its widest operand, or one step wider if it would overflow.
 */
final class NumberOperators {

	private NumberOperators() {
	}

	static Map<String, Operator> all() {
		return Map.of("$add", Operator.ofValues("$add", 0, Operators.ANY_NUMBER, NumberOperators::add), //
				"$subtract", Operator.ofValues("$subtract", 2, 2, NumberOperators::subtract), //
				"$multiply", Operator.ofValues("$multiply", 0, Operators.ANY_NUMBER, NumberOperators::multiply), //
				"$max", Operator.ofValues("$max", 0, Operators.ANY_NUMBER, (values) -> extreme(values, 1)), //
				"$min", Operator.ofValues("$min", 0, Operators.ANY_NUMBER, (values) -> extreme(values, -1)), //
				"$toLong", Operator.ofValues("$toLong", 1, 1, (values) -> toLong(values.get(0))));
	}

	private static @Nullable Object add(List<Object> values) {
		Number sum = 0;
		boolean date = false;
		for (Object value : values) {
			if (Values.isNullish(value)) {
				return null;
			}
			if (value instanceof Instant instant) {
				if (date) {
					throw ServerErrors.location(16612, "only one date allowed in an $add expression");
				}
				date = true;
				sum = add(sum, instant.toEpochMilli());
			}
			else if (value instanceof Number number) {
				sum = add(sum, notDecimal("$add", number));
			}
			else {
				throw ServerErrors.location(16554,
						"$add only supports numeric or date types, not " + ValueType.of(value).alias());
			}
		}
		return date ? Instant.ofEpochMilli(sum.longValue()) : sum;
	}

	private static Number add(Number left, Number right) {
		if (!Values.isIntegral(left) || !Values.isIntegral(right)) {
			return left.doubleValue() + right.doubleValue();
		}
		try {
			return fit(Math.addExact(left.longValue(), right.longValue()), left, right);
		}
		catch (ArithmeticException ex) {
			return left.doubleValue() + right.doubleValue();
		}
	}

	private static @Nullable Object subtract(List<Object> values) {
		Object left = values.get(0);
		Object right = values.get(1);
		if (Values.isNullish(left) || Values.isNullish(right)) {
			return null;
		}
		if (left instanceof Number from && right instanceof Number amount) {
			return subtract(notDecimal("$subtract", from), notDecimal("$subtract", amount));
		}
		if (left instanceof Instant date && right instanceof Instant other) {
			return date.toEpochMilli() - other.toEpochMilli();
		}
		if (left instanceof Instant date && right instanceof Number amount) {
			return date.minusMillis(amount.longValue());
		}
		throw ServerErrors.location(16556,
				"can't $subtract " + ValueType.of(right).alias() + " from " + ValueType.of(left).alias());
	}

	private static Number subtract(Number left, Number right) {
		if (!Values.isIntegral(left) || !Values.isIntegral(right)) {
			return left.doubleValue() - right.doubleValue();
		}
		try {
			return fit(Math.subtractExact(left.longValue(), right.longValue()), left, right);
		}
		catch (ArithmeticException ex) {
			return left.doubleValue() - right.doubleValue();
		}
	}

	private static @Nullable Object multiply(List<Object> values) {
		Number product = 1;
		for (Object value : values) {
			if (Values.isNullish(value)) {
				return null;
			}
			if (!(value instanceof Number number)) {
				throw ServerErrors.location(16555,
						"$multiply only supports numeric types, not " + ValueType.of(value).alias());
			}
			product = multiply(product, notDecimal("$multiply", number));
		}
		return product;
	}

	private static Number multiply(Number left, Number right) {
		if (!Values.isIntegral(left) || !Values.isIntegral(right)) {
			return left.doubleValue() * right.doubleValue();
		}
		try {
			return fit(Math.multiplyExact(left.longValue(), right.longValue()), left, right);
		}
		catch (ArithmeticException ex) {
			return left.doubleValue() * right.doubleValue();
		}
	}

	private static Number fit(long result, Number left, Number right) {
		boolean narrow = left instanceof Integer && right instanceof Integer && (int) result == result;
		// a cast keeps the conditional from widening the int
		return narrow ? (Number) (int) result : (Number) result;
	}

	private static Number notDecimal(String operator, Number number) {
		if (number instanceof Decimal128) {
			throw ServerErrors.location(5787900, operator + " of the embedded server does not compute with decimal "
					+ number + "; use a long or a double");
		}
		return number;
	}

	private static @Nullable Object extreme(List<Object> values, int sign) {
		List<?> candidates = (values.size() == 1 && values.get(0) instanceof List<?> list) ? list : values;
		Object best = null;
		for (Object candidate : candidates) {
			if (!Values.isNullish(candidate) && (best == null || Values.compare(candidate, best) * sign > 0)) {
				best = candidate;
			}
		}
		return best;
	}

	private static @Nullable Object toLong(@Nullable Object value) {
		if (Values.isNullish(value)) {
			return null;
		}
		if (value instanceof Instant date) {
			return date.toEpochMilli();
		}
		if (value instanceof Boolean bool) {
			return bool ? 1L : 0L;
		}
		if (value instanceof Number number) {
			return toLong(number);
		}
		if (value instanceof String text) {
			return toLong(text);
		}
		throw ServerErrors.conversionFailure("Unsupported conversion from " + ValueType.of(value).alias()
				+ " to long in $convert with no onError value");
	}

	private static long toLong(Number number) {
		double value = number.doubleValue();
		if (!Values.isIntegral(number) && !(value >= Long.MIN_VALUE && value < 0x1p63)) {
			throw ServerErrors.conversionFailure(
					"Conversion would overflow target type in $convert with no onError value: " + number);
		}
		return number.longValue();
	}

	private static long toLong(String text) {
		try {
			return Long.parseLong(text);
		}
		catch (NumberFormatException ex) {
			throw ServerErrors
				.conversionFailure("Failed to parse number '" + text + "' in $convert with no onError value");
		}
	}

}
