package io.mongolock.interceptor.check;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ArgumentPath}.
 */
class ArgumentPathTests {

	@ParameterizedTest
	@ValueSource(strings = { "#id", "#p0", "#a1", "#order.id", "#order.address.city", "#order.new" })
	void plainPathsAreReadAsTheParserReadsThem(String expression) {
		DeclaredExpression declared = declared(expression);
		assertThat(ArgumentPath.of(declared)).isNotNull().isEqualTo(parsed(declared));
	}

	@ParameterizedTest
	@ValueSource(strings = { "#order?.id", "#order['id']", "#id + 1", "'id'", " #id", "#id ", "#", "#order.",
			"#order..id", "#order.id()", "id", "@bean", "#{id}", "#root", "#unknown", "#p3", "#mod", "#order.mod",
			"#order.LT.id" })
	void expressionsThatAreNoPlainPathAreLeftToTheParser(String expression) {
		assertThat(ArgumentPath.of(declared(expression))).isNull();
	}

	@Test
	void aNameThatMeansSomethingElseTooIsLeftToTheParser() {
		DeclaredExpression declared = new DeclaredExpression("key", "#p1",
				ReflectionUtils.findMethod(Orders.class, "ambiguous", Object.class, Object.class), Orders.class);
		assertThat(ArgumentPath.of(declared)).isNull();
	}

	@Test
	void aPropertyIsOnePropertyFurther() {
		assertThat(new ArgumentPath("order", List.of()).property("address").property("city"))
			.isEqualTo(new ArgumentPath("order", List.of("address", "city")));
	}

	private static ArgumentPath parsed(DeclaredExpression declared) {
		return new SpelNameCheck((bean) -> true).check(declared);
	}

	private static DeclaredExpression declared(String expression) {
		return new DeclaredExpression("key", expression,
				ReflectionUtils.findMethod(Orders.class, "pay", Object.class, Object.class, Object.class),
				Orders.class);
	}

	static class Orders {

		void pay(Object id, Object order, Object mod) {
		}

		void ambiguous(Object p1, Object other) {
		}

	}

}
