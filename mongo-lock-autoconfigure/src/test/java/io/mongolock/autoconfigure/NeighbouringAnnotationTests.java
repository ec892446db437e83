package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import jakarta.validation.ConstraintViolationException;
import jakarta.validation.constraints.NotBlank;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.validation.annotation.Validated;
import org.springframework.validation.beanvalidation.MethodValidationPostProcessor;

import io.mongolock.LockHolder;
import io.mongolock.LockListener;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.client.ScriptedStore;
import io.mongolock.interceptor.RecordingLockOperations;
import io.mongolock.store.LockStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for a lock on a method that carries another annotation as well: the real ones,
 * beside those of {@link AdvisorOrderTests}.
 */
class NeighbouringAnnotationTests {

	private final List<String> events = Collections.synchronizedList(new ArrayList<>());

	@Test
	void anUnauthorizedCallClaimsNothing() {
		run(MethodSecurity.class, (context) -> {
			SecurityContextHolder.getContext()
				.setAuthentication(new TestingAuthenticationToken("user", "", "ROLE_CLERK"));
			try {
				context.getBean(Service.class).allowed();
				assertThatExceptionOfType(AccessDeniedException.class)
					.isThrownBy(() -> context.getBean(Service.class).denied());
			}
			finally {
				SecurityContextHolder.clearContext();
			}
		});
		assertThat(this.events).containsExactly("acquire secured", "work", "release secured");
	}

	@Test
	void invalidArgumentsAreRefusedUnderTheLock() {
		run(InnerValidation.class, this::callWithInvalidArgument);
		assertThat(this.events).containsExactly("acquire validated", "release validated");
	}

	@Test
	void theyClaimNothingWhereValidationStandsOutside() {
		run(OuterValidation.class, this::callWithInvalidArgument);
		assertThat(this.events).isEmpty();
	}

	private void callWithInvalidArgument(AssertableApplicationContext context) {
		assertThatExceptionOfType(ConstraintViolationException.class)
			.isThrownBy(() -> context.getBean(Service.class).validated(" "));
	}

	@Test
	void anEventIsHeardUnderTheLock() {
		run(Plain.class, (context) -> context.publishEvent("paid"));
		assertThat(this.events).containsExactly("acquire heard", "paid", "release heard");
	}

	@Test
	void anEventOfATransactionIsHeardUnderALockThatIsTakenAfterTheCommit() {
		run(Transactions.class, (context) -> new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
			.executeWithoutResult((status) -> context.publishEvent(7)));
		assertThat(this.events).containsExactly("begin", "commit", "acquire heard", "7", "release heard");
	}

	@Test
	void ofSeveralInstancesOneRunsAScheduledMethodAtATime() {
		ScriptedStore store = new ScriptedStore();
		Jobs jobs = new Jobs();
		ApplicationContextRunner instance = new ApplicationContextRunner().withUserConfiguration(Scheduling.class)
			.withBean(LockStore.class, () -> store)
			.withBean(Jobs.class, () -> jobs)
			.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class));
		instance.run((one) -> instance.run((other) -> {
			Awaitility.await().until(() -> jobs.instances.size() == 2);
			LockOperations operations = one.getBean(LockOperations.class);
			operations.execute(LockRequest.builder("job").waitTimeout(Duration.ofSeconds(30)).build(), (handle) -> {
				jobs.heldByTheTest = true;
				int before = jobs.skipped.get();
				Awaitility.await().until(() -> jobs.skipped.get() > before + 3);
				jobs.heldByTheTest = false;
				return "";
			});
			// Before the instances end, which frees what they hold at once
			assertThat(jobs.together).isFalse();
		}));
	}

	private void run(Class<?> configuration, Consumer<AssertableApplicationContext> calls) {
		new ApplicationContextRunner().withUserConfiguration(configuration)
			.withBean(RecordingLockOperations.class, () -> new RecordingLockOperations(this.events))
			.withBean(Service.class, () -> new Service(this.events))
			.withBean("events", List.class, () -> this.events)
			.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				calls.accept(context);
			});
	}

	@Validated
	static class Service {

		private final List<String> events;

		Service(List<String> events) {
			this.events = events;
		}

		@DistributedLock("secured")
		@PreAuthorize("hasRole('CLERK')")
		void allowed() {
			this.events.add("work");
		}

		@DistributedLock("secured")
		@PreAuthorize("hasRole('ADMIN')")
		void denied() {
			this.events.add("work");
		}

		@DistributedLock("validated")
		void validated(@NotBlank String name) {
			this.events.add("work");
		}

		@DistributedLock("heard")
		@EventListener
		void hear(String event) {
			this.events.add(event);
		}

		@DistributedLock("heard")
		@TransactionalEventListener
		void hear(Integer event) {
			this.events.add(event.toString());
		}

	}

	/** What the instances share, as they share a database. */
	static class Jobs implements LockListener {

		private final Set<Object> instances = ConcurrentHashMap.newKeySet();

		private final AtomicInteger skipped = new AtomicInteger();

		private volatile boolean heldByTheTest;

		private volatile boolean running;

		private volatile boolean together;

		@Override
		public void onSkipped(LockRequest request, List<LockHolder> holders, Duration waited) {
			this.skipped.incrementAndGet();
		}

		void run(Object instance) {
			this.together |= this.running || this.heldByTheTest;
			this.running = true;
			Thread.yield();
			this.running = false;
			this.instances.add(instance);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Plain {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableMethodSecurity
	static class MethodSecurity {

	}

	@Configuration(proxyBeanMethods = false)
	static class InnerValidation {

		@Bean
		static MethodValidationPostProcessor validation() {
			MethodValidationPostProcessor validation = new MethodValidationPostProcessor();
			validation.setProxyTargetClass(true);
			return validation;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OuterValidation {

		@Bean
		static MethodValidationPostProcessor validation() {
			MethodValidationPostProcessor validation = InnerValidation.validation();
			validation.setBeforeExistingAdvisors(true);
			return validation;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Transactions {

		@Bean
		PlatformTransactionManager transactionManager(List<String> events) {
			return new RecordingTransactionManager(events);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Scheduling {

		@Bean
		Job job(Jobs jobs) {
			return new Job(jobs);
		}

	}

	static class Job {

		private final Jobs jobs;

		Job(Jobs jobs) {
			this.jobs = jobs;
		}

		@DistributedLock(name = "job", onUnavailable = OnUnavailable.SKIP)
		@Scheduled(fixedDelay = 1)
		void run() {
			this.jobs.run(this);
		}

	}

}
