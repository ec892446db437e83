package io.mongolock.test.embedded;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * Turns BSON into {@link Expression}s. Refuses all that a real server refuses before it
 * looks at any document. Immutable; a nested scope is a new parser.
 */
final class ExpressionParser {

	private static final Map<String, Expression> BUILT_IN = Map.of("ROOT", Variables::root, "CURRENT", Variables::root,
			"NOW", (variables) -> variables.time().now(), "CLUSTER_TIME",
			(variables) -> variables.time().requiredCluster(), "REMOVE", Expression.constant(Values.MISSING));

	private final Set<String> userVariables;

	ExpressionParser() {
		this(Set.of());
	}

	private ExpressionParser(Set<String> userVariables) {
		this.userVariables = userVariables;
	}

	ExpressionParser with(Set<String> names) {
		names.forEach(ExpressionParser::checkVariableName);
		Set<String> all = new HashSet<>(this.userVariables);
		all.addAll(names);
		return new ExpressionParser(all);
	}

	private static void checkVariableName(String name) {
		if (name.isEmpty() || !(Character.isLowerCase(name.charAt(0)) || name.charAt(0) > 127)) {
			throw ServerErrors.location(16867,
					"'" + name + "' starts with an invalid character for a user variable name");
		}
		if (!name.chars().allMatch((c) -> c > 127 || c == '_' || Character.isLetterOrDigit(c))) {
			throw ServerErrors.location(16868, "'" + name
					+ "' contains an invalid character for a variable name: letters, digits and '_' are allowed");
		}
	}

	/**
	 * Parse one expression.
	 * @param source a BSON value
	 * @return the expression
	 * @throws de.bwaldvogel.mongo.exception.MongoServerError if it is not an expression
	 */
	Expression parse(@Nullable Object source) {
		if (source instanceof String text && text.startsWith("$")) {
			return parsePath(text);
		}
		if (source instanceof Document document) {
			return parseDocument(document);
		}
		if (source instanceof List<?> list) {
			return array(parseAll(list));
		}
		return Expression.constant(source);
	}

	List<Expression> parseAll(List<?> sources) {
		return sources.stream().map(this::parse).toList();
	}

	private Expression parsePath(String text) {
		if (!text.startsWith("$$")) {
			if (text.length() == 1) {
				throw ServerErrors.location(16872, "'$' by itself is not a valid FieldPath");
			}
			FieldPath path = FieldPath.parse(text.substring(1));
			return (variables) -> path.evaluate(variables.root());
		}
		int dot = text.indexOf('.');
		Expression variable = parseVariable((dot < 0) ? text.substring(2) : text.substring(2, dot));
		if (dot < 0) {
			return variable;
		}
		FieldPath path = FieldPath.parse(text.substring(dot + 1));
		return (variables) -> path.evaluate(variable.evaluate(variables));
	}

	private Expression parseVariable(String name) {
		if (this.userVariables.contains(name)) {
			return (variables) -> variables.get(name);
		}
		Expression builtIn = BUILT_IN.get(name);
		if (builtIn != null) {
			return builtIn;
		}
		throw ServerErrors.location(17276, "Use of undefined variable: " + name);
	}

	private Expression parseDocument(Document document) {
		String first = document.isEmpty() ? "" : document.keySet().iterator().next();
		if (!first.startsWith("$")) {
			return parseFields(document);
		}
		if (document.size() > 1) {
			throw ServerErrors.location(15983,
					"An object representing an expression must have exactly one field: " + document);
		}
		return Operators.parse(first, document.get(first), this);
	}

	private Expression parseFields(Document document) {
		Map<String, Expression> fields = new LinkedHashMap<>();
		document.forEach((name, source) -> {
			if (name.startsWith("$")) {
				throw ServerErrors.location(16410, "FieldPath field names may not start with '$': '" + name + "'.");
			}
			if (name.contains(".")) {
				throw ServerErrors.location(16412, "FieldPath field names may not contain '.': '" + name + "'.");
			}
			fields.put(name, parse(source));
		});
		return (variables) -> evaluate(fields, variables);
	}

	private static Document evaluate(Map<String, Expression> fields, Variables variables) {
		Document result = new Document();
		fields.forEach((name, expression) -> {
			Object value = expression.evaluate(variables);
			if (value != Values.MISSING) {
				result.put(name, value);
			}
		});
		return result;
	}

	private static Expression array(List<Expression> elements) {
		return (variables) -> {
			List<Object> result = new ArrayList<>(elements.size());
			for (Expression element : elements) {
				Object value = element.evaluate(variables);
				// An array has no gaps: a missing value becomes null
				result.add((value != Values.MISSING) ? value : null);
			}
			return result;
		};
	}

}
