package io.mongolock.autoconfigure;

import java.lang.annotation.RetentionPolicy;
import java.util.List;

import jakarta.annotation.PostConstruct;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.CustomScopeConfigurer;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.Ordered;

import io.mongolock.LockContext;
import io.mongolock.LockOperations;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.interceptor.RecordingLockOperations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests for {@code mongo-lock.verification}: methods that no proxy reaches.
 */
@ExtendWith(OutputCaptureExtension.class)
class VerificationTests {

	static final List<Arguments> unreachable = List.of(
			Arguments.of(RefusedDeclarationTests.PrivateMethod.class, "is private"),
			Arguments.of(RefusedDeclarationTests.StaticMethod.class, "is static"),
			Arguments.of(RefusedDeclarationTests.FinalMethod.class, "is final"),
			Arguments.of(RefusedDeclarationTests.FinalClass.class, "or its class is"),
			Arguments.of(Value.class, "Make the record a class"),
			Arguments.of(RefusedDeclarationTests.Callback.class, "is a callback"),
			Arguments.of(RefusedDeclarationTests.InheritedPackagePrivate.class, "is package-private"),
			Arguments.of(OverriddenCallback.class, "is a callback"), Arguments.of(LazyFinalMethod.class, "is final"),
			Arguments.of(PrototypeFinalMethod.class, "is final"),
			Arguments.of(InitMethod.class, "Worker.work() is a callback"),
			Arguments.of(LazyInitMethod.class, "Worker.work() is a callback"),
			Arguments.of(DestroyMethod.class, "Worker.work() is a callback"),
			Arguments.of(Closing.class, "Closing.close() is a callback"),
			Arguments.of(InferredMethod.class, "Stopping.shutdown() is a callback"),
			Arguments.of(EarlyByConfiguration.class, "has @DistributedLock methods, but no proxy"),
			Arguments.of(EarlyProduct.class, "has @DistributedLock methods, but no proxy"));

	static final List<Class<?>> wrong = List.of(RefusedDeclarationTests.BadDuration.class,
			RefusedDeclarationTests.ShortTtl.class, SkippedPrimitive.class);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withBean(LockOperations.class, RecordingLockOperations::new)
		.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class));

	@ParameterizedTest
	@FieldSource("unreachable")
	void aMethodThatNoProxyReachesIsRefused(Class<?> type, String problem) {
		this.runner.withUserConfiguration(type)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining(InvalidLockMethodException.class.getName())
				.hasStackTraceContaining(problem));
	}

	@Test
	void theInitMethodOfAFactoryIsNoneOfItsProduct() {
		this.runner.withUserConfiguration(InitMethodOfFactory.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@FieldSource("unreachable")
	void orWarnedOf(Class<?> type, String problem, CapturedOutput output) {
		this.runner.withUserConfiguration(type)
			.withPropertyValues("mongo-lock.verification=warn")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains(problem);
	}

	@ParameterizedTest
	@FieldSource("unreachable")
	void orNotLookedFor(Class<?> type, String problem, CapturedOutput output) {
		this.runner.withUserConfiguration(type)
			.withPropertyValues("mongo-lock.verification=off")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain(problem);
	}

	@ParameterizedTest
	@FieldSource("wrong")
	void aWrongDeclarationIsRefusedEvenIfVerificationIsOff(Class<?> type) {
		this.runner.withUserConfiguration(type)
			.withPropertyValues("mongo-lock.verification=off")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining(type.getSimpleName() + ".run() "));
	}

	@Test
	void aBeanWhoseTypeIsKnownOnlyWhenItIsMadeIsRefusedThen() {
		this.runner.withUserConfiguration(MadeLater.class).run((context) -> {
			assertThat(context).hasNotFailed();
			for (String name : List.of("lazy", "prototype")) {
				assertThatException().isThrownBy(() -> context.getBean(name))
					.withRootCauseInstanceOf(InvalidLockMethodException.class)
					.withStackTraceContaining(
							"FinalTask.beyond() cannot be overridden by a proxy, because the method or its class is final");
			}
		});
	}

	@Test
	void aProductThatNobodyMayWantIsNotMade() {
		this.runner.withUserConfiguration(LazyFactory.class).run((context) -> {
			assertThat(context).hasNotFailed();
			// the factory may be there, as others ask it for its type
			assertThat(context.getBean("&product", CountingFactory.class).made).isZero();
			assertThat(context.getBean("product", Task.class).run()).isEqualTo("task");
		});
	}

	@Test
	void aResultThatIsBoundedByItselfIsAccepted() {
		this.runner.withUserConfiguration(BoundedByItself.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void aMethodThatMakesABeanRunsUnderItsLockIfItIsNotStatic() {
		this.runner.withUserConfiguration(LockedBeanMethod.class)
			.run((context) -> assertThat(context.getBean("key")).isEqualTo("migration"));
	}

	@Test
	void anInnerClassIsProxied() {
		this.runner.withBean("inner", Inner.class, () -> new Inner())
			.run((context) -> assertThat(context.getBean(Inner.class).run()).isEqualTo("task"));
	}

	@Test
	void aBeanBehindTheProxyOfItsScopeIsGuarded() {
		this.runner.withUserConfiguration(Scoped.class).run((context) -> {
			context.getBean(Cart.class).buy();
			assertThat(context.getBean(RecordingLockOperations.class).request().key()).isEqualTo("cart");
		});
	}

	interface Task {

		@DistributedLock("task")
		String run();

	}

	record Value() {

		@DistributedLock("a")
		void run() {
		}

	}

	static class SkippedPrimitive {

		@DistributedLock(name = "a", onUnavailable = OnUnavailable.SKIP)
		int run() {
			return 1;
		}

	}

	static class Worker {

		@DistributedLock("work")
		void work() {
		}

	}

	static class Closing implements AutoCloseable {

		@Override
		@DistributedLock("drain")
		public void close() {
		}

	}

	public static class Stopping {

		@DistributedLock("drain")
		public void shutdown() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InferredMethod {

		@Bean
		Stopping stopping() {
			return new Stopping();
		}

	}

	static class BoundedByItself {

		@DistributedLock("most")
		<T extends Comparable<T>> T most(T one) {
			return one;
		}

		@DistributedLock("any")
		Enum<?> any() {
			return RetentionPolicy.SOURCE;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InitMethod {

		@Bean(initMethod = "work")
		Worker worker() {
			return new Worker();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyInitMethod {

		@Lazy
		@Bean(initMethod = "work")
		Worker worker() {
			return new Worker();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InitMethodOfFactory {

		@Lazy
		@Bean(initMethod = "work")
		WorkerFactory worker() {
			return new WorkerFactory();
		}

	}

	static class WorkerFactory implements FactoryBean<Worker> {

		void work() {
		}

		@Override
		public Worker getObject() {
			return new Worker();
		}

		@Override
		public Class<?> getObjectType() {
			return Worker.class;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class DestroyMethod {

		@Bean(destroyMethod = "work")
		Worker worker() {
			return new Worker();
		}

	}

	static class PlainTask implements Task {

		@Override
		public String run() {
			return LockContext.current().key();
		}

	}

	static class FinalTask extends PlainTask {

		@DistributedLock("task")
		final void beyond() {
		}

	}

	class Inner extends PlainTask {

	}

	/** A configuration that makes a post-processor is created before proxies are. */
	@Configuration(proxyBeanMethods = false)
	static class EarlyByConfiguration {

		EarlyByConfiguration(Task task) {
		}

		@Bean
		Early early() {
			return new Early();
		}

		@Configuration(proxyBeanMethods = false)
		static class Tasks {

			@Bean
			static PlainTask task() {
				return new PlainTask();
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyProduct {

		@Bean
		static Early early(Task task) {
			return new Early();
		}

		@Bean
		static TaskFactory task() {
			return new TaskFactory();
		}

	}

	static class Early implements BeanPostProcessor, Ordered {

		@Override
		public int getOrder() {
			return Ordered.HIGHEST_PRECEDENCE;
		}

	}

	static class TaskFactory implements FactoryBean<Task> {

		@Override
		public Task getObject() {
			return new PlainTask();
		}

		@Override
		public Class<?> getObjectType() {
			return Task.class;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyFinalMethod {

		@Bean
		@Lazy
		FinalMethodOfInterface lazy() {
			return new FinalMethodOfInterface();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrototypeFinalMethod {

		@Bean
		@Scope("prototype")
		FinalMethodOfInterface prototype() {
			return new FinalMethodOfInterface();
		}

	}

	static class FinalMethodOfInterface implements Runnable {

		@Override
		@DistributedLock("final")
		public final void run() {
		}

	}

	public static class Beginning {

		@PostConstruct
		public void begin() {
		}

	}

	/** The container calls what has the annotation, and so what overrides it. */
	static class OverriddenCallback extends Beginning {

		@Override
		@DistributedLock("begin")
		public void begin() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyFactory {

		@Bean
		@Lazy
		static CountingFactory product() {
			return new CountingFactory();
		}

		@Bean
		static Object user(@Qualifier("&product") CountingFactory factory) {
			return new Object();
		}

	}

	static class CountingFactory extends TaskFactory {

		private int made;

		@Override
		public Task getObject() {
			this.made++;
			return super.getObject();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MadeLater {

		@Bean
		@Lazy
		Task lazy() {
			return new FinalTask();
		}

		@Bean
		@Scope("prototype")
		Task prototype() {
			return new FinalTask();
		}

	}

	static class Cart {

		@DistributedLock("cart")
		void buy() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Scoped {

		@Bean
		static CustomScopeConfigurer scopes() {
			CustomScopeConfigurer scopes = new CustomScopeConfigurer();
			scopes.addScope("thread", new SimpleThreadScope());
			return scopes;
		}

		@Bean
		@Scope(value = "thread", proxyMode = ScopedProxyMode.TARGET_CLASS)
		Cart cart() {
			return new Cart();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LockedBeanMethod {

		@Bean
		@DistributedLock("migration")
		String key() {
			return LockContext.current().key();
		}

	}

}
