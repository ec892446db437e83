package io.mongolock.autoconfigure;

import java.lang.reflect.Method;

import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;
import org.springframework.util.ReflectionUtils;

import io.mongolock.annotation.DistributedLock;
import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.interceptor.RecordingLockOperations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for what a native image keeps of locked methods, by processing a context ahead of
 * time.
 */
class LockedMethodHintsTests {

	@Test
	void methodsCanBeCalledAndWhatTheirKeysReadCanBeRead() {
		RuntimeHints hints = process(Payments.class);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(method(Payments.class, "pay")))
			.accepts(hints);
		for (Method read : new Method[] { method(Order.class, "getCustomer"), method(Customer.class, "id"),
				method(CustomerId.class, "number") }) {
			assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(read)).as(read.toString()).accepts(hints);
		}
		assertThat(RuntimeHintsPredicates.reflection().onType(Unread.class)).rejects(hints);
	}

	@Test
	void methodsOfALockedClassCanBeCalledInheritedOnesIncluded() {
		RuntimeHints hints = process(Locked.class);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(method(Locked.class, "own"))).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(method(Base.class, "inherited")))
			.accepts(hints);
	}

	@Test
	void fallbacksCanBeCalledAndWhatConditionsReadCanBeRead() {
		RuntimeHints hints = process(Answering.class);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(method(Answering.class, "later")))
			.accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(method(CustomerId.class, "number")))
			.accepts(hints);
	}

	@Test
	void aMistakeEndsTheProcessing() {
		assertThatExceptionOfType(InvalidLockMethodException.class).isThrownBy(() -> process(Mistaken.class))
			.withMessageContaining("30 parsecs");
	}

	private static RuntimeHints process(Class<?> type) {
		DefaultGenerationContext generation = new DefaultGenerationContext(
				new ClassNameGenerator(ClassName.get("io.mongolock", "Generated")), new InMemoryGeneratedFiles());
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.register(MongoLockAutoConfiguration.class, type);
			context.registerBean(RecordingLockOperations.class);
			new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
		}
		return generation.getRuntimeHints();
	}

	private static Method method(Class<?> type, String name) {
		for (Method method : ReflectionUtils.getDeclaredMethods(type)) {
			if (method.getName().equals(name)) {
				return method;
			}
		}
		throw new IllegalArgumentException(name);
	}

	public static class Payments {

		@DistributedLock(name = "order", key = "#order.customer.id")
		void pay(Order order, long amount) {
		}

		@DistributedLock("settlement")
		void settle(Unread unread) {
		}

	}

	public static class Order {

		private final Customer customer = new Customer(new CustomerId(1));

		public Customer getCustomer() {
			return this.customer;
		}

	}

	record Customer(CustomerId id) {

	}

	record CustomerId(long number) {

	}

	record Unread(String text) {

	}

	@DistributedLock("base")
	public static class Base {

		public void inherited() {
		}

	}

	public static class Locked extends Base {

		public void own() {
		}

	}

	public static class Answering {

		@DistributedLock(name = "order", condition = "#id.number > 1", fallback = "later")
		void run(CustomerId id) {
		}

		private void later(CustomerId id) {
		}

	}

	public static class Mistaken {

		@DistributedLock(name = "order", ttl = "30 parsecs")
		void run() {
		}

	}

}
