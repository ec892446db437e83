package io.mongolock.interceptor.check;

import java.lang.reflect.Method;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

import io.mongolock.interceptor.InvalidLockMethodException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares what {@link ArgumentPath} says of keys with what SpEL makes of them, by values
 * of many types and all properties that they might have.
 */
class KeysAsSpelReadsThemTests {

	/** Words of SpEL and Java, and names that no type here has. */
	private static final List<String> ODD = List.of("new", "true", "false", "null", "T", "matches", "between", "and",
			"or", "instanceof", "class", "length", "size", "empty", "Empty", "uRL", "URL", "url", "nothing", "value",
			"MAX_VALUE", "TYPE", "toString", "hashCode", "getClass", "longValue", "div", "Not", "_x", "p0");

	private final SpelExpressionParser parser = new SpelExpressionParser();

	static Stream<Object> values() {
		return Stream.of(new Bean(), new Sub(), new Both(7L), new Plain("a", new Both(1L)), new Fields(),
				new Attributes(), new Dated<>("x"), Level.LOW, Level.HIGH, Fields.class, Level.class, 5, 5L, true, 'c',
				"text", Map.of("id", 1), new HashMap<>(Map.of("id", 1)), Optional.of("x"), new int[] { 1 }, List.of(1),
				new ArrayList<>(List.of(1)), (Named) () -> "name", new Object(), new StringBuilder("x"),
				Thread.State.NEW, Instant.EPOCH, UUID.randomUUID(), URI.create("a:b"));
	}

	@ParameterizedTest
	@MethodSource("values")
	void keysThatSpelCanReadAreNotRefusedAndHaveTheirType(Object value) {
		List<String> wrong = new ArrayList<>();
		for (Method method : ReflectionUtils.getDeclaredMethods(Calls.class)) {
			Class<?> declared = ResolvableType.forMethodParameter(method, 0, Called.class).toClass();
			if (ClassUtils.isAssignableValue(declared, value)) {
				names(value).forEach((name) -> compare("#x." + name, method, value, wrong));
				compare("#x", method, value, wrong);
				compare("#p0", method, value, wrong);
				names(value).forEach((name) -> compare("#a0.id." + name, method, value, wrong));
				names(value).forEach((name) -> compare("#x.inner." + name, method, value, wrong));
				names(value).forEach((name) -> compare("#x." + name + ".class", method, value, wrong));
			}
		}
		assertThat(wrong).isEmpty();
	}

	private void compare(String expression, Method method, Object value, List<String> wrong) {
		DeclaredExpression declared = new DeclaredExpression("key", expression, method, Called.class);
		ArgumentPath plain = ArgumentPath.of(declared);
		String parsed = said(() -> String.valueOf(new SpelNameCheck((bean) -> false).check(declared)));
		String where = expression + " of " + method + " with " + value.getClass() + ": ";
		if (plain == null) {
			return;
		}
		String read = said(() -> {
			plain.check(declared);
			return plain.toString();
		});
		if (!read.equals(parsed)) {
			wrong.add(where + "read as " + read + ", parsed as " + parsed);
		}
		Object[] evaluated = evaluated(expression, value);
		ResolvableType type = plain.type(declared);
		if (evaluated != null && read.startsWith("refused") && isOf(value, method)) {
			wrong.add(where + read + " although SpEL reads " + evaluated[0]);
		}
		else if (evaluated != null && type != null && evaluated[0] != null
				&& !ClassUtils.isAssignableValue(type.toClass(), evaluated[0])) {
			wrong.add(where + "of type " + type + " although SpEL reads a " + evaluated[0].getClass());
		}
	}

	// A subclass may have more than is declared, which is then to be declared
	private static boolean isOf(Object value, Method method) {
		Class<?> type = ResolvableType.forMethodParameter(method, 0, Called.class).toClass();
		return ClassUtils.resolvePrimitiveIfNecessary(type) == value.getClass();
	}

	private Object @Nullable [] evaluated(String expression, Object value) {
		StandardEvaluationContext context = new StandardEvaluationContext();
		context.setVariables(Map.of("x", value, "a0", value, "p0", value));
		try {
			return new Object[] { this.parser.parseExpression(expression).getValue(context) };
		}
		catch (EvaluationException | ParseException ex) {
			return null;
		}
	}

	private static String said(Supplier<String> check) {
		try {
			return check.get();
		}
		catch (InvalidLockMethodException ex) {
			return "refused: " + ex.getMessage();
		}
	}

	private static Set<String> names(Object value) {
		Set<String> names = new TreeSet<>(ODD);
		for (Class<?> type = value.getClass(); type != null; type = type.getSuperclass()) {
			addNames(type, names);
			ClassUtils.getAllInterfacesForClassAsSet(type).forEach((one) -> addNames(one, names));
		}
		if (value instanceof Class<?> type) {
			addNames(type, names);
		}
		return names;
	}

	private static void addNames(Class<?> type, Set<String> names) {
		Arrays.stream(type.getDeclaredFields()).forEach((field) -> names.add(field.getName()));
		Arrays.stream(type.getDeclaredMethods()).forEach((method) -> {
			String name = method.getName();
			names.add(name);
			for (String prefix : List.of("get", "is")) {
				if (name.startsWith(prefix) && name.length() > prefix.length()) {
					names.add(name.substring(prefix.length()));
					names.add(name.substring(prefix.length(), prefix.length() + 1).toLowerCase()
							+ name.substring(prefix.length() + 1));
				}
			}
		});
		names.removeIf((name) -> name.contains("$"));
	}

	static class Called extends Calls<Bean, Named> {

	}

	static class Calls<T, N extends Named> {

		void anything(Object x) {
		}

		void generic(T x) {
		}

		void named(N x) {
		}

		void free(Dated<?> x) {
		}

		void dated(Dated<String> x) {
		}

		<I extends Number> void number(I x) {
		}

		void bean(Bean x) {
		}

		void base(Base<?> x) {
		}

		void sub(Sub x) {
		}

		void both(Both x) {
		}

		void plain(Plain x) {
		}

		void fields(Fields x) {
		}

		void attributes(Attributes x) {
		}

		void level(Level x) {
		}

		void type(Class<?> x) {
		}

		void primitive(int x) {
		}

		void number(long x) {
		}

		void flag(boolean x) {
		}

		void character(char x) {
		}

		void wrapper(Integer x) {
		}

		void text(String x) {
		}

		void chars(CharSequence x) {
		}

		void map(Map<String, ?> x) {
		}

		void hashed(HashMap<String, ?> x) {
		}

		void optional(Optional<String> x) {
		}

		void array(int[] x) {
		}

		void list(List<Integer> x) {
		}

		void arrayList(ArrayList<Integer> x) {
		}

		void builder(StringBuilder x) {
		}

		void state(Thread.State x) {
		}

		void instant(Instant x) {
		}

		void uuid(UUID x) {
		}

		void uri(URI x) {
		}

	}

	public interface Named {

		String getName();

		default String getTitle() {
			return "title";
		}

		default String label() {
			return "label";
		}

	}

	public abstract static class Base<I> {

		public abstract I getId();

		public I id() {
			return getId();
		}

		public static String getKind() {
			return "kind";
		}

	}

	public static class Bean extends Base<Long> implements Named {

		public static final String CONSTANT = "c";

		public String text = "field";

		private final String hidden = "h";

		@Override
		public Long getId() {
			return 1L;
		}

		public Plain getInner() {
			return new Plain("p", new Both(2L));
		}

		@Override
		public String getName() {
			return "n";
		}

		private String getSecret() {
			return this.hidden;
		}

		protected String getGuarded() {
			return "g";
		}

		public boolean isActive() {
			return true;
		}

		public String getActive() {
			return "yes";
		}

		public Boolean isWrapped() {
			return true;
		}

		public String isText() {
			return "is";
		}

		public Object getIndexed(int index) {
			return index;
		}

		public String getIndexed() {
			return "indexed";
		}

		public String getURL() {
			return "url";
		}

		public String getaName() {
			return "a";
		}

		public String getXPos() {
			return "x";
		}

		public void getNothing() {
		}

		public String fluent() {
			return "f";
		}

		public int getText() {
			return 1;
		}

		public static String getStatic() {
			return "s";
		}

		public String get() {
			return "g";
		}

	}

	public static class Sub extends Bean {

		public String getMore() {
			return "more";
		}

		@Override
		public Long getId() {
			return 2L;
		}

	}

	public record Both(Object id) implements More<String> {

		@Override
		public String getId() {
			return "text";
		}

		@Override
		public boolean isNew() {
			return true;
		}

		@Override
		public String extra() {
			return "extra";
		}

		public static String NAME = "n";

	}

	public interface More<M> {

		M getId();

		boolean isNew();

		M extra();

	}

	public interface Later<L> {

		L getMore();

	}

	public interface Coded {

		String code();

	}

	public record Plain(String name, Both inner) {

	}

	public record Dated<D>(D inner) implements Later<D> {

		@Override
		public D getMore() {
			return this.inner;
		}

	}

	public static class Fields {

		public static final String TABLE = "t";

		public Plain inner = new Plain("x", new Both(1));

		public String id = "i";

		String invisible = "n";

		public static String getTableName() {
			return "table";
		}

	}

	public static class Attributes extends HashMap<String, Object> {

		public String getId() {
			return "id";
		}

	}

	public enum Level implements Named, Coded {

		LOW, HIGH {
			@Override
			public String getTitle() {
				return "high";
			}
		};

		@Override
		public String getName() {
			return name();
		}

		@Override
		public String code() {
			return "code";
		}

	}

}
