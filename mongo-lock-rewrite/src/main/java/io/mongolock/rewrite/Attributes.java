package io.mongolock.rewrite;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;

/**
 * The attributes of an annotation; each is one literal.
 *
 * @param annotation the annotation
 */
record Attributes(J.Annotation annotation) {

	/**
	 * The value of an attribute.
	 * @return {@code null} if it is not set
	 * @throws UnmappedException if it is no literal
	 */
	@Nullable String text(String attribute) {
		Expression value = value(attribute);
		return (value != null) ? literal(attribute, value) : null;
	}

	/**
	 * What an attribute is set to.
	 * @return {@code null} if it is not set
	 */
	@Nullable Expression value(String attribute) {
		List<Expression> arguments = this.annotation.getArguments();
		if (arguments == null) {
			return null;
		}
		for (Expression argument : arguments) {
			if (argument instanceof J.Assignment assignment && assignment.getVariable() instanceof J.Identifier variable
					&& variable.getSimpleName().equals(attribute)) {
				return assignment.getAssignment();
			}
		}
		return null;
	}

	private static String literal(String attribute, Expression value) {
		// What it escapes as half a character is not in its value
		if (value instanceof J.Literal literal && literal.getUnicodeEscapes() == null
				&& literal.getValue() instanceof String text) {
			return text;
		}
		throw new UnmappedException(attribute + " is no literal. Rewrite this annotation by hand");
	}

}
