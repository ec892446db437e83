package io.mongolock.interceptor.check;

import java.beans.PropertyDescriptor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.BaseStream;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.core.ResolvableType;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

import io.mongolock.LockKeyTypes;
import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.interceptor.LockKeyVariables;
import io.mongolock.interceptor.LockOperation;
import io.mongolock.interceptor.SeveralKeys;

/**
 * Finds mistakes in the expressions of keys and conditions before the first call does.
 */
class LockKeyCheck {

	private static final List<String> ROOT = List.of("method", "methodName", "args", "target", "targetClass");

	private static final Set<String> KEYWORDS = Set.of("#root", "#this");

	private final Predicate<String> beans;

	private final SpelExpressionParser parser = new SpelExpressionParser();

	LockKeyCheck(Predicate<String> beans) {
		this.beans = beans;
	}

	void check(LockOperation operation, Class<?> targetClass) {
		if (operation.condition() != null) {
			Declared condition = new Declared("condition", operation.condition(), operation.method(), targetClass);
			checkCondition(check(condition), condition);
		}
		if (operation.key() != null) {
			Declared key = new Declared("key", operation.key(), operation.method(), targetClass);
			SpelNode expression = check(key);
			checkType(expression, operation.document() != null, key);
		}
	}

	private SpelNode check(Declared declared) {
		SpelNode expression = parse(declared);
		checkStart(expression, declared);
		checkVariables(expression, declared);
		checkBeans(expression, declared);
		checkProperties(expression, declared);
		return expression;
	}

	private static void checkStart(SpelNode node, Declared declared) {
		if (node instanceof PropertyOrFieldReference property && ROOT.contains(property.getName())
				&& declared.variables().arguments().containsKey(property.getName())) {
			String name = property.getName();
			throw declared.invalid(
					", in which '" + name + "' is a property of #root, and a parameter has that name, too",
					"Write #" + name + " for the argument, or #root." + name + " for the property.", null);
		}
		if (node instanceof PropertyOrFieldReference property && !ROOT.contains(property.getName())) {
			throw declared.invalid(
					", in which '" + property.getName() + "' is none of the properties of #root: " + ROOT,
					"Write #" + property.getName() + " for the argument, or quote it as '" + property.getName()
							+ "' if it is text.",
					null);
		}
		// What stands in .![ ] and .?[ ] is of the elements of another object
		if (!(node instanceof Projection) && !(node instanceof Selection)) {
			IntStream.range(0, node.getChildCount())
				.filter((i) -> !(node.getChild(i) instanceof PropertyOrFieldReference) || !isOfAnother(node, i))
				.forEach((i) -> checkStart(node.getChild(i), declared));
		}
	}

	// What follows a dot, or is the key of an entry of a map
	private static boolean isOfAnother(SpelNode node, int child) {
		return (node instanceof CompoundExpression && child > 0) || node instanceof Indexer
				|| (node instanceof InlineMap && child % 2 == 0);
	}

	private static void checkVariables(SpelNode expression, Declared declared) {
		LockKeyVariables variables = declared.variables();
		Set<String> known = new TreeSet<>(KEYWORDS);
		variables.arguments().keySet().forEach((name) -> known.add("#" + name));
		for (String used : collect(expression, new TreeSet<>())) {
			if (!known.contains(used)) {
				throw declared.invalid(", which refers to " + used + ", but the call only knows " + known,
						"Correct the name; if it is a parameter's, compile the class with -parameters "
								+ "or use its position, #p0 for the first.",
						null);
			}
			if (variables.ambiguous().contains(used.substring(1))) {
				throw declared.invalid(
						", in which " + used + " is the name of a parameter, and "
								+ ((KEYWORDS.contains(used)) ? "means something else in SpEL"
										: "the position of another"),
						"Rename the parameter, or write " + position(used, variables) + " for it.", null);
			}
		}
	}

	private static String position(String ambiguous, LockKeyVariables variables) {
		Integer argument = variables.arguments().get(ambiguous.substring(1));
		return ((argument != null && argument.equals(variables.arguments().get("p" + argument))) ? "#p" : "#a")
				+ argument;
	}

	private void checkBeans(SpelNode node, Declared declared) {
		if (node instanceof BeanReference) {
			String name = node.toStringAST().replaceAll("['\"]", "");
			if (!this.beans.test((name.startsWith("@")) ? name.substring(1) : name)) {
				throw declared.invalid(", which refers to " + name + ", and there is no such bean",
						"Correct the name of the bean.", null);
			}
		}
		IntStream.range(0, node.getChildCount()).forEach((i) -> checkBeans(node.getChild(i), declared));
	}

	// As far as types are declared: what an interface or Object stands for may have more
	private static void checkProperties(SpelNode node, Declared declared) {
		if (node instanceof CompoundExpression) {
			ResolvableType resolvable = type(node.getChild(0), declared);
			for (int i = 1; resolvable != null && i < node.getChildCount(); i++) {
				Class<?> type = resolvable.toClass();
				String name = (node.getChild(i) instanceof PropertyOrFieldReference property) ? property.getName()
						: null;
				if (name != null && isKnownWhole(type) && !isReadable(type, name)) {
					throw declared.invalid(", and " + type.getTypeName() + " has no property '" + name + "'",
							"Correct the name; a property is read by a public getter, an accessor of a record or a public "
									+ "field. If a subclass has it, declare that one.",
							null);
				}
				resolvable = (name != null) ? ofProperty(resolvable, name) : null;
			}
		}
		IntStream.range(0, node.getChildCount()).forEach((i) -> checkProperties(node.getChild(i), declared));
	}

	private static boolean isKnownWhole(Class<?> type) {
		return type != Object.class && type != Optional.class && !type.isArray() && !Map.class.isAssignableFrom(type)
				&& (type.isPrimitive() || !Modifier.isAbstract(type.getModifiers()));
	}

	private static boolean isReadable(Class<?> type, String name) {
		PropertyDescriptor property = BeanUtils.getPropertyDescriptor(type, name);
		return (property != null && property.getReadMethod() != null) || ClassUtils.hasMethod(type, name)
				|| ClassUtils.hasMethod(type, "get" + StringUtils.capitalize(name))
				|| ClassUtils.hasMethod(type, "is" + StringUtils.capitalize(name))
				|| Arrays.stream(type.getFields()).anyMatch((field) -> field.getName().equals(name));
	}

	private static void checkType(SpelNode expression, boolean inDocument, Declared key) {
		ResolvableType type = type(expression, key);
		boolean several = type != null && SeveralKeys.areIn(type.toClass());
		if (type == null || (inDocument && !several)) { // an id is as the mapping has it
			return;
		}
		if (inDocument) {
			throw key.invalid(" of type " + type + ", and one document is locked by its id",
					"Pick one value, and call the method once for each.", null);
		}
		if (expression instanceof VariableReference && BaseStream.class.isAssignableFrom(type.toClass())) {
			throw key.invalid(" of type " + type + ", which can be read once, so that the method would find it used up",
					"Let the method take a collection of the keys, for example a List.", null);
		}
		String refusal = LockKeyTypes.refusal(((several) ? element(type) : type).toClass());
		if (refusal != null) {
			throw key.invalid(" of type " + type + ", which has no text that can be relied on",
					"It is a " + refusal + ".", null);
		}
	}

	private static ResolvableType element(ResolvableType several) {
		if (several.isArray()) {
			return several.getComponentType();
		}
		ResolvableType iterable = several.as(Iterable.class);
		return ((iterable != ResolvableType.NONE) ? iterable : several.as(BaseStream.class)).getGeneric(0);
	}

	private static void checkCondition(SpelNode expression, Declared condition) {
		ResolvableType declared = type(expression, condition);
		Class<?> type = (declared != null) ? declared.toClass() : Object.class;
		if (!type.isAssignableFrom(Boolean.class) && type != boolean.class) {
			throw condition.invalid(" of type " + type.getTypeName() + ", which is neither true nor false",
					"Compare it, for example with != null.", null);
		}
	}

	// Of an argument, or of properties of one; null if it is not declared
	private static @Nullable ResolvableType type(SpelNode expression, Declared declared) {
		if (!(expression instanceof CompoundExpression)) {
			return (expression instanceof VariableReference) ? ofVariable(expression.toStringAST(), declared) : null;
		}
		ResolvableType type = type(expression.getChild(0), declared);
		for (int i = 1; type != null && i < expression.getChildCount(); i++) {
			type = (expression.getChild(i) instanceof PropertyOrFieldReference property)
					? ofProperty(type, property.getName()) : null;
		}
		return type;
	}

	private static @Nullable ResolvableType ofVariable(String variable, Declared declared) {
		Integer argument = declared.variables().arguments().get(variable.substring(1));
		return (argument != null)
				? ResolvableType.forMethodParameter(declared.method(), argument, declared.targetClass()) : null;
	}

	private static @Nullable ResolvableType ofProperty(ResolvableType declared, String name) {
		Class<?> type = declared.toClass();
		// an Optional is unwrapped by ?.
		if (type == Optional.class || type.isArray() || Map.class.isAssignableFrom(type)) {
			return null;
		}
		if (type.isRecord()) {
			return Arrays.stream(type.getRecordComponents())
				.filter((component) -> component.getName().equals(name))
				.findFirst()
				.map((component) -> ResolvableType.forType(component.getGenericType(), declared))
				.orElse(null);
		}
		PropertyDescriptor property = BeanUtils.getPropertyDescriptor(type, name);
		Method getter = (property != null) ? property.getReadMethod() : null;
		return (getter != null)
				? ResolvableType.forType(getter.getGenericReturnType(), declared.as(getter.getDeclaringClass())) : null;
	}

	private SpelNode parse(Declared declared) {
		try {
			return this.parser.parseRaw(declared.text()).getAST();
		}
		catch (ParseException | IllegalStateException ex) {
			throw declared.invalid(", which is not valid SpEL: " + ex.getMessage(),
					"Refer to arguments as #name or #p0; quote literal text as 'text'.", ex);
		}
	}

	private static Set<String> collect(@Nullable SpelNode node, Set<String> found) {
		if (node instanceof VariableReference) {
			found.add(node.toStringAST());
		}
		for (int i = 0; node != null && i < node.getChildCount(); i++) {
			collect(node.getChild(i), found);
		}
		return found;
	}

	/** An expression, and where it was declared. */
	private record Declared(String attribute, String text, Method method, Class<?> targetClass,
			LockKeyVariables variables) {

		private Declared(String attribute, String text, Method method, Class<?> targetClass) {
			this(attribute, text, method, targetClass, LockKeyVariables.of(method));
		}

		private InvalidLockMethodException invalid(String problem, String action, @Nullable Exception cause) {
			return new InvalidLockMethodException(this.method, this.targetClass,
					"has the " + this.attribute + " '" + this.text + "'" + problem, action, cause);
		}

	}

}
