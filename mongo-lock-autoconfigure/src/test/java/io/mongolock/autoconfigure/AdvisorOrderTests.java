package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.aopalliance.intercept.MethodInterceptor;
import org.aspectj.lang.JoinPoint;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.Order;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;

import io.mongolock.LockContext;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.client.LockCommitListener;
import io.mongolock.client.ScriptedStore;
import io.mongolock.interceptor.LockOperationSourceAdvisor;
import io.mongolock.interceptor.RecordingLockOperations;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.ReleaseAnswer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for where the lock stands among other advice.
 */
class AdvisorOrderTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(OrderConfiguration.class)
		.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class));

	@Test
	void insideOfSecurityAndRetryOutsideOfTransaction() {
		this.runner.run((context) -> assertThat(eventsOf(context.getBean(Service.class))).containsExactly("secured",
				"acquire order", "begin", "work", "rollback", "release order", "secured", "acquire order", "begin",
				"work", "commit", "release order"));
	}

	@Test
	void sameWithBootsAopAndAspectJ() {
		this.runner.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.run((context) -> assertThat(eventsOf(context.getBean(Service.class))).containsSubsequence("acquire order",
					"begin", "rollback", "release order", "acquire order", "begin", "commit", "release order"));
	}

	@Test
	void orderIsConfigurable() {
		this.runner.withPropertyValues("mongo-lock.advisor-order=1")
			.run((context) -> assertThat(eventsOf(context.getBean(Service.class))).startsWith("acquire order",
					"secured", "begin"));
	}

	@Test
	void springRetryTakesTheLockForEachTryUnlessItsOrderIsHigher() {
		for (Class<?> configuration : List.of(DefaultRetry.class, OuterRetry.class)) {
			assertThat(eventsUnderSpringRetry(configuration)).containsExactly("acquire order", "work", "release order",
					"acquire order", "work", "release order");
		}
		assertThat(eventsUnderSpringRetry(InnerRetry.class)).containsExactly("acquire order", "work", "work",
				"release order");
	}

	@Test
	void aResultFromTheCacheTakesTheLockUnlessTheCacheHasAnOrder() {
		assertThat(eventsOfTwoCallsUnder(DefaultCache.class)).containsExactly("acquire order", "work", "release order",
				"acquire order", "release order");
		assertThat(eventsOfTwoCallsUnder(OuterCache.class)).containsExactly("acquire order", "work", "release order");
	}

	@Test
	void anAspectRunsInsideUnlessItHasAnOrder() {
		assertThat(eventsOfTwoCallsUnder(UnorderedAspect.class)).startsWith("acquire order", "aspect", "work",
				"release order");
		assertThat(eventsOfTwoCallsUnder(OrderedAspect.class)).startsWith("aspect", "acquire order", "work",
				"release order");
	}

	@Test
	void aspectsRunInsideOfALockThatIsHeldUntilALaterResultEnds() {
		List<String> events = new ArrayList<>();
		new ApplicationContextRunner().withBean(LockStore.class, ScriptedStore::new)
			.withBean(Later.class)
			.withBean(BindingAspect.class)
			.withBean("events", List.class, () -> events)
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, MongoLockAutoConfiguration.class))
			.run((context) -> {
				Later later = context.getBean(Later.class);
				assertThat(later.future("a").get(30, TimeUnit.SECONDS)).isEqualTo("a");
				Mono<String> mono = later.mono("b");
				assertThat(mono.block(Duration.ofSeconds(30))).isEqualTo("b");
				assertThat(mono.block(Duration.ofSeconds(30))).isEqualTo("b");
			});
		assertThat(events).containsExactly("around a", "before future a", "around b", "before mono b", "around b",
				"before mono b");
	}

	/** As Spring has it, innermost: transactions stand outside of it as well. */
	@Test
	void argumentsAreValidatedInside() {
		assertThat(eventsOfTwoCallsUnder(Validation.class)).startsWith("acquire order", "validated", "work",
				"release order");
	}

	@Test
	void transactionManagersAskBeforeTheyCommit() {
		new ApplicationContextRunner().withBean(LockStore.class, ScriptedStore::new)
			.withBean(RecordingTransactionManager.class, () -> new RecordingTransactionManager(new ArrayList<>()))
			.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class))
			.run((context) -> assertThat(
					context.getBean(RecordingTransactionManager.class).getTransactionExecutionListeners())
				.hasExactlyElementsOfTypes(LockCommitListener.class));
	}

	@Test
	void whenTheLocksAreOfAParentThenTheManagersOfItsChildrenAskBeforeTheyCommit() {
		ApplicationContextRunner child = new ApplicationContextRunner()
			.withBean(RecordingTransactionManager.class, () -> new RecordingTransactionManager(new ArrayList<>()))
			.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class));
		new ApplicationContextRunner().withBean(LockStore.class, ScriptedStore::new)
			.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class))
			.run((parent) -> child.withParent(parent)
				.run((context) -> assertThat(
						context.getBean(RecordingTransactionManager.class).getTransactionExecutionListeners())
					.hasExactlyElementsOfTypes(LockCommitListener.class)));
	}

	@Test
	void skippingMethodKeepsItsLockUntilTheOuterTransactionHasEnded() {
		List<String> events = new ArrayList<>();
		PlatformTransactionManager transactions = new RecordingTransactionManager(events);
		new ApplicationContextRunner().withBean(LockStore.class, () -> new ScriptedStore() {
			@Override
			public ReleaseAnswer release(LeaseId lease, Duration timeout) {
				events.add("release " + lease.key());
				return new ReleaseAnswer(true, false);
			}
		})
			.withBean(Skipping.class)
			.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class))
			.run((context) -> new TransactionTemplate(transactions)
				.executeWithoutResult((status) -> events.add(context.getBean(Skipping.class).run())));
		assertThat(events).containsExactly("begin", "nightly", "commit", "release nightly");
	}

	private static List<String> eventsUnderSpringRetry(Class<?> configuration) {
		List<String> events = new ArrayList<>();
		new ApplicationContextRunner().withUserConfiguration(configuration)
			.withBean(RecordingLockOperations.class, () -> new RecordingLockOperations(events))
			.withBean(Retried.class, () -> new Retried(events))
			.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class))
			.run((context) -> context.getBean(Retried.class).run());
		return events;
	}

	private static List<String> eventsOfTwoCallsUnder(Class<?> configuration) {
		List<String> events = new ArrayList<>();
		new ApplicationContextRunner().withUserConfiguration(configuration)
			.withBean(RecordingLockOperations.class, () -> new RecordingLockOperations(events))
			.withBean(Cached.class, () -> new Cached(events))
			.withBean("events", List.class, () -> events)
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, MongoLockAutoConfiguration.class))
			.run((context) -> {
				Cached cached = context.getBean(Cached.class);
				assertThat(cached.run()).isEqualTo("done");
				assertThat(cached.run()).isEqualTo("done");
			});
		return events;
	}

	private static List<String> eventsOf(Service service) {
		service.run();
		return service.events();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	@EnableResilientMethods
	static class OrderConfiguration {

		private final List<String> events = new ArrayList<>();

		@Bean
		RecordingLockOperations locks() {
			return new RecordingLockOperations(this.events);
		}

		@Bean
		Service service() {
			return new Service(this.events);
		}

		@Bean
		PlatformTransactionManager transactionManager() {
			return new RecordingTransactionManager(this.events);
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		DefaultPointcutAdvisor security() {
			NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
			pointcut.setMappedName("run");
			DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(pointcut, (MethodInterceptor) (invocation) -> {
				this.events.add("secured");
				return invocation.proceed();
			});
			advisor.setOrder(600);
			return advisor;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableRetry
	static class DefaultRetry {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableRetry(order = LockOperationSourceAdvisor.DEFAULT_ORDER + 1)
	static class InnerRetry {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableRetry(order = LockOperationSourceAdvisor.DEFAULT_ORDER - 1)
	static class OuterRetry {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	static class DefaultCache {

		@Bean
		CacheManager caches() {
			return new ConcurrentMapCacheManager();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching(order = 0)
	static class OuterCache {

		@Bean
		CacheManager caches() {
			return new ConcurrentMapCacheManager();
		}

	}

	@Aspect
	static class UnorderedAspect {

		@Autowired
		private List<String> events;

		@Around("execution(* io.mongolock.autoconfigure.AdvisorOrderTests.Cached.run())")
		Object around(ProceedingJoinPoint call) throws Throwable {
			this.events.add("aspect");
			return call.proceed();
		}

	}

	@Aspect
	static class BindingAspect {

		@Autowired
		private List<String> events;

		@Around("execution(* io.mongolock.autoconfigure.AdvisorOrderTests.Later.*(..)) && args(id) && @annotation(lock)")
		Object around(ProceedingJoinPoint call, String id, DistributedLock lock) throws Throwable {
			this.events.add("around " + id);
			return call.proceed();
		}

		@Before("execution(* io.mongolock.autoconfigure.AdvisorOrderTests.Later.*(..))")
		void before(JoinPoint call) {
			this.events.add("before " + call.getSignature().getName() + " " + LockContext.current().key());
		}

	}

	static class Later {

		@DistributedLock(key = "#id")
		CompletableFuture<String> future(String id) {
			return CompletableFuture.completedFuture(id);
		}

		@DistributedLock(key = "#id")
		Mono<String> mono(String id) {
			return Mono.just(id);
		}

	}

	@Aspect
	@Order(0)
	static class OrderedAspect extends UnorderedAspect {

	}

	@Configuration(proxyBeanMethods = false)
	static class Validation {

		@Bean
		static LikeMethodValidation validation() {
			return new LikeMethodValidation();
		}

	}

	/** With the defaults of MethodValidationPostProcessor. */
	static class LikeMethodValidation extends AbstractBeanFactoryAwareAdvisingPostProcessor {

		@Override
		@SuppressWarnings("unchecked")
		public void setBeanFactory(BeanFactory beanFactory) {
			super.setBeanFactory(beanFactory);
			NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
			pointcut.setClassFilter((type) -> type == Cached.class);
			pointcut.setMappedName("run");
			this.advisor = new DefaultPointcutAdvisor(pointcut, (MethodInterceptor) (invocation) -> {
				((List<String>) beanFactory.getBean("events")).add("validated");
				return invocation.proceed();
			});
		}

	}

	static class Cached {

		private final List<String> events;

		Cached(List<String> events) {
			this.events = events;
		}

		@DistributedLock("order")
		@Cacheable("results")
		String run() {
			this.events.add("work");
			return "done";
		}

	}

	static class Retried {

		private final List<String> events;

		Retried(List<String> events) {
			this.events = events;
		}

		@DistributedLock("order")
		@org.springframework.retry.annotation.Retryable(backoff = @Backoff(delay = 1))
		void run() {
			this.events.add("work");
			if (this.events.indexOf("work") == this.events.lastIndexOf("work")) {
				throw new IllegalStateException("try again");
			}
		}

	}

	static class Skipping {

		@DistributedLock(name = "nightly", onUnavailable = OnUnavailable.SKIP)
		String run() {
			return LockContext.current().key();
		}

	}

	static class Service {

		private final List<String> events;

		private int runs;

		Service(List<String> events) {
			this.events = events;
		}

		@DistributedLock("order")
		@Transactional
		@Retryable(delay = 1)
		void run() {
			this.events.add("work");
			if (this.runs++ == 0) {
				throw new IllegalStateException("try again");
			}
		}

		List<String> events() {
			return this.events;
		}

	}

}
