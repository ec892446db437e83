package io.mongolock.test.embedded;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * An operator of aggregation expressions: the meaning of {@code {$name: argument}}.
 */
@FunctionalInterface
interface Operator {

	Expression parse(@Nullable Object argument, ExpressionParser parser);

	/**
	 * An operator that takes a list of operands and decides itself which to evaluate.
	 * @param name the name with its dollar sign, for errors
	 * @param min the least number of operands
	 * @param max the greatest number of operands
	 * @param factory makes the expression from its operands
	 * @return the operator
	 */
	static Operator of(String name, int min, int max, Function<List<Expression>, Expression> factory) {
		return (argument, parser) -> {
			List<?> operands = (argument instanceof List<?> list) ? list : singleton(argument);
			checkCount(name, min, max, operands.size());
			return factory.apply(parser.parseAll(operands));
		};
	}

	/**
	 * An operator that is a plain function of the values of its operands.
	 * @param name the name with its dollar sign, for errors
	 * @param min the least number of operands
	 * @param max the greatest number of operands
	 * @param function from values to value
	 * @return the operator
	 */
	static Operator ofValues(String name, int min, int max, Function<List<Object>, @Nullable Object> function) {
		return of(name, min, max, (operands) -> (variables) -> {
			List<Object> values = new ArrayList<>(operands.size());
			for (Expression operand : operands) {
				values.add(operand.evaluate(variables));
			}
			return function.apply(values);
		});
	}

	private static List<?> singleton(@Nullable Object argument) {
		List<Object> operands = new ArrayList<>(1);
		operands.add(argument);
		return operands;
	}

	private static void checkCount(String name, int min, int max, int count) {
		if (count >= min && count <= max) {
			return;
		}
		if (min == max) {
			throw ServerErrors.location(16020,
					"Expression " + name + " takes exactly " + min + " arguments. " + count + " were passed in.");
		}
		throw ServerErrors.location(28667, "Expression " + name + " takes at least " + min + " arguments, and at most "
				+ max + ", but " + count + " were passed in.");
	}

}
