package io.mongolock.test;

import java.util.List;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.mongolock.annotation.AnnotationLockOperationSource;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.store.LockStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link SelfCalls}.
 */
class SelfCallsTests {

	static final List<Arguments> seen = List.of(Arguments.of(Direct.class, "Direct.all() calls pay(String)"),
			Arguments.of(Computed.class, "Computed.all() calls pay(String, long)"),
			Arguments.of(Varargs.class, "Varargs.all() calls pay(String[])"),
			Arguments.of(Ternary.class, "Ternary.all() calls pay(String)"),
			Arguments.of(InLambda.class, "InLambda.all() calls pay(String)"),
			Arguments.of(InLambdaOfLambda.class, "InLambdaOfLambda.all() calls pay(String)"),
			Arguments.of(Reference.class, "Reference.all() calls pay(String)"),
			Arguments.of(OfSuper.class, "OfSuper.all() calls pay(String)"),
			Arguments.of(InSuper.class, "CallingBase.all() calls pay(String)"),
			Arguments.of(Generic.class, "GenericBase.all() calls pay(Object)"),
			Arguments.of(InDefault.class, "Contract.all() calls pay(String)"),
			Arguments.of(InAnonymous.class, "InAnonymous.all() calls pay(String)"),
			Arguments.of(InInner.class, "InInner$Job.run() calls pay(String)"),
			Arguments.of(Renamed.class, "Renamed.all() calls pay(String)"),
			Arguments.of(RenamedInLambda.class, "RenamedInLambda.all() calls pay(String)"),
			Arguments.of(Repeated.class, "Repeated.pay() calls pay(String)"),
			Arguments.of(Sometimes.class, "Sometimes.sometimes() calls always(boolean)"));

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class))
		.withBean(LockStore.class, InMemoryLockStore::new);

	@ParameterizedTest
	@FieldSource("seen")
	void aCallOnTheObjectItselfIsNamed(Class<?> type, String call) {
		assertThat(SelfCalls.find(type, new AnnotationLockOperationSource((text) -> text, "")))
			.containsExactly(SelfCallsTests.class.getName() + "$" + call);
	}

	@ParameterizedTest
	@ValueSource(classes = { Injected.class, InjectedOrSelf.class, Reassigned.class, HasTheLock.class,
			HasTheLockInLambda.class, Overriding.class, OfAnother.class })
	void anotherCallIsNot(Class<?> type) {
		assertThat(SelfCalls.find(type, new AnnotationLockOperationSource((text) -> text, ""))).isEmpty();
	}

	@Test
	void allBeansOfAnApplicationAreLookedAt() {
		this.runner.withBean(Direct.class)
			.withBean(Injected.class)
			.withBean(InDefault.class, InDefault::new, (definition) -> definition.setLazyInit(true))
			.run((context) -> assertThatExceptionOfType(AssertionError.class)
				.isThrownBy(() -> SelfCalls.assertNone(context))
				.withMessageContaining("Direct.all() calls pay(String)")
				.withMessageContaining("Contract.all() calls pay(String)")
				.withMessageContaining("Move the method"));
		this.runner.withBean(Injected.class)
			.run((context) -> assertThatNoException().isThrownBy(() -> SelfCalls.assertNone(context)));
	}

	static class Base {

		@DistributedLock(name = "order", key = "#p0")
		void pay(String id) {
		}

	}

	static class Direct extends Base {

		void all() {
			pay("a");
		}

	}

	static class Computed {

		private final List<String> ids = List.of("a");

		@DistributedLock(name = "order", key = "#p0")
		void pay(String id, long amount) {
		}

		void all() {
			pay(this.ids.get(0).trim() + "b", Long.parseLong("1") * 2);
		}

	}

	static class Varargs {

		@DistributedLock(name = "order", key = "#p0")
		void pay(String... ids) {
		}

		void all() {
			pay("a", "b");
		}

	}

	static class Ternary extends Base {

		void all(boolean first) {
			pay((first) ? "a" : "b");
		}

	}

	static class InLambda extends Base {

		Runnable all() {
			return () -> pay("a");
		}

	}

	static class InLambdaOfLambda extends Base {

		void all(List<List<String>> ids) {
			ids.forEach((some) -> some.forEach((id) -> pay(id.trim())));
		}

	}

	static class Reference extends Base {

		void all(List<String> ids) {
			ids.forEach(this::pay);
		}

	}

	static class OfSuper extends Base {

		void all() {
			super.pay("a");
		}

	}

	abstract static class CallingBase {

		void all() {
			pay("a");
		}

		abstract void pay(String id);

	}

	static class InSuper extends CallingBase {

		@Override
		@DistributedLock(name = "order", key = "#p0")
		void pay(String id) {
		}

	}

	abstract static class GenericBase<T> {

		void all(T id) {
			pay(id);
		}

		abstract void pay(T id);

	}

	static class Generic extends GenericBase<String> {

		@Override
		@DistributedLock(name = "order", key = "#p0")
		void pay(String id) {
		}

	}

	interface Contract {

		void pay(String id);

		default void all() {
			pay("a");
		}

	}

	static class InDefault implements Contract {

		@Override
		@DistributedLock(name = "order", key = "#p0")
		public void pay(String id) {
		}

	}

	static class InAnonymous extends Base {

		Runnable all() {
			return new Runnable() {

				@Override
				public void run() {
					pay("a");
				}

			};
		}

	}

	static class InInner extends Base {

		class Job implements Runnable {

			@Override
			public void run() {
				pay("a");
			}

		}

	}

	static class Renamed extends Base {

		void all() {
			Renamed self = this;
			self.pay("a");
		}

	}

	static class RenamedInLambda extends Base {

		void all(List<String> ids) {
			Base self = this;
			ids.forEach((id) -> self.pay(id));
		}

	}

	static class Repeated {

		@DistributedLock(name = "refund")
		void pay() {
			pay("a");
		}

		@DistributedLock(name = "order", key = "#p0")
		void pay(String id) {
		}

	}

	static class Sometimes {

		@DistributedLock(name = "a", condition = "#p0")
		void sometimes(boolean needed) {
			always(needed);
			other(needed);
		}

		@DistributedLock(name = "a", condition = "#p0")
		void other(boolean needed) {
		}

		@DistributedLock("a")
		void always(boolean needed) {
			sometimes(needed);
		}

	}

	static class Injected extends Base {

		private Injected self;

		Consumer<String> all(Injected other) {
			this.self.pay("a");
			other.pay("a");
			Runnable later = () -> other.pay("b");
			later.run();
			return this.self::pay;
		}

		void set(Injected self) {
			this.self = self;
		}

	}

	static class InjectedOrSelf extends Base {

		private Base self;

		void all(boolean proxied) {
			((proxied) ? this.self : this).pay("a");
		}

		void set(Base self) {
			this.self = self;
		}

	}

	static class Reassigned extends Base {

		void all(List<Base> others) {
			Base current = this;
			for (Base other : others) {
				current.pay("a");
				current = other;
			}
		}

	}

	static class HasTheLock {

		@DistributedLock(name = "order", key = "#p0")
		void pay(String id) {
			again(id);
		}

		@DistributedLock(name = "order", key = "#p0")
		void again(String id) {
		}

	}

	static class HasTheLockInLambda {

		@DistributedLock("order")
		void pay(List<String> ids) {
			ids.forEach((id) -> one(id));
		}

		@DistributedLock("order")
		void one(String id) {
		}

	}

	static class Overriding extends Base {

		@Override
		@DistributedLock(name = "override", key = "#p0")
		void pay(String id) {
			unlocked(id);
		}

		void unlocked(String id) {
		}

	}

	static class OfAnother extends Base {

		private final Direct direct = new Direct();

		void all() {
			this.direct.pay("a");
		}

	}

}
