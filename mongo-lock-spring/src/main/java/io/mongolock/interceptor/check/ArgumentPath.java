package io.mongolock.interceptor.check;

import java.beans.PropertyDescriptor;
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
import org.springframework.beans.BeanUtils;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * An argument of a call, or a property of one, as most keys are: {@code #order.id}.
 *
 * @param variable the name of the argument in the expression
 * @param properties the properties that follow, none for the argument itself
 */
record ArgumentPath(String variable, List<String> properties) {

	private static final Pattern PLAIN = Pattern.compile("#[a-zA-Z_]\\w*(\\.[a-zA-Z_]\\w*)*");

	/** To SpEL they are no names, in whatever case. */
	private static final Set<String> OPERATORS = Set.of("div", "eq", "ge", "gt", "le", "lt", "mod", "ne", "not");

	/**
	 * Read an expression that is nothing else without the parser: a start would load its
	 * classes, some fifty, for such keys alone.
	 * @return {@code null} if it may be anything else, or refers to no argument for
	 * certain
	 */
	static @Nullable ArgumentPath of(DeclaredExpression declared) {
		if (!PLAIN.matcher(declared.text()).matches()) {
			return null;
		}
		List<String> names = List.of(declared.text().substring(1).split("\\."));
		boolean known = declared.variables().arguments().containsKey(names.get(0))
				&& !declared.variables().ambiguous().contains(names.get(0))
				&& names.stream().noneMatch((name) -> OPERATORS.contains(name.toLowerCase(Locale.ROOT)));
		return (known) ? new ArgumentPath(names.get(0), names.subList(1, names.size())) : null;
	}

	ArgumentPath property(String name) {
		List<String> longer = new ArrayList<>(this.properties);
		longer.add(name);
		return new ArgumentPath(this.variable, longer);
	}

	/**
	 * Refuse a property that there is not, as far as types are declared: what an
	 * interface or Object stands for may have more.
	 */
	void check(DeclaredExpression declared) {
		ResolvableType resolvable = ofVariable(declared);
		for (String name : this.properties) {
			Class<?> type = (resolvable != null) ? resolvable.toClass() : Object.class;
			if (isKnownWhole(type) && !isReadable(type, name)) {
				throw declared.invalid(", and " + type.getTypeName() + " has no property '" + name + "'",
						"Correct the name; a property is read by a public getter, an accessor of a record or a public "
								+ "field. If a subclass has it, declare that one.",
						null);
			}
			resolvable = (resolvable != null) ? ofProperty(resolvable, name) : null;
		}
	}

	/**
	 * Its type.
	 * @return {@code null} if it is not declared
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

}
