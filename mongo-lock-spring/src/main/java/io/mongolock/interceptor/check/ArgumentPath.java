package io.mongolock.interceptor.check;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * An argument of a call or a property of an argument, like most keys: {@code #order.id}.
 *
 * @param variable the name of the argument in the expression
 * @param properties the properties that follow; empty for the argument itself
 */
record ArgumentPath(String variable, List<String> properties) {

	private static final Pattern PLAIN = Pattern.compile("#[a-zA-Z_]\\w*(\\.[a-zA-Z_]\\w*)*");

	/** SpEL does not accept these as names, in any case of letters. */
	private static final Set<String> OPERATORS = Set.of("div", "eq", "ge", "gt", "le", "lt", "mod", "ne", "not");

	private static final Class<?>[] NO_ARGUMENTS = {};

	/**
	 * Read a plain path without the parser, because such a key alone would make a start
	 * load some fifty classes of the parser.
	 * @return {@code null} if the expression may be something else, or does not certainly
	 * refer to an argument
	 */
	static @Nullable ArgumentPath of(DeclaredExpression declared) {
		if (!PLAIN.matcher(declared.text()).matches()) {
			return null;
		}
		List<String> names = List.of(declared.text().substring(1).split("\\."));
		boolean known = declared.variables().arguments().containsKey(names.get(0))
				&& !declared.variables().ambiguous().contains(names.get(0));
		for (String name : names) {
			known &= !OPERATORS.contains(name.toLowerCase(Locale.ROOT));
		}
		return (known) ? new ArgumentPath(names.get(0), names.subList(1, names.size())) : null;
	}

	ArgumentPath property(String name) {
		List<String> longer = new ArrayList<>(this.properties);
		longer.add(name);
		return new ArgumentPath(this.variable, longer);
	}

	/**
	 * Refuse a property that does not exist, as far as declared types tell. The object
	 * behind an interface or Object may have more properties.
	 */
	void check(DeclaredExpression declared) {
		ResolvableType resolvable = ofVariable(declared);
		for (String name : this.properties) {
			Class<?> type = (resolvable != null) ? resolvable.toClass() : Object.class;
			if (isKnownWhole(type) && getter(type, name) == null && !isField(type, name)) {
				throw declared.invalid(", but " + type.getTypeName() + " has no property '" + name + "'",
						"Correct the name. A property is read through a public getter, a public field or a record's "
								+ "accessor. If only a subclass has the property, declare the subclass as the type.",
						null);
			}
			resolvable = (resolvable != null) ? ofProperty(resolvable, name) : null;
		}
	}

	/**
	 * Refuse a method that the type of this path does not have, as far as declared types
	 * tell.
	 * @param arguments the number of arguments
	 */
	void checkMethod(String name, int arguments, DeclaredExpression declared) {
		ResolvableType resolvable = type(declared);
		Class<?> type = (resolvable != null) ? resolvable.toClass() : Object.class;
		if (isKnownWhole(type) && Arrays.stream(boxed(type).getMethods())
			.noneMatch((method) -> method.getName().equals(name) && takes(method, arguments))) {
			throw declared.invalid(
					", but " + type.getTypeName() + " has no public method '" + name + "' with " + arguments
							+ " arguments",
					"Correct the name or the arguments. If only a subclass has the method, declare the subclass as the "
							+ "type.",
					null);
		}
	}

	private static boolean takes(Method method, int arguments) {
		int parameters = method.getParameterCount();
		return parameters == arguments || (method.isVarArgs() && arguments >= parameters - 1);
	}

	/**
	 * The type of this path.
	 * @return {@code null} if the type is not declared
	 */
	@Nullable ResolvableType type(DeclaredExpression declared) {
		ResolvableType type = ofVariable(declared);
		for (String name : this.properties) {
			type = (type != null) ? ofProperty(type, name) : null;
		}
		return type;
	}

	private @Nullable ResolvableType ofVariable(DeclaredExpression declared) {
		Integer argument = declared.variables().arguments().get(this.variable);
		return (argument != null)
				? ResolvableType.forMethodParameter(declared.method(), argument, declared.targetClass()) : null;
	}

	private static boolean isKnownWhole(Class<?> type) {
		return type != Object.class && !isReadOtherwise(type)
				&& (type.isPrimitive() || !Modifier.isAbstract(type.getModifiers()));
	}

	// SpEL unwraps an Optional for ?., and reads the static members of a Class
	private static boolean isReadOtherwise(Class<?> type) {
		return type == Optional.class || type == Class.class || type.isArray() || Map.class.isAssignableFrom(type);
	}

	private static boolean isField(Class<?> type, String name) {
		return Arrays.stream(boxed(type).getFields()).anyMatch((field) -> field.getName().equals(name));
	}

	private static @Nullable ResolvableType ofProperty(ResolvableType declared, String name) {
		Class<?> type = declared.toClass();
		Method getter = (isReadOtherwise(type)) ? null : getter(type, name);
		return (getter != null)
				? ResolvableType.forType(getter.getGenericReturnType(), declared.as(getter.getDeclaringClass())) : null;
	}

	// Searches in the same order as SpEL
	private static @Nullable Method getter(Class<?> type, String name) {
		String capitalized = StringUtils.capitalize(name);
		boolean asItIs = name.length() > 1 && Character.isUpperCase(name.charAt(1));
		for (String prefix : List.of("get", "is")) {
			for (String suffix : (asItIs) ? List.of(name, capitalized) : List.of(capitalized)) {
				Method getter = ClassUtils.getMethodIfAvailable(boxed(type), prefix + suffix, NO_ARGUMENTS);
				if (getter != null && (prefix.equals("get") || boxed(getter.getReturnType()) == Boolean.class)) {
					return getter;
				}
			}
		}
		return ClassUtils.getMethodIfAvailable(boxed(type), name, NO_ARGUMENTS);
	}

	private static Class<?> boxed(Class<?> type) {
		return ClassUtils.resolvePrimitiveIfNecessary(type);
	}

}
