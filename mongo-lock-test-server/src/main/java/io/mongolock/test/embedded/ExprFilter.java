package io.mongolock.test.embedded;

import java.util.List;
import java.util.Map;

import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * The {@code $expr} of a filter, parsed once to match many documents.
 *
 * @param expression the condition
 * @param time the time of the statement
 */
record ExprFilter(Expression expression, StatementTime time) {

	private static final String EXPR = "$expr";

	boolean matches(Document document) {
		return Values.isTrue(this.expression.evaluate(new Variables(document, this.time)));
	}

	/**
	 * Parse the {@code $expr} of a filter, if it has one at the top.
	 * @param filter the filter as sent
	 * @param time the time of the statement
	 * @return the filter with an {@code ExprFilter} in place of the expression
	 */
	static Document bind(Document filter, StatementTime time) {
		if (!filter.containsKey(EXPR)) {
			return filter;
		}
		Document bound = filter.clone();
		bound.put(EXPR, new ExprFilter(new ExpressionParser().parse(filter.get(EXPR)), time));
		return bound;
	}

	static @Nullable ExprFilter in(Document filter) {
		return (filter.get(EXPR) instanceof ExprFilter bound) ? bound : null;
	}

	static Document without(Document filter) {
		Document rest = filter.clone();
		rest.remove(EXPR);
		return rest;
	}

	/**
	 * Whether a filter contains {@code $expr} anywhere, which no upsert may do.
	 */
	static boolean isIn(@Nullable Object filter) {
		if (filter instanceof Document document) {
			for (Map.Entry<String, Object> field : document.entrySet()) {
				if (field.getKey().equals(EXPR) || (field.getKey().startsWith("$") && isIn(field.getValue()))) {
					return true;
				}
			}
		}
		return filter instanceof List<?> list && list.stream().anyMatch(ExprFilter::isIn);
	}

}
