package io.mongolock.test.embedded;

import org.jspecify.annotations.Nullable;

/**
 * A parsed aggregation expression. Stateless.
 */
@FunctionalInterface
interface Expression {

	/**
	 * Evaluate the expression.
	 * @param variables the variables that it can see
	 * @return the value, {@link Values#MISSING} if there is none
	 * @throws de.bwaldvogel.mongo.exception.MongoServerError if a real server would
	 * refuse it
	 */
	@Nullable Object evaluate(Variables variables);

	static Expression constant(@Nullable Object value) {
		return (variables) -> value;
	}

}
