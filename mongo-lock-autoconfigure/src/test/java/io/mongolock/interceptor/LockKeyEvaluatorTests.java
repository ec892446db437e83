package io.mongolock.interceptor;

import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.util.Calendar;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.OnLost;
import io.mongolock.OnUnavailable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link LockKeyEvaluator}.
 */
class LockKeyEvaluatorTests {

	static final List<Arguments> values = List.of(Arguments.of("a:b", "a:b"), Arguments.of(42L, "42"),
			Arguments.of('c', "c"), Arguments.of(true, "true"), Arguments.of(new StringBuilder("text"), "text"),
			Arguments.of(DayOfWeek.MONDAY, "MONDAY"), Arguments.of(LocalDate.of(2026, 1, 2), "2026-01-02"),
			Arguments.of(new UUID(0, 1), "00000000-0000-0000-0000-000000000001"),
			Arguments.of(URI.create("a:b"), "a:b"), Arguments.of(Path.of("a"), "a"), Arguments.of(new Id(3), "Id[n=3]"),
			Arguments.of(new Dollar(), "$$NOW"));

	static final List<Arguments> refused = List.of(Arguments.of(null, "-parameters"), Arguments.of("", "blank"),
			Arguments.of(" \t", "blank"), Arguments.of(new Order(1), "no toString() of its own"),
			Arguments.of(new Object(), "no toString() of its own"), Arguments.of(List.of(1), "one key"),
			Arguments.of(Map.of(), "one key"), Arguments.of(new int[0], "one key"),
			Arguments.of(new String[] { "a" }, "one key"), Arguments.of(Optional.of("a"), "one key"),
			Arguments.of(Stream.of("a"), "one key"), Arguments.of(List.of("a").iterator(), "one key"),
			Arguments.of(new Date(0), "pick an Instant"), Arguments.of(new Timestamp(0), "time zone"),
			Arguments.of(Calendar.getInstance(), "time zone"), Arguments.of("x".repeat(1025), "at most 1024 bytes"),
			Arguments.of("\ud83d", "surrogate"));

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
	@FieldSource("values")
	void valuesBecomeText(Object value, String expected) {
		assertThat(request("order", "#id", value, null).key()).isEqualTo("order:" + expected);
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
	void keyIsEvaluatedOnce() {
		Map<String, Integer> calls = new HashMap<>();
		Object counted = new Object() {
			@Override
			public String toString() {
				return "call" + calls.merge("toString", 1, Integer::sum);
			}
		};
		assertThat(request(null, "#id", counted, null).key()).isEqualTo("call1");
	}

	private LockRequest request(String name, String key, Object id, Order order) {
		Object[] args = { id, order };
		Method method = method();
		LockOperation operation = new LockOperation(method, name, key, LockSettings.NONE, OnUnavailable.FAIL,
				OnLost.FAIL);
		return this.evaluator.request(operation, args, new Service(), Service.class);
	}

	private static Method method() {
		try {
			return Service.class.getDeclaredMethod("pay", Object.class, Order.class);
		}
		catch (NoSuchMethodException ex) {
			throw new IllegalStateException(ex);
		}
	}

	public static class Service {

		public String getRegion() {
			return "eu";
		}

		void pay(Object id, Order order) {
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

	static class Dollar {

		@Override
		public String toString() {
			return "$$NOW";
		}

	}

}
