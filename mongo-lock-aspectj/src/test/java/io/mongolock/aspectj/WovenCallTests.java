package io.mongolock.aspectj;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import kotlin.coroutines.Continuation;
import org.aopalliance.intercept.MethodInvocation;
import org.aspectj.lang.ProceedingJoinPoint;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import reactor.core.publisher.Mono;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.autoconfigure.RecordingTransactionManager;
import io.mongolock.client.ScriptedStore;
import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.interceptor.LockedMethodContract;
import io.mongolock.store.LockStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.withSettings;

/**
 * Tests for calls that only the aspect reaches, and for how it stands with proxies.
 */
class WovenCallTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final CountingLockOperations locks = new CountingLockOperations();

	private final ApplicationContextRunner runner = runner(this.locks);

	private final ApplicationContextRunner runnerOfRealLocks = new ApplicationContextRunner()
		.withBean(LockStore.class, ScriptedStore::new)
		.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class, LockAspectAutoConfiguration.class));

	@Test
	void callsThatPassNoProxyAreLocked() {
		this.runner.withBean(Bare.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(Bare.class).callsItself()).isEqualTo("self");
			assertThat(context.getBean(Bare.class).callsPrivate()).isEqualTo("private");
			assertThat(Bare.ofNoObject()).isEqualTo("static");
			assertThat(new Bare().last()).isEqualTo("final");
			assertThat(new Bare().composedOfTwo()).isEqualTo("two");
			assertThat(new Bare().composedTwice()).isEqualTo("one level down");
		});
		assertThat(this.locks.events()).hasSize(14);
	}

	@Test
	void aBeanOfAFinalClassNeedsNoProxy() {
		this.runner.withBean(FinalClass.class)
			.run((context) -> assertThat(context.getBean(FinalClass.class).run()).isEqualTo("final class"));
	}

	@Test
	void aCallThroughTheProxyIsLockedOnceAndByTheProxy() {
		this.runner.withUserConfiguration(Transactions.class).withBean(Transacted.class).run((context) -> {
			context.getBean(Transacted.class).run();
			assertThat(this.locks.events()).containsExactly("acquire work", "begin", "commit", "release work");
		});
		assertThat(this.locks.asked()).isEqualTo(1);
	}

	/** So that the test above notices. */
	@Test
	void withoutTheInnermostAdviceItWouldBeLockedTwice() {
		this.runner.withBean(Transacted.class)
			.withInitializer((context) -> context.addBeanFactoryPostProcessor(
					(beans) -> ((BeanDefinitionRegistry) beans).removeBeanDefinition("mongoLockProxiedCallsAdvisor")))
			.run((context) -> context.getBean(Transacted.class).run());
		assertThat(this.locks.asked()).isEqualTo(2);
	}

	@Test
	void aSelfCallWithinACallThroughTheProxyIsLockedAgain() {
		this.runner.withBean(Countdown.class)
			.run((context) -> assertThat(context.getBean(Countdown.class).from(2)).isEqualTo("n:2 n:1 n:0"));
		assertThat(this.locks.asked()).isEqualTo(3);
	}

	@Test
	void aMethodThatCallsTheOneItOverridesIsLockedOnce() {
		this.runner.withBean(Overriding.class).run((context) -> context.getBean(Overriding.class).run());
		assertThat(this.locks.asked()).isEqualTo(1);
	}

	@Test
	void anotherObjectIsNoPartOfTheCallThatAProxyHasLocked() {
		this.runner.withBean(Account.class, () -> new LinkedAccount("one", new LinkedAccount("two", null)))
			.run((context) -> context.getBean(Account.class).close());
		assertThat(this.locks.events()).containsExactly("acquire account:one", "acquire account:two",
				"release account:two", "release account:one");
	}

	@Test
	void anotherProxiedCallDoesNotEndTheOneAround() {
		this.runner.withBean("two", Account.class, () -> new LinkedAccount("two", null))
			.run((inner) -> this.runner
				.withBean("one", Account.class, () -> new LinkedAccount("one", inner.getBean(Account.class)))
				.run((context) -> context.getBean(Account.class).close()));
		assertThat(this.locks.events()).containsExactly("acquire account:one", "acquire account:two",
				"release account:two", "release account:one");
		assertThat(this.locks.asked()).isEqualTo(2);
	}

	@Test
	void theMethodHasTheArgumentsThatInterceptorsLeave() throws Throwable {
		ProceedingJoinPoint joinPoint = mock(ProceedingJoinPoint.class);
		given(joinPoint.getArgs()).willReturn(new Object[] { "as called" });
		MethodInvocation invocation = new JoinPointInvocation(joinPoint);
		invocation.getArguments()[0] = "as changed";
		invocation.proceed();
		then(joinPoint).should().proceed(new Object[] { "as changed" });
	}

	@Test
	void anotherThreadIsNoPartOfTheCallThatAProxyHasLocked() {
		this.runner.withBean(Countdown.class)
			.run((context) -> assertThat(context.getBean(Countdown.class).elsewhere()).isEqualTo("n:0"));
		assertThat(this.locks.events()).containsExactly("acquire elsewhere", "acquire n:0", "release n:0",
				"release elsewhere");
	}

	/** The method begins on a thread of the client, and for each subscription anew. */
	@Test
	void resultsThatEndLaterHoldTheLock() {
		this.runnerOfRealLocks.run((context) -> {
			LockOperations operations = context.getBean(LockOperations.class);
			LockHandle held = operations.acquire(LockRequest.of("later", 1));
			CompletableFuture<String> stage = new Later().stage(1);
			CompletableFuture<String> publisher = new Later().publisher(1).repeat(1).reduce(String::concat).toFuture();
			assertThat(stage).isNotDone();
			held.close();
			assertThat(stage).succeedsWithin(LONG).isEqualTo("later:1 1");
			assertThat(publisher).succeedsWithin(LONG).isEqualTo("11");
			operations.acquire(LockRequest.of("later", 1)).close();
		});
	}

	@Test
	void aWrongDeclarationIsRefusedAtTheFirstCallOfAnObjectThatIsNoBean() {
		this.runner.run((context) -> assertThatExceptionOfType(InvalidLockMethodException.class)
			.isThrownBy(() -> new SkippedPrimitive().run())
			.withMessageContaining("would have to invent a result"));
	}

	@Test
	void outsideOfAnOpenContextAMethodIsNotRun() {
		for (int i = 0; i < 2; i++) {
			assertThatIllegalStateException().isThrownBy(() -> new Bare().last())
				.withMessageContaining(
						"Bare.last() was not run, because it needs a lock, and no application context with mongo-lock is open")
				.withMessageContaining("mongo-lock.enabled=false");
			this.runner.run((context) -> assertThat(context).hasNotFailed());
		}
		assertThat(this.locks.asked()).isZero();
	}

	@Test
	void theContextThatWasOpenedLastCountsUntilItIsClosed() {
		CountingLockOperations later = new CountingLockOperations();
		this.runner.run((first) -> {
			runner(later).run((second) -> new Bare().last());
			assertThat(later.asked()).isEqualTo(1);
			new Bare().last();
		});
		assertThat(this.locks.asked()).isEqualTo(1);
	}

	@Test
	void aBeanTakesTheLocksOfItsOwnContext() {
		takesTheLocksOfItsContext(this.runner.withBean(Bare.class), (own) -> own.getBean(Bare.class).callsItself());
	}

	@Test
	void aCallbackOfABeanTakesTheLocksOfItsOwnContext() {
		takesTheLocksOfItsContext(
				this.runner.withBean(Opening.class, Opening::new, (definition) -> definition.setLazyInit(true)),
				(own) -> own.getBean(Opening.class));
	}

	@Test
	void aProductOfAFactoryBeanTakesTheLocksOfItsContext() {
		takesTheLocksOfItsContext(this.runner.withBean(BareFactory.class),
				(own) -> own.getBean(Bare.class).callsItself());
	}

	// Though another was opened after it
	private void takesTheLocksOfItsContext(ApplicationContextRunner owner, Consumer<ApplicationContext> call) {
		CountingLockOperations later = new CountingLockOperations();
		owner.run((first) -> runner(later).run((second) -> call.accept(first)));
		assertThat(later.asked()).isZero();
		assertThat(this.locks.asked()).isEqualTo(1);
	}

	private static ApplicationContextRunner runner(LockOperations locks) {
		return new ApplicationContextRunner().withBean(LockOperations.class, () -> locks)
			.withConfiguration(
					AutoConfigurations.of(MongoLockAutoConfiguration.class, LockAspectAutoConfiguration.class));
	}

	@Test
	void aLifecycleBeanMayCallWovenMethodsAsItStartsAndStops() {
		List<String> called = new ArrayList<>();
		this.runner.withBean(Beginning.class, () -> new Beginning(called)).run((context) -> {
			context.getSourceApplicationContext(ConfigurableApplicationContext.class).stop();
			context.getSourceApplicationContext(ConfigurableApplicationContext.class).start();
		});
		assertThat(called).containsExactly("static", "static", "static", "static");
	}

	@Test
	void aBeanThatIsCollectedLeavesNothingBehind() {
		OpenContexts contexts = new OpenContexts();
		LockedContext context = new LockedContext();
		for (int bean = 0; bean < 10; bean++) {
			contexts.own(new Bare(), context);
		}
		Bare kept = new Bare();
		Map<?, ?> beans = (Map<?, ?>) ReflectionTestUtils.getField(contexts, "beans");
		await().untilAsserted(() -> {
			System.gc();
			contexts.own(kept, context);
			assertThat(beans).hasSize(1);
		});
	}

	@Test
	void whileAContextStopsAndStartsItIsFound() {
		MethodInvocation woven = mock(withSettings().stubOnly());
		OpenContexts contexts = new OpenContexts();
		LockedContext context = new LockedContext();
		contexts.open(context);
		CompletableFuture<Void> changes = CompletableFuture.runAsync(() -> {
			for (int i = 0; i < 100_000; i++) {
				contexts.stop(context);
				contexts.open(context);
			}
		});
		do {
			assertThat(contexts.find(woven)).isSameAs(context);
		}
		while (!changes.isDone());
	}

	/** As those are that Spring keeps for the next test class. */
	@Test
	void aContextThatIsStoppedLendsNoLocksUntilItIsStartedAgain() {
		CountingLockOperations later = new CountingLockOperations();
		this.runner.run((first) -> runner(later).run((second) -> {
			second.getSourceApplicationContext(ConfigurableApplicationContext.class).stop();
			new Bare().last();
			assertThat(this.locks.asked()).isEqualTo(1);
			second.getSourceApplicationContext(ConfigurableApplicationContext.class).start();
			new Bare().last();
			assertThat(later.asked()).isEqualTo(1);
		}));
	}

	/** Spring waits for executors when it destroys them. */
	@Test
	void whenAllIsStoppedThenLastWorkOfOtherObjectsIsLocked() {
		AtomicReference<String> called = new AtomicReference<>();
		this.runner.withBean("last", DisposableBean.class, () -> () -> called.set(new Bare().last()))
			.run((context) -> context.getSourceApplicationContext(ConfigurableApplicationContext.class).close());
		assertThat(called).hasValue("final");
		assertThat(this.locks.asked()).isEqualTo(1);
		assertThatIllegalStateException().isThrownBy(() -> new Bare().last())
			.withMessageContaining("no application context with mongo-lock is open");
	}

	@Test
	void aBeanOfAClosedContextIsNotRun() {
		AtomicReference<Bare> bare = new AtomicReference<>();
		this.runner.withBean(Bare.class, () -> {
			bare.set(new Bare());
			return bare.get();
		}).run((context) -> assertThat(context).hasNotFailed());
		this.runner.run((other) -> assertThatIllegalStateException().isThrownBy(() -> bare.get().callsItself())
			.withMessageContaining("Bare.self() was not run, because it needs a lock")
			.withMessageContaining("closed"));
		assertThat(this.locks.asked()).isZero();
	}

	/** Their coroutine begins later, which the aspect does not know of. */
	@Test
	void suspendingFunctionsAreLeftToProxies() throws Exception {
		assertThat(Suspending.class.getDeclaredMethod("run", Continuation.class).isAnnotationPresent(Woven.class))
			.isFalse();
		assertThat(Bare.class.getDeclaredMethod("last").isAnnotationPresent(Woven.class)).isTrue();
	}

	/** Nothing is woven into a method without code. */
	@Test
	void anInterfaceWithoutItsProxyIsRefused() {
		Object repository = Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Repository.class },
				(proxy, method, arguments) -> null);
		this.runner.withInitializer((context) -> context.getBeanFactory().registerSingleton("repository", repository))
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("Bean 'repository'")
				.hasMessageContaining("no proxy"));
	}

	@Test
	void aMethodThatNoProxyReachesIsLockedForAnObjectThatIsNoBean() {
		this.runner.run((context) -> assertThat(new Job().work()).isEqualTo("job"));
	}

	@Test
	void withoutTheLibraryOfLocksItBacksOff() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAspectAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockedContext.class));
	}

	@Test
	void switchedOffItLocksNothing() {
		new ApplicationContextRunner().withPropertyValues("mongo-lock.enabled=false")
			.withConfiguration(
					AutoConfigurations.of(MongoLockAutoConfiguration.class, LockAspectAutoConfiguration.class))
			.run((context) -> assertThat(new LockedMethodContract.Service().composed()).isEqualTo("composed"));
	}

	static class Bare {

		String callsItself() {
			return self();
		}

		@DistributedLock("self")
		String self() {
			return LockContext.current().key();
		}

		String callsPrivate() {
			return hidden();
		}

		@DistributedLock("private")
		private String hidden() {
			return LockContext.current().key();
		}

		@DistributedLock("static")
		static String ofNoObject() {
			return LockContext.current().key();
		}

		@DistributedLock("final")
		final String last() {
			return LockContext.current().key();
		}

		@TwoLocks
		String composedOfTwo() {
			return LockContext.current().key();
		}

		@Derived
		String composedTwice() {
			return LockContext.current().key();
		}

	}

	static class BareFactory implements FactoryBean<Bare> {

		@Override
		public Bare getObject() {
			return new Bare();
		}

		@Override
		public Class<?> getObjectType() {
			return Bare.class;
		}

	}

	static class Opening implements InitializingBean {

		@Override
		public void afterPropertiesSet() {
			open();
		}

		@DistributedLock("open")
		String open() {
			return LockContext.current().key();
		}

	}

	static class Beginning implements SmartLifecycle {

		private final List<String> called;

		private boolean running;

		Beginning(List<String> called) {
			this.called = called;
		}

		@Override
		public void start() {
			this.called.add(Bare.ofNoObject());
			this.running = true;
		}

		@Override
		public void stop() {
			this.called.add(Bare.ofNoObject());
			this.running = false;
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		@Override
		public int getPhase() {
			return 0;
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
	@DistributedLock("one level down")
	@interface Base {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@Base
	@interface Derived {

	}

	static class Suspending {

		@DistributedLock("suspending")
		@Nullable Object run(Continuation<String> caller) {
			return null;
		}

	}

	interface Repository {

		@DistributedLock("find")
		String find();

	}

	interface Api {

		@DistributedLock("pay")
		void pay();

	}

	static final class Job implements Api {

		@Override
		public void pay() {
		}

		@DistributedLock("job")
		String work() {
			return LockContext.current().key();
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock("one")
	@DistributedLock("two")
	@interface TwoLocks {

	}

	static final class FinalClass {

		@DistributedLock("final class")
		String run() {
			return LockContext.current().key();
		}

	}

	static class Transacted {

		@DistributedLock("work")
		@Transactional
		void run() {
		}

	}

	static class Later {

		@DistributedLock(name = "later", key = "#id")
		CompletableFuture<String> stage(int id) {
			return CompletableFuture.completedFuture(LockContext.current().key() + " " + id);
		}

		@DistributedLock(name = "later", key = "#id")
		Mono<String> publisher(int id) {
			return Mono.fromSupplier(() -> String.valueOf(id));
		}

	}

	static class Countdown {

		@DistributedLock(name = "n", key = "#n")
		String from(int n) {
			String key = LockContext.current().key();
			return (n > 0) ? key + " " + from(n - 1) : key;
		}

		@DistributedLock("elsewhere")
		String elsewhere() {
			return CompletableFuture.supplyAsync(() -> from(0)).join();
		}

	}

	static class Overridden {

		@DistributedLock("run")
		void run() {
		}

	}

	static class Overriding extends Overridden {

		@Override
		void run() {
			super.run();
		}

	}

	static class Account {

		private final String id;

		Account(String id) {
			this.id = id;
		}

		@Override
		public String toString() {
			return this.id;
		}

		@DistributedLock(name = "account", key = "#root.target.toString()")
		void close() {
		}

	}

	static class LinkedAccount extends Account {

		private final @Nullable Account linked;

		LinkedAccount(String id, @Nullable Account linked) {
			super(id);
			this.linked = linked;
		}

		@Override
		void close() {
			if (this.linked != null) {
				this.linked.close();
			}
			super.close();
		}

	}

	static class SkippedPrimitive {

		@DistributedLock(name = "skipped", onUnavailable = OnUnavailable.SKIP)
		int run() {
			return 1;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Transactions {

		@Bean
		PlatformTransactionManager transactionManager(LockOperations locks) {
			return new RecordingTransactionManager(((CountingLockOperations) locks).events());
		}

	}

}
