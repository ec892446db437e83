package io.mongolock.interceptor;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Currency;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.aopalliance.intercept.MethodInvocation;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

import io.mongolock.InvalidLockKeyException;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.OnLost;
import io.mongolock.OnUnavailable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LockKeyEvaluator}.
 */
class LockKeyEvaluatorTests {

	static final List<Arguments> values = List.of(Arguments.of("a:b", "a:b"), Arguments.of("$$NOW", "$$NOW"),
			Arguments.of("a\nb", "a\nb"), Arguments.of(42L, "42"), Arguments.of((short) 7, "7"),
			Arguments.of(BigInteger.TEN, "10"), Arguments.of(new BigDecimal("1.00"), "1"),
			Arguments.of(new BigDecimal("1.0"), "1"), Arguments.of(new BigDecimal("100"), "100"),
			Arguments.of(new BigDecimal("0.00"), "0"), Arguments.of(new BigDecimal("1E+1000000000"), "1E+1000000000"),
			Arguments.of('c', "c"), Arguments.of(true, "true"), Arguments.of(new StringBuilder("text"), "text"),
			Arguments.of(DayOfWeek.MONDAY, "MONDAY"), Arguments.of(Size.LARGE, "LARGE"),
			Arguments.of(new UUID(0, 1), "00000000-0000-0000-0000-000000000001"),
			Arguments.of(new ObjectId("0123456789abcdef01234567"), "0123456789abcdef01234567"),
			Arguments.of(Currency.getInstance("EUR"), "EUR"), Arguments.of(Instant.EPOCH, "1970-01-01T00:00:00Z"),
			Arguments.of(LocalDate.of(2026, 1, 2), "2026-01-02"),
			Arguments.of(LocalDateTime.of(2026, 1, 2, 3, 0), "2026-01-02T03:00"), Arguments.of(LocalTime.NOON, "12:00"),
			Arguments.of(Year.of(2026), "2026"), Arguments.of(YearMonth.of(2026, 1), "2026-01"),
			Arguments.of(Duration.ofSeconds(90), "PT1M30S"), Arguments.of(Period.ofDays(1), "P1D"),
			Arguments.of(new Id(3), "Id[n=3]"), Arguments.of(new Line(new Id(3), "a"), "Line[id=Id[n=3], text=a]"),
			Arguments.of(new Line(null, ""), "Line[id, text=]"),
			Arguments.of(new Line(null, "a, id=b]\\"), "Line[id, text=a\\, id\\=b\\]\\\\]"),
			Arguments.of(new Line(null, null), "Line[id, text]"),
			Arguments.of(new Line(null, "null"), "Line[id, text=null]"));

	static final List<Arguments> refused = List.of(Arguments.of(null, "the value is null"), Arguments.of("", "blank"),
			Arguments.of(" \t", "blank"), Arguments.of(new Order(1), "Order, whose toString()"),
			Arguments.of(new Object(), "such as the id"), Arguments.of(new Dollar(), "Dollar, whose toString()"),
			Arguments.of(Map.of(), "one key"), Arguments.of(Optional.of("a"), "for example by get()"),
			Arguments.of(List.of("a").iterator(), "one key"), Arguments.of(new byte[] { 1 }, "byte[]"),
			Arguments.of(new char[] { 'a' }, "char[]"), Arguments.of(List.of(), "condition = \"!#ids.isEmpty()\""),
			Arguments.of(new int[0], "condition = \"#ids.length > 0\""),
			Arguments.of(Stream.empty(), "the value is empty"),
			Arguments.of(Arrays.asList("a", null), "element 1: the value is null"),
			Arguments.of(List.of("a", 1.5), "element 1: "), Arguments.of(List.of(" "), "element 0: "),
			Arguments.of(List.of(List.of("a")), "one key"),
			Arguments.of(IntStream.rangeClosed(0, SeveralKeys.MAX), "more than 256 elements"),
			Arguments.of(new Date(0), "Pick an Instant"), Arguments.of(new Timestamp(0), "time zone"),
			Arguments.of(Calendar.getInstance(), "time zone"),
			Arguments.of(ZonedDateTime.of(2026, 1, 2, 3, 0, 0, 0, ZoneOffset.UTC), "toInstant()"),
			Arguments.of(OffsetDateTime.of(2026, 1, 2, 3, 0, 0, 0, ZoneOffset.UTC), "toInstant()"),
			Arguments.of(1.5, "version of Java"), Arguments.of(Double.NaN, "version of Java"),
			Arguments.of(1.5f, "version of Java"), Arguments.of(new AtomicInteger(1), "AtomicInteger"),
			Arguments.of(URI.create("a:b"), "To use the text as the key, call toString()"),
			Arguments.of(Path.of("a"), "whose toString()"), Arguments.of(Locale.GERMAN, "whose toString()"),
			Arguments.of(String.class, "whose toString()"),
			Arguments.of(new Lines(new int[] { 1 }),
					"component 'numbers' cannot be part of a key: the value is a int[]"),
			Arguments.of("x".repeat(1025), "at most 1024 bytes"), Arguments.of("\ud83d", "surrogate"));

	static final List<Arguments> severalValues = List.of(Arguments.of(List.of(2, 1, 2)),
			Arguments.of((Object) new int[] { 2, 1, 2 }), Arguments.of((Object) new String[] { "2", "1", "2" }),
			Arguments.of(Stream.of(2L, 1L, 2L)), Arguments.of(IntStream.of(2, 1, 2)),
			Arguments.of((Iterable<String>) List.of("2", "1", "2")::iterator),
			Arguments.of(List.of(2, "1", new BigDecimal("2.0"))));

	private final LockKeyEvaluator evaluator = new LockKeyEvaluator(
			new StaticListableBeanFactory(Map.of("tenants", new Tenants())));

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			#id                            | 7
			#p0                            | 7
			#a0                            | 7
			#order.id                      | 42
			#order.getId()                 | 42
			#p1.id + '-' + #id             | 42-7
			#root.args[0]                  | 7
			#root.method.name              | pay
			#root.methodName               | pay
			#root.target.region            | eu
			#root.targetClass.simpleName   | Service
			target.region                  | eu
			@tenants.current() + ':' + #id | t1:7
			'fixed'                        | fixed
			T(java.lang.Math).abs(-3)      | 3
			#id > 5 ? 'big' : 'small'      | big
			""")
	void expressions(String expression, String expected) {
		assertThat(request(null, expression, 7, new Order(42)).key()).isEqualTo(expected);
	}

	@ParameterizedTest
	@CsvSource({ "#a1, first", "#a2, second", "#p0, first", "#a0, first", "#p1, second" })
	void theNameOfAParameterWinsOverAPosition(String expression, String expected) throws NoSuchMethodException {
		Method method = Service.class.getDeclaredMethod("merge", String.class, String.class);
		LockedCall call = new LockedCall(LockedMethod.of(method, Service.class, new AsyncResultDetector()),
				new SimpleInvocation(method, new Service(), new Object[] { "first", "second" }));
		assertThat(this.evaluator.requests(operation(null, expression), call)).singleElement()
			.returns(expected, LockRequest::key);
	}

	@ParameterizedTest
	@FieldSource("values")
	void valuesBecomeText(Object value, String expected) {
		assertThat(request("order", "#id", value, null).key()).isEqualTo("order:" + expected);
		assertThat(LockRequest.of("order", value)).as("a request made in code")
			.returns("order", LockRequest::name)
			.returns("order:" + expected, LockRequest::key);
	}

	@ParameterizedTest
	@FieldSource("refused")
	void valuesThatAreNoKeyAreRefused(Object value, String reason) {
		assertThatIllegalArgumentException().isThrownBy(() -> request(null, "#id", value, null))
			.withMessageContaining("Service.pay(Object, Order)")
			.withMessageContaining("'#id'")
			.withMessageContaining(reason);
	}

	@Test
	void failedExpressionNamesMethodAndExpression() {
		assertThatIllegalArgumentException().isThrownBy(() -> request("order", "#order.id", 7, null))
			.withMessageContaining("Service.pay(Object, Order)")
			.withMessageContaining("'#order.id'")
			.withMessageContaining("EL1007E");
	}

	@ParameterizedTest
	@FieldSource("severalValues")
	void eachElementIsAKey(Object value) {
		assertThat(requests("order", "#id", value, null)).extracting(LockRequest::key)
			.containsExactly("order:2", "order:1", "order:2");
	}

	@Test
	void aStreamIsClosed() {
		AtomicInteger closed = new AtomicInteger();
		requests("order", "#id", Stream.of("a", "b").onClose(closed::incrementAndGet), null);
		assertThat(closed).hasValue(1);
	}

	@Test
	void severalKeysOfProjectedArguments() {
		assertThat(requests("order", "#id.![id]", List.of(new Order(1), new Order(2)), null))
			.extracting(LockRequest::key)
			.containsExactly("order:1", "order:2");
	}

	@Test
	void anExceptionInsideTheExpressionReachesTheCallerAndTellsWhere() {
		assertThatExceptionOfType(StringIndexOutOfBoundsException.class)
			.isThrownBy(() -> request(null, "#id.substring(5)", "abc", null))
			.satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement()
				.extracting(Throwable::getMessage)
				.asString()
				.contains("Service.pay(Object, Order) from the expression '#id.substring(5)'"));
	}

	@Test
	void anExceptionThrownTwiceInsideTheExpressionTellsOnlyOnceWhere() {
		IllegalStateException same = new IllegalStateException("by test");
		Supplier<Object> failing = () -> {
			throw same;
		};
		for (int i = 0; i < 2; i++) {
			assertThatIllegalStateException().isThrownBy(() -> request(null, "#id.get()", failing, null))
				.isSameAs(same);
		}
		assertThat(same.getSuppressed()).hasSize(1);
	}

	@Test
	void theTargetClassIsTheOneBehindAFurtherProxy() {
		Object proxy = new ProxyFactory(new Service()).getProxy();
		LockedMethod called = LockedMethod.of(method(), proxy.getClass(), new AsyncResultDetector());
		LockedCall call = new LockedCall(called, new SimpleInvocation(method(), proxy, new Object[] { 7, null }));
		assertThat(this.evaluator.requests(operation(null, "#root.targetClass.simpleName"), call)).singleElement()
			.returns("Service", LockRequest::key);
	}

	@Test
	void aDocumentHasOneId() {
		assertThatExceptionOfType(InvalidLockKeyException.class)
			.isThrownBy(() -> this.evaluator.id(operation(null, "#id"), call(List.of(1), null)))
			.withMessageContaining("Service.pay(Object, Order) from the expression '#id'")
			.withMessageContaining("a document is locked by one id");
		assertThat(this.evaluator.id(operation(null, "#id"), call(7, null))).isEqualTo(7);
	}

	@Test
	void nameAloneIsTheKey() {
		assertThat(request("nightly", null, 7, null)).returns("nightly", LockRequest::key)
			.returns("nightly", LockRequest::name);
	}

	@Test
	void keyAloneHasNoName() {
		assertThat(request(null, "#id", 7, null)).returns("7", LockRequest::key).returns(null, LockRequest::name);
	}

	@Test
	void equalRecordsWithAnArrayAreNoKeyAsTheyWouldDiffer() {
		assertThatIllegalArgumentException().isThrownBy(() -> request("order", "#id", new Lines(new int[] { 1 }), null))
			.withMessageContaining("Service.pay(Object, Order)")
			.withMessageContaining("Pick one value");
	}

	@Test
	void keyIsEvaluatedOnce() {
		Map<String, Integer> calls = new HashMap<>();
		CharSequence counted = (CharSequence) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { CharSequence.class },
				(proxy, method, args) -> "call" + calls.merge(method.getName(), 1, Integer::sum));
		assertThat(request(null, "#id", counted, null).key()).isEqualTo("call1");
		assertThat(calls).containsOnly(Map.entry("toString", 1));
	}

	private LockRequest request(String name, String key, Object id, Order order) {
		return requests(name, key, id, order).get(0);
	}

	private List<LockRequest> requests(String name, String key, Object id, Order order) {
		return this.evaluator.requests(operation(name, key), call(id, order));
	}

	private static LockOperation operation(String name, String key) {
		return new LockOperation(method(), name, key, null, null, LockSettings.NONE, OnUnavailable.FAIL, null, null,
				OnLost.FAIL);
	}

	private static LockedCall call(Object id, Order order) {
		LockedMethod called = LockedMethod.of(method(), Service.class, new AsyncResultDetector());
		return new LockedCall(called, new SimpleInvocation(method(), new Service(), new Object[] { id, order }));
	}

	private static Method method() {
		try {
			return Service.class.getDeclaredMethod("pay", Object.class, Order.class);
		}
		catch (NoSuchMethodException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private record SimpleInvocation(Method method, Object target, Object[] args) implements MethodInvocation {

		@Override
		public Method getMethod() {
			return this.method;
		}

		@Override
		public Object[] getArguments() {
			return this.args;
		}

		@Override
		public Object proceed() {
			throw new AssertionError("not meant to run");
		}

		@Override
		public Object getThis() {
			return this.target;
		}

		@Override
		public AccessibleObject getStaticPart() {
			return this.method;
		}

	}

	public static class Service {

		public String getRegion() {
			return "eu";
		}

		void pay(Object id, Order order) {
		}

		void merge(String a1, String a2) {
		}

	}

	public static class Tenants {

		public String current() {
			return "t1";
		}

	}

	public static class Order {

		private final int id;

		Order(int id) {
			this.id = id;
		}

		public int getId() {
			return this.id;
		}

	}

	record Id(int n) {

	}

	record Line(Id id, String text) {

	}

	record Lines(int[] numbers) {

	}

	enum Size {

		LARGE {

			@Override
			public String toString() {
				return "large today";
			}

		}

	}

	static class Dollar {

		@Override
		public String toString() {
			return "$$NOW";
		}

	}

}
