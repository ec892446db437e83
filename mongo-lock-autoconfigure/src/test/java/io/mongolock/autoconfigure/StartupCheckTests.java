package io.mongolock.autoconfigure;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Stream;

import jakarta.annotation.PostConstruct;
import kotlin.coroutines.Continuation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.reactivestreams.Publisher;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;
import org.springframework.http.ResponseEntity;
import org.springframework.samples.clinic.Clinic;
import org.springframework.scheduling.annotation.Async;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import reactor.core.publisher.Mono;

import io.mongolock.LockContext;
import io.mongolock.LockMode;
import io.mongolock.LockOperations;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.application.Base;
import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.interceptor.RecordingLockOperations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests for what is refused at startup.
 */
@ExtendWith(OutputCaptureExtension.class)
class StartupCheckTests {

	static final List<Arguments> refused = List.of(Arguments.of(PrivateMethod.class, "is private"),
			Arguments.of(StaticMethod.class, "is static"), Arguments.of(FinalMethod.class, "is final"),
			Arguments.of(FinalClass.class, "is final"), Arguments.of(FinalOfType.class, "is final"),
			Arguments.of(InheritedPrivate.class, "is private"), Arguments.of(Callback.class, "is a callback"),
			Arguments.of(Neither.class, "has neither a name nor a key"), Arguments.of(BadSpel.class, "not valid SpEL"),
			Arguments.of(ForgottenHash.class, "'order' is none of the properties of #root"),
			Arguments.of(TextAndArgument.class, "in which 'order' is none of the properties of #root"),
			Arguments.of(UnknownVariable.class, "refers to #ordr, but the call only knows [#a0, #order, #p0, #root"),
			Arguments.of(SpelName.class, "has the name 'order-#id', which looks like SpEL"),
			Arguments.of(TemplateName.class, "has the name '#{order}', which looks like SpEL"),
			Arguments.of(NoSuchBean.class, "refers to @noSuchBean, and there is no such bean"),
			Arguments.of(NoSuchProperty.class, "StartupCheckTests$NoSuchProperty$Order has no property 'idd'"),
			Arguments.of(NoSuchInnerProperty.class, "'a' + #order.line.artikle"),
			Arguments.of(PrivateProperty.class, "StartupCheckTests$PrivateProperty$Order has no property 'customer'"),
			Arguments.of(ObjectKey.class, "has the key '#order' of type " + ObjectKey.Order.class.getName()),
			Arguments.of(PropertyKey.class, "has the key '#order.lines' of type java.util.List, which has no text"),
			Arguments.of(RecordKey.class, "has the key '#p0' of type " + RecordKey.Id.class.getName()),
			Arguments.of(Unresolvable.class, "placeholder that no property fills"),
			Arguments.of(BadDuration.class, "which is no duration"),
			Arguments.of(ShortTtl.class, "must be at least 100ms"),
			Arguments.of(LongTtl.class, "half of mongo-lock.ttl-index.retention"),
			Arguments.of(PrimitiveSkip.class, "returns int"), Arguments.of(FutureResult.class, "returns a Future"),
			Arguments.of(StageResult.class, "returns a CompletionStage"),
			Arguments.of(CompletableResult.class, "returns a CompletableFuture"),
			Arguments.of(PublisherResult.class, "returns a Publisher"),
			Arguments.of(FlowResult.class, "returns a Publisher"),
			Arguments.of(CallableResult.class, "returns a Callable"),
			Arguments.of(StreamingResult.class, "returns a StreamingResponseBody"),
			Arguments.of(EntityResult.class, "returns a Mono"), Arguments.of(ListResult.class, "returns a Future"),
			Arguments.of(ArrayResult.class, "returns a Supplier"), Arguments.of(StreamResult.class, "returns a Stream"),
			Arguments.of(IteratorResult.class, "returns a Iterator"),
			Arguments.of(InheritedPackagePrivate.class, "is package-private in " + Base.class.getName()),
			Arguments.of(EmitterResult.class, "returns a SseEmitter"), Arguments.of(Suspend.class, "suspend"),
			Arguments.of(DocumentWithoutKey.class, "has document = Order.class and no key"),
			Arguments.of(DocumentWithLimit.class, "has document = Order.class and limit = \"3\""),
			Arguments.of(SharedDocument.class, "has document = Order.class and mode = SHARED"),
			Arguments.of(DocumentWithMinHold.class, "has document = Order.class and minHold = \"1m\""),
			Arguments.of(OfDocument.class, "has document = Order.class, and there is nothing to lock documents by"),
			Arguments.of(DocumentLater.class, "returns a CompletableFuture"),
			Arguments.of(AsyncVoid.class, "is also @Async"), Arguments.of(AsyncType.class, "is also @Async"));

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withBean(LockOperations.class, RecordingLockOperations::new)
		.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class));

	@ParameterizedTest
	@FieldSource("refused")
	void methodIsRefusedWithItsNameAndTheWayOut(Class<?> type, String problem) {
		this.runner.withBean(type).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = new InvalidLockMethodFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).contains(type.getName() + ".run(").contains(problem);
			assertThat(analysis.getAction()).endsWith(".").hasSizeGreaterThan(20);
		});
	}

	@ParameterizedTest
	@FieldSource("refused")
	void alsoWhenTheBeanIsLazy(Class<?> type, String problem) {
		BeanDefinition definition = BeanDefinitionBuilder.rootBeanDefinition(type)
			.setLazyInit(true)
			.getBeanDefinition();
		this.runner
			.withInitializer((context) -> ((BeanDefinitionRegistry) context).registerBeanDefinition("lazy", definition))
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLockMethodException.class)
				.hasMessageContaining(type.getName() + ".run(")
				.hasMessageContaining(problem));
	}

	@Test
	void mistakesAreRefusedAlsoWithLazyInitializationOfEverything() {
		assertThatException().isThrownBy(() -> runLazily("--mongo-lock.ttl=1ms"))
			.withStackTraceContaining("must be at least 100ms");
		assertThatException().isThrownBy(() -> runLazily("", FinalMethod.class)).withStackTraceContaining("is final");
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
				.hasMessageContaining("limit 5 is set for the name, and the request is shared");
			assertThat(new InvalidLockMethodFailureAnalyzer().analyze(context.getStartupFailure()).getAction())
				.contains("mongo-lock.locks.catalog.*");
		});
	}

	@Test
	void configuredMarginAgainstOwnTtl() {
		this.runner.withBean(OwnTtl.class).withPropertyValues("mongo-lock.margin=5s").run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).rootCause().hasMessageContaining("shorter than the ttl (4000ms)");
			assertThat(new InvalidLockMethodFailureAnalyzer().analyze(context.getStartupFailure()).getAction())
				.contains("mongo-lock.locks.order.*");
		});
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
		for (Class<?> type : List.of(Initializing.class, Disposable.class)) {
			this.runner.withBean(type)
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.isInstanceOf(InvalidLockMethodException.class)
					.hasMessageContaining("is a callback that the container calls on the object itself"));
		}
	}

	@Test
	void methodThatAnInterfaceProxyDoesNotHave() {
		this.runner.withBean(Task.class, BeyondTask::new)
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockMethodException.class)
				.hasMessageContaining("BeyondTask.beyond() is in none of its interfaces"));
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
	void callsWithinTheSameObjectAreWarnedOfWithMethodAndCaller(CapturedOutput output) {
		this.runner.withBean(Selfish.class).run((context) -> assertThat(context).hasNotFailed());
		String type = Selfish.class.getName();
		assertThat(output).contains(type + ".all() calls pay(String, long), a @DistributedLock method")
			.contains(type + ".later() calls pay(String, long)")
			.contains(SelfishBase.class.getName() + ".early() calls look()")
			.contains(type + ".refund() calls pay(String, long)")
			.doesNotContain(".other() calls", ".pay() calls", ".same() calls");
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

	abstract static class SelfishBase {

		void early() {
			look();
		}

		abstract void look();

	}

	static class Selfish extends SelfishBase {

		private final List<String> ids = List.of("a");

		@DistributedLock(key = "#id")
		void pay(String id, long amount) {
			if (amount > 1) {
				pay(id, 1);
			}
		}

		@Override
		@DistributedLock("look")
		void look() {
		}

		@DistributedLock("refund")
		void refund() {
			pay("a", 1);
		}

		@DistributedLock("look")
		void same() {
			look();
		}

		void all() {
			pay(this.ids.get(0).trim() + "b", Long.parseLong("1"));
		}

		Runnable later() {
			return () -> pay("a", 2L);
		}

		void other(Selfish proxy) {
			proxy.pay("a", 1);
			proxy.look();
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

	static class PrivateMethod {

		@DistributedLock("a")
		private void run() {
		}

	}

	static class InheritedPrivate extends PrivateMethod {

		void run(int other) {
		}

	}

	static class StaticMethod {

		@DistributedLock("a")
		static void run() {
		}

	}

	static class FinalMethod {

		@DistributedLock("a")
		final void run() {
		}

	}

	static final class FinalClass {

		@DistributedLock("a")
		void run() {
		}

	}

	@DistributedLock("a")
	public static class FinalOfType {

		public final void run() {
		}

	}

	static class Callback {

		@PostConstruct
		@DistributedLock("a")
		void run() {
		}

	}

	static class Neither {

		@DistributedLock
		void run() {
		}

	}

	static class BadSpel {

		@DistributedLock(key = "#order.")
		void run(String order) {
		}

	}

	static class ForgottenHash {

		@DistributedLock(key = "order.length()")
		void run(String order) {
		}

	}

	static class TextAndArgument {

		@DistributedLock(key = "order-#id")
		void run(String id) {
		}

	}

	static class UnknownVariable {

		@DistributedLock(key = "'a' + #ordr.length()")
		void run(String order) {
		}

	}

	static class Unresolvable {

		@DistributedLock(name = "a", ttl = "${no.such.property}")
		void run() {
		}

	}

	static class BadDuration {

		@DistributedLock(name = "a", waitTimeout = "soon")
		void run() {
		}

	}

	static class ShortTtl {

		@DistributedLock(name = "a", ttl = "99ms")
		void run() {
		}

	}

	static class LongTtl {

		@DistributedLock(name = "a", ttl = "4d")
		void run() {
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

	static class PrimitiveSkip {

		@DistributedLock(name = "a", onUnavailable = OnUnavailable.SKIP)
		int run() {
			return 1;
		}

	}

	static class DocumentWithoutKey {

		@DistributedLock(name = "order", document = ObjectKey.Order.class)
		void run(String id) {
		}

	}

	static class DocumentWithLimit {

		@DistributedLock(document = ObjectKey.Order.class, key = "#id", limit = "3")
		void run(String id) {
		}

	}

	static class SharedDocument {

		@DistributedLock(document = ObjectKey.Order.class, key = "#id", mode = LockMode.SHARED)
		void run(String id) {
		}

	}

	static class DocumentWithMinHold {

		@DistributedLock(document = ObjectKey.Order.class, key = "#id", minHold = "1m")
		void run(String id) {
		}

	}

	static class OfDocument {

		@DistributedLock(document = ObjectKey.Order.class, key = "#id")
		void run(String id) {
		}

	}

	static class DocumentLater {

		@DistributedLock(document = ObjectKey.Order.class, key = "#id")
		CompletableFuture<String> run(String id) {
			return new CompletableFuture<>();
		}

	}

	static class FutureResult {

		@DistributedLock("a")
		Future<String> run() {
			return null;
		}

	}

	static class StageResult {

		@DistributedLock("a")
		CompletionStage<String> run() {
			return null;
		}

	}

	static class CompletableResult {

		@DistributedLock("a")
		CompletableFuture<String> run() {
			return null;
		}

	}

	static class PublisherResult {

		@DistributedLock("a")
		Publisher<String> run() {
			return null;
		}

	}

	static class FlowResult {

		@DistributedLock("a")
		Flow.Publisher<String> run() {
			return null;
		}

	}

	static class CallableResult {

		@DistributedLock("a")
		Callable<String> run() {
			return null;
		}

	}

	static class StreamingResult {

		@DistributedLock("a")
		StreamingResponseBody run() {
			return null;
		}

	}

	static class EntityResult {

		@DistributedLock("a")
		ResponseEntity<Mono<String>> run() {
			return null;
		}

	}

	static class ListResult {

		@DistributedLock("a")
		Optional<List<? extends Future<String>>> run() {
			return null;
		}

	}

	static class ArrayResult {

		@DistributedLock("a")
		Supplier<?>[] run() {
			return null;
		}

	}

	static class StreamResult {

		@DistributedLock("a")
		Stream<String> run() {
			return null;
		}

	}

	static class IteratorResult {

		@DistributedLock("a")
		Iterator<String> run() {
			return null;
		}

	}

	static class InheritedPackagePrivate extends Base {

	}

	static class EmitterResult {

		@DistributedLock("a")
		SseEmitter run() {
			return null;
		}

	}

	static class Suspend {

		@DistributedLock("a")
		Object run(int id, Continuation<String> continuation) {
			return null;
		}

	}

	static class AsyncVoid {

		@Async
		@DistributedLock("a")
		void run() {
		}

	}

	@Async
	static class AsyncType {

		@DistributedLock("a")
		void run() {
		}

	}

	static class SpelName {

		@DistributedLock("order-#id")
		void run(String id) {
		}

	}

	static class TemplateName {

		@DistributedLock(name = "#{order}", key = "#id")
		void run(String id) {
		}

	}

	static class NoSuchBean {

		@DistributedLock(key = "'a' + @noSuchBean.of(#id)")
		void run(String id) {
		}

	}

	public static class NoSuchProperty {

		@DistributedLock(key = "#order.idd")
		void run(Order order) {
		}

		public static class Order {

			public String getId() {
				return "";
			}

		}

	}

	static class NoSuchInnerProperty {

		@DistributedLock(key = "'a' + #order.line.artikle")
		void run(Order order) {
		}

		record Order(Line line) {

		}

		record Line(String article) {

		}

	}

	static class PrivateProperty {

		@DistributedLock(key = "#order.customer")
		void run(Order order) {
		}

		@SuppressWarnings("unused")
		static class Order {

			private String customer = "";

			private String getCustomer() {
				return this.customer;
			}

		}

	}

	static class ObjectKey {

		@DistributedLock(key = "#order")
		void run(Order order) {
		}

		static class Order {

		}

	}

	static class PropertyKey {

		@DistributedLock(key = "#order.lines")
		void run(Order order) {
		}

		record Order(List<String> lines) {

		}

	}

	static class RecordKey {

		@DistributedLock(key = "#p0")
		void run(Id id) {
		}

		record Id(String tenant, int[] numbers) {

		}

	}

	public static class OpenKeys {

		@DistributedLock(key = "#order.ref + #order.open + #order.shown + #order.name() + @environment.toString()")
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

		@DistributedLock(key = "#ids['order']")
		void entry(Map<String, String> ids) {
		}

		@DistributedLock(key = "#ids[order]")
		void bareEntry(Map<String, String> ids) {
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

}
