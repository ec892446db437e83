package io.mongolock.interceptor.check;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpressionParser;

import io.mongolock.interceptor.LockKeyVariables;

/**
 * Refuses an expression that is not SpEL, or that names a variable, bean, property or
 * method that does not exist. {@link KeyTypeCheck} checks the type of its value.
 *
 * @param beans tells whether a bean of a name exists
 */
record SpelNameCheck(Predicate<String> beans) {

	private static final List<String> ROOT = List.of("method", "methodName", "args", "target", "targetClass");

	private static final Set<String> KEYWORDS = Set.of("#root", "#this");

	/**
	 * Refuse a wrong expression.
	 * @return the path if the expression is only an argument or a property of one,
	 * otherwise {@code null}
	 */
	@Nullable ArgumentPath check(DeclaredExpression declared) {
		SpelNode expression = parse(declared);
		checkStart(expression, declared);
		checkVariables(expression, declared);
		nodes(expression).forEach((node) -> checkBean(node, declared));
		nodes(expression).forEach((node) -> checkProperties(node, declared));
		return path(expression);
	}

	private static void checkStart(SpelNode node, DeclaredExpression declared) {
		if (node instanceof PropertyOrFieldReference property && ROOT.contains(property.getName())
				&& declared.variables().arguments().containsKey(property.getName())) {
			String name = property.getName();
			throw declared.invalid(", in which '" + name + "' is a property of #root, but also the name of a parameter",
					"Write #" + name + " for the argument, or #root." + name + " for the property.", null);
		}
		if (node instanceof PropertyOrFieldReference property && !ROOT.contains(property.getName())) {
			throw declared.invalid(
					", in which '" + property.getName() + "' is no property of #root. The properties of #root are "
							+ ROOT,
					"If you mean the argument, write #" + property.getName()
							+ ". If you mean text, put the text in quotes, as in '" + property.getName() + "'.",
					null);
		}
		// Names in .![ ] and .?[ ] refer to the elements of another object
		if (!(node instanceof Projection) && !(node instanceof Selection)) {
			IntStream.range(0, node.getChildCount())
				.filter((i) -> !(node.getChild(i) instanceof PropertyOrFieldReference) || !isOfAnother(node, i))
				.forEach((i) -> checkStart(node.getChild(i), declared));
		}
	}

	// A name after a dot, in an index, or as the key of a map entry
	private static boolean isOfAnother(SpelNode node, int child) {
		return (node instanceof CompoundExpression && child > 0) || node instanceof Indexer
				|| (node instanceof InlineMap && child % 2 == 0);
	}

	private static void checkVariables(SpelNode expression, DeclaredExpression declared) {
		LockKeyVariables variables = declared.variables();
		Set<String> known = new TreeSet<>(KEYWORDS);
		variables.arguments().keySet().forEach((name) -> known.add("#" + name));
		nodes(expression).filter(VariableReference.class::isInstance)
			.map(SpelNode::toStringAST)
			.sorted()
			.forEach((used) -> {
				if (!known.contains(used)) {
					String type = declared.method().getDeclaringClass().getSimpleName();
					throw declared.invalid(
							", which refers to " + used + ", but the call has only these variables: " + known,
							"Correct the name. For a parameter, write its position (#p0 is the first parameter). If "
									+ type + " is compiled with -parameters, you can write the parameter's name in "
									+ type + " instead.",
							null);
				}
				if (variables.ambiguous().contains(used.substring(1))) {
					throw declared.invalid(
							", in which " + used + " is the name of a parameter, but also "
									+ ((KEYWORDS.contains(used)) ? "means something else in SpEL"
											: "the position of another parameter"),
							"Rename the parameter, or write " + position(used, variables) + " in its place.", null);
				}
			});
	}

	private static String position(String ambiguous, LockKeyVariables variables) {
		Integer argument = variables.arguments().get(ambiguous.substring(1));
		return ((argument != null && argument.equals(variables.arguments().get("p" + argument))) ? "#p" : "#a")
				+ argument;
	}

	private void checkBean(SpelNode node, DeclaredExpression declared) {
		if (node instanceof BeanReference) {
			String name = node.toStringAST().replaceAll("['\"]", "");
			if (!this.beans.test((name.startsWith("@")) ? name.substring(1) : name)) {
				throw declared.invalid(", which refers to " + name + ", but there is no such bean",
						"Correct the name of the bean.", null);
			}
		}
	}

	private static void checkProperties(SpelNode node, DeclaredExpression declared) {
		ArgumentPath path = (node instanceof CompoundExpression) ? path(node.getChild(0)) : null;
		for (int i = 1; path != null && i < node.getChildCount(); i++) {
			if (node.getChild(i) instanceof MethodReference method) {
				path.checkMethod(method.getName(), method.getChildCount(), declared);
			}
			path = longer(path, node.getChild(i));
			if (path != null) {
				path.check(declared);
			}
		}
	}

	private static @Nullable ArgumentPath path(SpelNode node) {
		if (!(node instanceof CompoundExpression)) {
			return (node instanceof VariableReference) ? new ArgumentPath(node.toStringAST().substring(1), List.of())
					: null;
		}
		ArgumentPath path = path(node.getChild(0));
		for (int i = 1; path != null && i < node.getChildCount(); i++) {
			path = longer(path, node.getChild(i));
		}
		return path;
	}

	private static @Nullable ArgumentPath longer(ArgumentPath path, SpelNode next) {
		return (next instanceof PropertyOrFieldReference property) ? path.property(property.getName()) : null;
	}

	private static SpelNode parse(DeclaredExpression declared) {
		try {
			return new SpelExpressionParser().parseRaw(declared.text()).getAST();
		}
		catch (ParseException | IllegalStateException ex) {
			throw declared.invalid(", which is not valid SpEL: " + ex.getMessage(),
					"Refer to arguments as #name or #p0, and put text in quotes, as in 'text'.", ex);
		}
	}

	/** A node of an expression with all its descendants. */
	private static Stream<SpelNode> nodes(SpelNode node) {
		return Stream.concat(Stream.of(node),
				IntStream.range(0, node.getChildCount()).mapToObj(node::getChild).flatMap(SpelNameCheck::nodes));
	}

}
