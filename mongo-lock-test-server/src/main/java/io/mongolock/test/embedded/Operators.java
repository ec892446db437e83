package io.mongolock.test.embedded;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;

import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * All operators of aggregation expressions that the embedded server knows.
 */
final class Operators {

	static final int ANY_NUMBER = Integer.MAX_VALUE;

	private static final Map<String, Operator> ALL = all();

	private Operators() {
	}

	/**
	 * Parse {@code {name: argument}}.
	 * @param name the operator with its dollar sign
	 * @param argument its argument
	 * @param parser the parser for nested expressions
	 * @return the expression
	 * @throws de.bwaldvogel.mongo.exception.MongoServerError for an unknown operator or a
	 * wrong argument
	 */
	static Expression parse(String name, @Nullable Object argument, ExpressionParser parser) {
		Operator operator = ALL.get(name);
		if (operator == null) {
			throw ServerErrors.invalidPipelineOperator("Unrecognized expression '" + name
					+ "'; of MongoDB's operators the embedded server knows " + String.join(", ", ALL.keySet()));
		}
		return operator.parse(argument, parser);
	}

	/**
	 * The argument of an operator with named parameters.
	 * @param operator the operator, for errors
	 * @param argument its argument
	 * @param notAnObject the error code if it is no document
	 * @return the parameters
	 */
	static Document named(String operator, @Nullable Object argument, int notAnObject) {
		if (argument instanceof Document document) {
			return document;
		}
		throw ServerErrors.location(notAnObject,
				operator + " only supports an object as its argument, not " + ValueType.of(argument).alias());
	}

	/**
	 * A required parameter.
	 * @param operator the operator, for errors
	 * @param parameters all its parameters
	 * @param name the parameter's name
	 * @param missing the error code if it is missing
	 * @return its value
	 */
	static @Nullable Object required(String operator, Document parameters, String name, int missing) {
		if (!parameters.containsKey(name)) {
			throw ServerErrors.location(missing, "Missing '" + name + "' parameter to " + operator);
		}
		return parameters.get(name);
	}

	private static Map<String, Operator> all() {
		Map<String, Operator> operators = new TreeMap<>();
		operators.put("$literal", (argument, parser) -> Expression.constant(argument));
		operators.put("$eq", comparison("$eq", (result) -> result == 0));
		operators.put("$ne", comparison("$ne", (result) -> result != 0));
		operators.put("$lt", comparison("$lt", (result) -> result < 0));
		operators.put("$lte", comparison("$lte", (result) -> result <= 0));
		operators.put("$gt", comparison("$gt", (result) -> result > 0));
		operators.put("$gte", comparison("$gte", (result) -> result >= 0));
		operators.putAll(ControlOperators.all());
		operators.putAll(NumberOperators.all());
		operators.putAll(ArrayOperators.all());
		operators.putAll(TextOperators.all());
		return operators;
	}

	private static Operator comparison(String name, IntPredicate test) {
		return Operator.ofValues(name, 2, 2, (values) -> test.test(Values.compare(values.get(0), values.get(1))));
	}

}
