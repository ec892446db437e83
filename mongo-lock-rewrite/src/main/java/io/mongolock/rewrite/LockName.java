package io.mongolock.rewrite;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * The name of a lock of ShedLock as an attribute of {@code @DistributedLock} that results
 * in the same key: a literal as the name, a template as one expression, the key.
 *
 * @param attribute the attribute, as it stands in a source
 */
record LockName(String attribute) {

	/** What {@code @DistributedLock} refuses as a name, templates among it. */
	private static final Pattern EXPRESSION = Pattern.compile("#\\{|#[a-zA-Z_]|^@[a-zA-Z_]");

	static LockName of(@Nullable String name) {
		if (name == null || name.isBlank()) {
			throw new UnmappedException("a lock needs a name");
		}
		if (!EXPRESSION.matcher(name).find()) {
			return new LockName("name = " + Literals.quoted(name));
		}
		if (name.contains("${")) {
			throw new UnmappedException("the name becomes a key, but placeholders are not replaced in a key. Write the "
					+ "value of the placeholder into the name");
		}
		String key = key(parts(name));
		if (key.contains("#{")) {
			throw notUnderstood();
		}
		return new LockName("key = " + Literals.quoted(key));
	}

	private static List<Expression> parts(String template) {
		try {
			Expression parsed = new SpelExpressionParser().parseExpression(template, ParserContext.TEMPLATE_EXPRESSION);
			return (parsed instanceof CompositeStringExpression composite) ? Arrays.asList(composite.getExpressions())
					: List.of(parsed);
		}
		catch (ParseException | IllegalStateException ex) {
			throw notUnderstood();
		}
	}

	private static UnmappedException notUnderstood() {
		return new UnmappedException("the recipe does not understand the template in this name. Write the key by hand");
	}

	private static String key(List<Expression> parts) {
		StringBuilder key = new StringBuilder();
		if (!isText(parts.get(0))) {
			// A text first, so that numbers are not added up, and a list is one key
			key.append("''");
		}
		parts.forEach((part) -> key.append((key.isEmpty()) ? "" : " + ").append(operand(part)));
		return key.toString();
	}

	private static boolean isText(Expression part) {
		return part instanceof LiteralExpression
				|| (part instanceof SpelExpression expression && expression.getAST() instanceof StringLiteral);
	}

	private static String operand(Expression part) {
		String text = part.getExpressionString();
		if (!(part instanceof SpelExpression expression)) {
			return "'" + text.replace("'", "''") + "'";
		}
		if (readsRoot(expression.getAST())) {
			throw new UnmappedException(
					"@DistributedLock gives expressions a different root object. Refer to arguments as #name, and to "
							+ "beans as @name");
		}
		return (isText(part) || expression.getAST() instanceof VariableReference) ? text : "(" + text + ")";
	}

	// At least wherever it does: what stands in .![ ] and .?[ ] is of other objects
	private static boolean readsRoot(SpelNode node) {
		if (node instanceof VariableReference) {
			return List.of("#root", "#this").contains(node.toStringAST());
		}
		return isMember(node) || IntStream.range(0, node.getChildCount())
			.anyMatch((i) -> readsRoot(node.getChild(i), follows(node, i)));
	}

	private static boolean readsRoot(SpelNode node, boolean follows) {
		return (follows && isMember(node))
				? IntStream.range(0, node.getChildCount()).anyMatch((i) -> readsRoot(node.getChild(i)))
				: readsRoot(node);
	}

	private static boolean isMember(SpelNode node) {
		return node instanceof PropertyOrFieldReference || node instanceof MethodReference;
	}

	private static boolean follows(SpelNode node, int child) {
		return node instanceof CompoundExpression && child > 0;
	}

}
