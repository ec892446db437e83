package io.mongolock.test.embedded;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * The operators for variables, choices, logic and types.
 */
final class ControlOperators {

	private ControlOperators() {
	}

	static Map<String, Operator> all() {
		return Map.of("$let", ControlOperators::let, //
				"$cond", ControlOperators::cond, //
				"$ifNull", Operator.of("$ifNull", 2, Operators.ANY_NUMBER, ControlOperators::ifNull), //
				"$and", Operator.of("$and", 0, Operators.ANY_NUMBER, ControlOperators::and), //
				"$or", Operator.of("$or", 0, Operators.ANY_NUMBER, ControlOperators::or), //
				"$not", Operator.ofValues("$not", 1, 1, (values) -> !Values.isTrue(values.get(0))), //
				"$type", Operator.ofValues("$type", 1, 1, (values) -> ValueType.of(values.get(0)).alias()));
	}

	private static Expression let(@Nullable Object argument, ExpressionParser parser) {
		Document parameters = Operators.named("$let", argument, 16874);
		for (String name : parameters.keySet()) {
			if (!name.equals("vars") && !name.equals("in")) {
				throw ServerErrors.location(16875, "Unrecognized parameter to $let: " + name);
			}
		}
		Object bindings = Operators.required("$let", parameters, "vars", 16876);
		Object body = Operators.required("$let", parameters, "in", 16877);
		Map<String, Expression> values = new LinkedHashMap<>();
		// The values do not see each other, only outer variables
		Operators.named("$let", bindings, 10065).forEach((name, source) -> values.put(name, parser.parse(source)));
		Expression in = parser.with(values.keySet()).parse(body);
		return (variables) -> {
			Variables inner = variables;
			for (Map.Entry<String, Expression> value : values.entrySet()) {
				inner = inner.with(value.getKey(), value.getValue().evaluate(variables));
			}
			return in.evaluate(inner);
		};
	}

	private static Expression cond(@Nullable Object argument, ExpressionParser parser) {
		if (!(argument instanceof Document parameters)) {
			return Operator.of("$cond", 3, 3, (operands) -> cond(operands.get(0), operands.get(1), operands.get(2)))
				.parse(argument, parser);
		}
		for (String name : parameters.keySet()) {
			if (!List.of("if", "then", "else").contains(name)) {
				throw ServerErrors.location(17083, "Unrecognized parameter to $cond: " + name);
			}
		}
		return cond(parser.parse(Operators.required("$cond", parameters, "if", 17080)),
				parser.parse(Operators.required("$cond", parameters, "then", 17081)),
				parser.parse(Operators.required("$cond", parameters, "else", 17082)));
	}

	private static Expression cond(Expression test, Expression then, Expression otherwise) {
		return (variables) -> (Values.isTrue(test.evaluate(variables)) ? then : otherwise).evaluate(variables);
	}

	private static Expression ifNull(List<Expression> operands) {
		return (variables) -> {
			Object value = null;
			for (Expression operand : operands) {
				value = operand.evaluate(variables);
				if (!Values.isNullish(value)) {
					return value;
				}
			}
			return value;
		};
	}

	private static Expression and(List<Expression> operands) {
		return (variables) -> operands.stream().allMatch((operand) -> Values.isTrue(operand.evaluate(variables)));
	}

	private static Expression or(List<Expression> operands) {
		return (variables) -> operands.stream().anyMatch((operand) -> Values.isTrue(operand.evaluate(variables)));
	}

}
