package io.mongolock.autoconfigure;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;
import org.springframework.samples.clinic.Clinic;

import io.mongolock.LockContext;
import io.mongolock.LockMode;
import io.mongolock.LockOperations;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.interceptor.RecordingLockOperations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests for the checks at startup.
 */
class StartupCheckTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withBean(LockOperations.class, RecordingLockOperations::new)
		.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class));

	@Test
	void mistakesAreRefusedAlsoWithLazyInitializationOfEverything() {
		assertThatException().isThrownBy(() -> runLazily("--mongo-lock.ttl=1ms"))
			.withStackTraceContaining("must be at least 100ms");
		assertThatException().isThrownBy(() -> runLazily("", RefusedDeclarationTests.FinalMethod.class))
			.withStackTraceContaining("is final");
	}

	private static void runLazily(String argument, Class<?>... beans) {
		new SpringApplicationBuilder(LazyConfiguration.class).sources(beans)
			.web(WebApplicationType.NONE)
			.lazyInitialization(true)
			.bannerMode(Banner.Mode.OFF)
			.run(argument)
			.close();
	}

	@Test
	void aKeyOfATypeThatOnlyTheCallKnowsIsFine() {
		this.runner.withBean(OpenKeys.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void aSharedMethodWhoseNameHasALimitIsRefused() {
		this.runner.withBean(SharedLock.class).withPropertyValues("mongo-lock.locks.catalog.limit=5").run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("limit 5 is set for the name of the lock, but the request is shared, and shared "
						+ "requests have no limit");
			assertThat(new LockStartupFailureAnalyzer().analyze(context.getStartupFailure()).getAction())
				.contains("mongo-lock.locks.catalog.*");
		});
	}

	@Test
	void configuredMarginAgainstOwnTtl() {
		this.runner.withBean(OwnTtl.class).withPropertyValues("mongo-lock.margin=5s").run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).rootCause().hasMessageContaining("shorter than the ttl (4000ms)");
			assertThat(new LockStartupFailureAnalyzer().analyze(context.getStartupFailure()).getAction())
				.contains("mongo-lock.locks.order.*");
		});
	}

	@Test
	void aNameThatNoPlainPropertyCanSayIsWrittenInBrackets() {
		this.runner.withBean(OddName.class).withPropertyValues("mongo-lock.margin=5s").run((context) -> {
			assertThat(context).hasFailed();
			assertThat(new LockStartupFailureAnalyzer().analyze(context.getStartupFailure()).getAction())
				.contains("mongo-lock.locks[order:pay].*");
		});
		assertThat(new LockProperty("order.pay", "ttl").fullName()).isEqualTo("mongo-lock.locks[order.pay].ttl");
	}

	@Test
	void aNameThatIsItsOwnPositionMeansOneThing() {
		this.runner.withBean(OwnPosition.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void theWayOutIsAPositionThatMeansOneThing() {
		Map.of(RefusedKeyTests.NameAndPosition.class, "or write #p0 in its place.", PositionAsName.class,
				"or write #a0 in its place.")
			.forEach((type, action) -> this.runner.withBean(type)
				.run((context) -> assertThat(
						new LockStartupFailureAnalyzer().analyze(context.getStartupFailure()).getAction())
					.endsWith(action)));
	}

	@Test
	void whenAKeyHasANameOfAnInterfaceThenTheWayOutIsTheNameInTheClass() {
		this.runner.withBean(OtherName.class)
			.run((context) -> assertThat(
					new LockStartupFailureAnalyzer().analyze(context.getStartupFailure()).getAction())
				.contains("If OtherName is compiled with -parameters, you can write the parameter's name in OtherName "
						+ "instead"));
	}

	@Test
	void finalMethodOfAnInterfaceProxyIsFine() {
		this.runner.withBean(Task.class, FinalTask::new)
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> assertThat(context.getBean(Task.class).run()).isEqualTo("task"));
	}

	@Test
	void methodOfAGenericInterfaceProxyIsFine() {
		this.runner.withBean(Handler.class, TextHandler::new)
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> assertThat(handle(context.getBean(Handler.class), "a")).isEqualTo("text:a"));
	}

	@SuppressWarnings("unchecked")
	private static Object handle(Handler<?> handler, String text) {
		return ((Handler<String>) handler).handle(text);
	}

	@Test
	void callbacksOfTheContainerAreRefused() {
		for (Class<?> type : List.of(Initializing.class, Disposable.class, Stopping.class)) {
			this.runner.withBean(type)
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.isInstanceOf(InvalidLockMethodException.class)
					.hasMessageContaining("is a callback, which the container calls on the object itself"));
		}
	}

	@Test
	void methodThatAnInterfaceProxyDoesNotHave() {
		this.runner.withBean(Task.class, BeyondTask::new)
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockMethodException.class)
				.hasMessageContaining(
						"BeyondTask.beyond() is declared in no interface that the bean's proxy implements"));
	}

	@Test
	void primitiveResultIsFineUnlessSkipped() {
		this.runner.withBean(Good.class).run((context) -> {
			assertThat(context.getBean(Good.class).number()).isOne();
			assertThat(context.getBean(Good.class).skipped()).isNull();
		});
	}

	@Test
	void finishedObjectWithoutProxyIsRefused() {
		this.runner.withInitializer((context) -> context.getBeanFactory().registerSingleton("finished", new Good()))
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLockMethodException.class)
				.hasMessageContaining("Bean 'finished'")
				.hasMessageContaining("no proxy"));
	}

	@Test
	void beanThatIsCreatedTooEarlyIsRefused() {
		this.runner.withUserConfiguration(EarlyConfiguration.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLockMethodException.class)
				.hasMessageContaining("Bean 'good'")
				.hasMessageContaining("@Lazy"));
	}

	@Test
	void aClassWhosePackageBeginsAsTheFrameworksDoIsLocked() {
		this.runner.withBean(Clinic.class)
			.run((context) -> assertThat(context.getBean(Clinic.class).visit()).isEqualTo("visit"));
	}

	@Test
	void productOfAFactoryBeanIsProxied() {
		this.runner.withBean("task", ProxyingFactory.class)
			.run((context) -> assertThat(context.getBean(Task.class).run()).isEqualTo("task"));
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(MongoLockAutoConfiguration.class)
	static class LazyConfiguration {

		@Bean
		LockOperations locks() {
			return new RecordingLockOperations();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyConfiguration {

		@Bean
		static Early early(Good good) {
			return new Early();
		}

		@Bean
		static Good good() {
			return new Good();
		}

	}

	static class Early implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

	static class Good {

		@DistributedLock("good")
		int number() {
			return 1;
		}

		@DistributedLock(name = "good", onUnavailable = OnUnavailable.SKIP)
		Integer skipped() {
			return null;
		}

	}

	interface Task {

		@DistributedLock("task")
		String run();

	}

	static final class FinalTask implements Task {

		@Override
		public String run() {
			return LockContext.current().key();
		}

	}

	static class BeyondTask implements Task {

		@Override
		public String run() {
			return "";
		}

		@DistributedLock("task")
		void beyond() {
		}

	}

	interface Handler<T> {

		Object handle(T what);

	}

	static class TextHandler implements Handler<String> {

		@Override
		@DistributedLock(name = "text", key = "#what")
		public Object handle(String what) {
			return LockContext.current().key();
		}

	}

	static class OddName {

		@DistributedLock(name = "order:pay", ttl = "4s")
		void run() {
		}

	}

	static class OwnPosition {

		@DistributedLock(key = "#p0 + #a1")
		void with(String p0, String a1) {
		}

	}

	static class PositionAsName {

		@DistributedLock(key = "#p1")
		void run(String p1, String p0) {
		}

	}

	static class Initializing implements InitializingBean {

		@Override
		@DistributedLock("a")
		public void afterPropertiesSet() {
		}

	}

	static class Disposable implements DisposableBean {

		@Override
		@DistributedLock("a")
		public void destroy() {
		}

	}

	static class Stopping implements SmartLifecycle {

		@Override
		public void start() {
		}

		@Override
		@DistributedLock("a")
		public void stop() {
		}

		@Override
		public boolean isRunning() {
			return false;
		}

	}

	/** As a repository: a proxy whose target does not know the interface. */
	static class ProxyingFactory implements FactoryBean<Task> {

		@Override
		public Task getObject() {
			ProxyFactory factory = new ProxyFactory(new Object());
			factory.setInterfaces(Task.class);
			factory
				.addAdvice((org.aopalliance.intercept.MethodInterceptor) (invocation) -> LockContext.current().key());
			return (Task) factory.getProxy();
		}

		@Override
		public Class<?> getObjectType() {
			return Task.class;
		}

	}

	static class SharedLock {

		@DistributedLock(name = "catalog", mode = LockMode.SHARED)
		void run() {
		}

	}

	static class OwnTtl {

		@DistributedLock(name = "order", ttl = "4s")
		void run() {
		}

	}

	public static class OpenKeys {

		@DistributedLock(key = "#order.ref + #order.open + #order.shown + @environment.toString()")
		void known(Bean order) {
		}

		@DistributedLock(key = "#order.anything")
		void ofAnInterface(Comparable<?> order) {
		}

		@DistributedLock(key = "#order?.ref")
		void ofAnOptional(Optional<Bean> order) {
		}

		@DistributedLock(key = "#id")
		void object(Object id) {
		}

		@DistributedLock(key = "#id")
		void comparable(Comparable<?> id) {
		}

		@DistributedLock(key = "#ids[0]")
		void element(List<String> ids) {
		}

		@DistributedLock(key = "#ids")
		void all(List<? extends Number> ids) {
		}

		@DistributedLock(key = "#ids")
		void raw(@SuppressWarnings("rawtypes") Iterable ids) {
		}

		@DistributedLock(key = "#node.names")
		void lazily(Names node) {
		}

		@DistributedLock(key = "#ids['order']")
		void entry(Map<String, String> ids) {
		}

		@DistributedLock(key = "#ids[order]")
		void bareEntry(Map<String, String> ids) {
		}

		@DistributedLock(key = "{order: #ids[order]}.values() + #ids.?[value != null].keySet().![length()]")
		void mapped(Map<String, String> ids) {
		}

		@DistributedLock(key = "#node.?[name != null].first.name")
		void selected(List<Node> node) {
		}

		@DistributedLock(key = "methodName + '-' + args[0] + (#id ?: 'none')")
		void root(String id) {
		}

		@DistributedLock(key = "#node")
		void recursive(Node node) {
		}

		record Names(IntStream names) {

		}

		record Node(String name, Node next) {

		}

		public static class Bean {

			public String shown = "";

			public String getRef() {
				return "";
			}

			public boolean isOpen() {
				return true;
			}

			String name() {
				return "";
			}

		}

	}

	interface Named {

		@DistributedLock(key = "#order")
		void run(String order);

	}

	static class OtherName implements Named {

		@Override
		public void run(String id) {
		}

	}

}
