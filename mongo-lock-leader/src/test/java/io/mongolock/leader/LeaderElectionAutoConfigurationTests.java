package io.mongolock.leader;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.BeanDefinitionCustomizer;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.DefaultApplicationArguments;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.PriorityOrdered;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.integration.leader.event.AbstractLeaderEvent;
import org.springframework.integration.leader.event.OnGrantedEvent;
import org.springframework.integration.support.SmartLifecycleRoleController;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;

import io.mongolock.LockApplicationEvent;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.client.LockTemplate;
import io.mongolock.leader.LeaderSnippets.Reports;
import io.mongolock.leader.LeadersEndpoint.LeaderDescriptor;
import io.mongolock.leader.elsewhere.OfAnotherPackage;
import io.mongolock.spi.LockStartupException;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;
import io.mongolock.test.InMemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaderElectionAutoConfiguration} and
 * {@link LeaderEndpointAutoConfiguration}.
 */
class LeaderElectionAutoConfigurationTests {

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final ApplicationContextRunner instance = new ApplicationContextRunner()
		.withBean(InMemoryLockStore.class, () -> this.store)
		.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class,
				LeaderElectionAutoConfiguration.class, LeaderEndpointAutoConfiguration.class));

	private final ApplicationContextRunner reports = this.instance.withUserConfiguration(LeaderSnippets.class)
		.withBean(Reports.class);

	@Test
	void anEditorKnowsTheSettingsOfTheEndpoint() throws IOException {
		assertThat(Files.readString(Path.of("target/classes/META-INF/spring-configuration-metadata.json")))
			.contains("\"management.endpoint.mongoleaders.access\"");
	}

	@Test
	void scheduledWorkIsDoneByTheLeaderAlone() {
		this.reports.run((one) -> {
			awaitDone(one, "built " + term(one));
			this.reports.run((other) -> {
				Awaitility.await().until(() -> other.getBean(LockTemplate.class).waiting() == 1);
				other.getBean(Reports.class).build();
				other.getBean(Reports.class).buildNow();
				one.getBean(Reports.class).buildNow();
				awaitDone(one, "granted " + term(one));
				assertThat(one.getBean(Reports.class).done()).contains("built now " + term(one));
				assertThat(other.getBean(Reports.class).done()).isEmpty();
				election(one).stop();
				Awaitility.await().until(() -> election(other).isLeader());
				awaitDone(other, "built " + term(other));
				awaitDone(other, "granted " + term(other));
			});
		});
	}

	@Test
	void theEventsOfTheLockReachTheElection() {
		this.reports.withPropertyValues("mongo-lock.locks.leader.ttl=2s").run((context) -> {
			Awaitility.await().until(() -> election(context).isLeader());
			long lost = term(context);
			StoredHolder holder = this.store.find(Candidate.KEY, Duration.ofSeconds(1)).orElseThrow().holders().get(0);
			this.store.release(new LeaseId(Candidate.KEY, holder.leaseToken()), Duration.ofSeconds(1));
			context.getBean(LockTemplate.class).renew(Candidate.KEY);
			awaitDone(context, "revoked " + lost);
			Awaitility.await().until(() -> election(context).isLeader());
			long asked = term(context);
			context.getBean(LockTemplate.class).requestRelease(Candidate.KEY, "for the test");
			awaitDone(context, "revoked " + asked);
		});
	}

	@Test
	void theEventsOfTheLockReachTheElectionThoughOtherListenersFail() {
		this.instance.withBean(Failing.class)
			.withUserConfiguration(LeaderSnippets.class)
			.withPropertyValues("mongo-lock.locks.leader.ttl=2s")
			.run((context) -> {
				long asked = term(context);
				context.getBean(LockTemplate.class).requestRelease(Candidate.KEY, "for the test");
				Awaitility.await().until(() -> term(context) > asked);
				long lost = term(context);
				StoredHolder holder = this.store.find(Candidate.KEY, Duration.ofSeconds(1))
					.orElseThrow()
					.holders()
					.get(0);
				this.store.release(new LeaseId(Candidate.KEY, holder.leaseToken()), Duration.ofSeconds(1));
				context.getBean(LockTemplate.class).renew(Candidate.KEY);
				Awaitility.await().until(() -> term(context) > lost);
			});
	}

	@Test
	void anInstanceThatEndsStepsDownFirst() {
		Reports[] reports = new Reports[1];
		this.reports.run((context) -> {
			Awaitility.await().until(() -> election(context).isLeader());
			reports[0] = context.getBean(Reports.class);
		});
		assertThat(reports[0].done()).last().asString().startsWith("revoked ");
		assertThat(this.store.find(Candidate.KEY, Duration.ofSeconds(1)).orElseThrow().holders()).isEmpty();
	}

	@Test
	void anInstanceThatRefusesTrafficLeadsForNoRoleUntilItAcceptsIt() {
		this.reports.run((context) -> {
			Awaitility.await().until(() -> election(context).isLeader());
			AvailabilityChangeEvent.publish(context, ReadinessState.REFUSING_TRAFFIC);
			assertThat(election(context).isLeader()).isFalse();
			AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
			Awaitility.await().until(() -> election(context).isLeader());
		});
		this.reports.withPropertyValues("mongo-lock.leader.only-when-ready=false").run((context) -> {
			long before = term(context);
			AvailabilityChangeEvent.publish(context, ReadinessState.REFUSING_TRAFFIC);
			assertThat(election(context).term()).hasValue(before);
		});
	}

	@Test
	void anApplicationStandsForNoRoleBeforeItIsReady() {
		this.reports.withBean(ApplicationArguments.class, () -> new DefaultApplicationArguments()).run((starting) -> {
			this.reports.run((other) -> Awaitility.await().until(() -> election(other).isLeader()));
			AvailabilityChangeEvent.publish(starting, ReadinessState.ACCEPTING_TRAFFIC);
			Awaitility.await().until(() -> election(starting).isLeader());
		});
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void whenARunnerDoesNotReturnThenTheElectionSaysSo(CapturedOutput output) {
		this.reports.withBean(ApplicationArguments.class, () -> new DefaultApplicationArguments()).run((starting) -> {
			AvailabilityChangeEvent.publish(starting.getSourceApplicationContext(), ReadinessState.REFUSING_TRAFFIC);
			starting.getBean(LeaderElections.class).warnIfWaiting();
			assertThat(output).doesNotContain("This instance cannot lead");
		});
		this.reports.withBean(ApplicationArguments.class, () -> new DefaultApplicationArguments()).run((starting) -> {
			starting.getBean(LeaderElections.class).warnIfWaiting();
			assertThat(output).contains("This instance cannot lead")
				.contains("mongo-lock.leader.only-when-ready=false");
		});
	}

	/** As of a suite of tests, whose contexts would fill its memory. */
	@Test
	void anApplicationWithoutElectionsIsGarbageAfterItsEnd() {
		List<WeakReference<Object>> ended = new ArrayList<>();
		this.instance.withBean(ApplicationArguments.class, () -> new DefaultApplicationArguments())
			.run((context) -> ended.add(new WeakReference<>(context.getBean(LeaderElections.class))));
		Awaitility.await().atMost(Duration.ofSeconds(40)).until(() -> {
			System.gc();
			return ended.get(0).get() == null;
		});
	}

	@Test
	void theReadinessOfAChildContextCountsForNoElection() {
		this.reports.run((context) -> {
			Awaitility.await().until(() -> election(context).isLeader());
			GenericApplicationContext child = new GenericApplicationContext(context.getSourceApplicationContext());
			child.refresh();
			AvailabilityChangeEvent.publish(child, ReadinessState.REFUSING_TRAFFIC);
			assertThat(election(context).isLeader()).isTrue();
			child.close();
		});
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void theSettingsOfElectionsAreThoseOfANameInUse(CapturedOutput output) {
		this.reports.withPropertyValues("mongo-lock.locks.leader.ttl=2s", "mongo-lock.locks.leaders.ttl=2s")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("has the name 'leader'")
			.contains("No @DistributedLock has the name 'leaders'", "did you mean mongo-lock.locks.leader.*?");
	}

	@Test
	void aGuardedMethodOfAnUnknownRoleFailsTheStart() {
		this.instance.withBean(UnknownRole.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LockStartupException.class)
				.hasMessageContaining("There are 0 LeaderElection beans of the role 'nobody'")
				.hasMessageContaining(
						"There are no other LeaderElection beans. Declare one bean of that role, such as new "
								+ "LeaderElection(\"nobody\", locks, events)"));
	}

	@Test
	void aGuardedMethodOfARoleThatTwoBeansStandForFailsTheStart() {
		Supplier<LeaderElection> election = () -> new LeaderElection("reports", Mockito.mock(), Mockito.mock());
		this.instance.withBean("one", LeaderElection.class, election)
			.withBean("two", LeaderElection.class, election)
			.withBean(Locked.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("There are 2 LeaderElection beans of the role 'reports'"));
	}

	@Test
	void aGuardedMethodThatReturnsSomethingFailsTheStart() {
		this.instance.withBean(Returning.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("count()")
				.hasMessageContaining("Make the method void"));
	}

	@Test
	void aBeanThatIsMadeBeforeProxiesAreFailsTheStart() {
		this.reports.withUserConfiguration(EarlyBean.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("has @LeaderOnly methods, but no proxy"));
	}

	@Test
	void workThatBeginsInsideOfTheGuardAndGoesOnFailsTheStart() {
		this.reports.withUserConfiguration(AsyncInside.class)
			.withBean(Later.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("Later.work()")
				.hasMessageContaining("runs outside of @Async"));
	}

	@Test
	void workThatBeginsOutsideOfTheGuardIsDone() {
		this.reports.withUserConfiguration(AsyncOutside.class)
			.withBean(Later.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@MethodSource
	void aMethodThatNoProxyReachesFailsTheStart(Class<?> type, boolean proxyTargetClass, String problem) {
		this.instance.withBean(type)
			.withPropertyValues("spring.aop.proxy-target-class=" + proxyTargetClass)
			.withUserConfiguration(LeaderSnippets.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("@LeaderOnly method ")
				.hasMessageContaining(".work()")
				.hasMessageContaining(problem)
				.hasMessageContaining("LeaderElection.ifLeader"));
	}

	static Stream<Arguments> aMethodThatNoProxyReachesFailsTheStart() {
		return Stream.of(Arguments.of(OfPrivate.class, true, "because it is private"),
				Arguments.of(OfStatic.class, true, "because it is static"),
				Arguments.of(OfFinal.class, true,
						"cannot be overridden by a proxy, because the method or its class is final"),
				Arguments.of(FinalClass.class, true,
						"cannot be overridden by a proxy, because the method or its class is final"),
				Arguments.of(WithStaticContract.class, true, "because it is static"),
				Arguments.of(OfSuperclass.class, true, "which is in another package"),
				Arguments.of(Contracted.class, false, "is declared in no interface that the bean's proxy implements"));
	}

	@ParameterizedTest
	@ValueSource(classes = { OfPostConstruct.class, OfInitializing.class, OfDisposable.class, OfClosing.class,
			OfInitMethod.class, OfDestroyMethod.class })
	void aCallbackOfTheContainerFailsTheStart(Class<?> type) {
		this.instance.withUserConfiguration(LeaderSnippets.class, type)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("@LeaderOnly method ")
				.hasMessageContaining("is a callback, which the container calls on the object itself")
				.hasMessageContaining("LeaderElection.ifLeader"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "lazy", "prototype" })
	void aBeanThatIsMadeLaterFailsTheStart(String kind) {
		BeanDefinitionCustomizer later = (definition) -> {
			definition.setLazyInit(kind.equals("lazy"));
			definition.setScope(kind.equals("lazy") ? "" : kind);
		};
		this.instance.withBean(OfFinal.class, OfFinal::new, later)
			.withUserConfiguration(LeaderSnippets.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("@LeaderOnly method ")
				.hasMessageContaining("cannot be overridden by a proxy, because the method or its class is final"));
		this.instance.withBean(Plain.class, Plain::new, later, (definition) -> definition.setInitMethodName("work"))
			.withUserConfiguration(LeaderSnippets.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("@LeaderOnly method ")
				.hasMessageContaining("is a callback"));
		this.instance.withBean(Plain.class, Plain::new, later)
			.withUserConfiguration(LeaderSnippets.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void aFinalClassIsGuardedByItsInterface() {
		this.instance.withBean(FinalContracted.class)
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.withUserConfiguration(LeaderSnippets.class)
			.run((context) -> assertThat(AopUtils.isJdkDynamicProxy(context.getBean(Contract.class))).isTrue());
	}

	@Test
	void aBeanThatIsAProxyItselfIsGuardedByItsInterface() {
		List<String> called = new CopyOnWriteArrayList<>();
		this.instance
			.withBean(Feed.class,
					() -> (Feed) Proxy.newProxyInstance(Feed.class.getClassLoader(), new Class<?>[] { Feed.class },
							(proxy, method, arguments) -> method.getName().equals("read") && called.add("read")))
			.withUserConfiguration(LeaderSnippets.class)
			.run((context) -> {
				election(context).stop();
				context.getBean(Feed.class).read();
				assertThat(called).isEmpty();
			});
	}

	@Test
	void allGuardedMethodsOfABeanAreLookedAt() {
		this.instance.withBean(OfTwoRoles.class)
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.withUserConfiguration(LeaderSnippets.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("There are 0 LeaderElection beans of the role 'nobody'"));
	}

	@Test
	void whereAnotherLeadsTheLockOfTheMethodIsNotTaken() {
		this.reports.run((one) -> {
			Awaitility.await().until(() -> election(one).isLeader());
			this.reports.withBean(Locked.class).run((other) -> {
				other.getBean(Locked.class).work();
				assertThat(this.store.find("work", Duration.ofSeconds(1))).isEmpty();
				election(one).stop();
				Awaitility.await().until(() -> election(other).isLeader());
				other.getBean(Locked.class).work();
				assertThat(this.store.find("work", Duration.ofSeconds(1))).isPresent();
			});
		});
	}

	@Test
	void methodsAreGuardedBeforeTheyAreScheduled() {
		this.instance.run((context) -> assertThat(context.getBean(LeaderOnlyPostProcessor.class).getOrder())
			.isLessThan(new ScheduledAnnotationBeanPostProcessor().getOrder()));
	}

	@Test
	void theEndpointSaysForWhatThisInstanceLeads() {
		this.reports.withPropertyValues("management.endpoints.web.exposure.include=*").run((one) -> {
			Awaitility.await().until(() -> election(one).isLeader());
			assertThat(one.getBean(LeadersEndpoint.class).leaders().roles())
				.containsExactly(new LeaderDescriptor("reports", true, term(one)));
			this.reports.withPropertyValues("management.endpoints.web.exposure.include=*")
				.run((other) -> assertThat(other.getBean(LeadersEndpoint.class).leaders().roles())
					.containsExactly(new LeaderDescriptor("reports", false, null)));
		});
		this.reports.run((context) -> assertThat(context).doesNotHaveBean(LeadersEndpoint.class));
		this.instance.withPropertyValues("management.endpoints.web.exposure.include=*")
			.run((context) -> assertThat(context).doesNotHaveBean(LeadersEndpoint.class));
	}

	@Test
	void endpointsOfSpringIntegrationStartAndStopWithTheirRole() {
		this.reports.withUserConfiguration(Channels.class).run((context) -> {
			SmartLifecycleRoleController roles = context.getBean(SmartLifecycleRoleController.class);
			Awaitility.await().until(() -> roles.allEndpointsRunning("reports"));
			election(context).stop();
			assertThat(roles.noEndpointsRunning("reports")).isTrue();
		});
	}

	@Test
	void endpointsOfSpringIntegrationStartAndStopThoughOtherListenersFail() {
		this.reports.withBean(Failing.class).withUserConfiguration(Channels.class).run((context) -> {
			SmartLifecycleRoleController roles = context.getBean(SmartLifecycleRoleController.class);
			Awaitility.await().until(() -> roles.allEndpointsRunning("reports"));
			election(context).stop();
			assertThat(roles.noEndpointsRunning("reports")).isTrue();
		});
	}

	@Test
	void anEventOfSpringIntegrationYieldsTheRole() {
		this.reports.withBean(Heard.class).run((context) -> {
			Heard heard = context.getBean(Heard.class);
			Awaitility.await().until(() -> heard.event != null);
			assertThat(heard.event).isInstanceOf(OnGrantedEvent.class);
			assertThat(heard.event.getRole()).isEqualTo("reports");
			assertThat(heard.event.getContext().isLeader()).isTrue();
			assertThat(heard.event.getContext().getRole()).isEqualTo("reports");
			long term = term(context);
			election(context).stop();
			assertThat(heard.event.getContext().isLeader()).isFalse();
			election(context).start();
			long next = term(context);
			assertThat(next).isGreaterThan(term);
			heard.event.getContext().yield();
			awaitDone(context, "revoked " + next);
		});
	}

	@Test
	void thereIsNoNeedOfSpringIntegration() {
		this.instance.withUserConfiguration(LeaderSnippets.class)
			.withClassLoader(new FilteredClassLoader(AbstractLeaderEvent.class))
			.run((context) -> {
				assertThat(context).doesNotHaveBean("mongoLockIntegrationLeaderEvents");
				Awaitility.await().until(() -> election(context).isLeader());
			});
	}

	private static void awaitDone(ApplicationContext context, String what) {
		List<String> done = context.getBean(Reports.class).done();
		Awaitility.await().untilAsserted(() -> assertThat(done).contains(what));
	}

	private static LeaderElection election(ApplicationContext context) {
		return context.getBean(LeaderElection.class);
	}

	private static long term(ApplicationContext context) {
		// Asked once: the next question may find that it has stepped down
		return Awaitility.await().until(() -> election(context).term(), OptionalLong::isPresent).getAsLong();
	}

	static class UnknownRole {

		@LeaderOnly("nobody")
		void work() {
		}

	}

	static class OfPrivate {

		@LeaderOnly("reports")
		void other() {
		}

		@LeaderOnly("reports")
		private void work() {
		}

	}

	static class OfStatic {

		@LeaderOnly("reports")
		static void work() {
		}

	}

	static class OfFinal {

		@LeaderOnly("reports")
		final void work() {
		}

	}

	static class OfPostConstruct {

		@PostConstruct
		@LeaderOnly("reports")
		void work() {
		}

	}

	static class OfInitializing implements InitializingBean {

		@Override
		@LeaderOnly("reports")
		public void afterPropertiesSet() {
		}

	}

	static class OfDisposable {

		@PreDestroy
		@LeaderOnly("reports")
		void work() {
		}

	}

	static class OfClosing implements AutoCloseable {

		@Override
		@LeaderOnly("reports")
		public void close() {
		}

	}

	static class Plain {

		@LeaderOnly("reports")
		void work() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfInitMethod {

		@Bean(initMethod = "work")
		Plain plain() {
			return new Plain();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfDestroyMethod {

		@Bean(destroyMethod = "work")
		Plain plain() {
			return new Plain();
		}

	}

	static class OfSuperclass extends OfAnotherPackage {

	}

	static final class FinalClass {

		@LeaderOnly("reports")
		void work() {
		}

	}

	interface StaticContract {

		@LeaderOnly("reports")
		static void work() {
		}

	}

	static class WithStaticContract implements StaticContract {

	}

	interface Contract {

		void ofContract();

	}

	static class Contracted implements Contract {

		@Override
		public void ofContract() {
		}

		@LeaderOnly("reports")
		void work() {
		}

	}

	static final class FinalContracted implements Contract {

		@Override
		@LeaderOnly("reports")
		public void ofContract() {
		}

	}

	interface Feed {

		@LeaderOnly("reports")
		void read();

	}

	interface TwoRoles {

		void known();

		void unknown();

	}

	static class OfTwoRoles implements TwoRoles {

		@Override
		@LeaderOnly("reports")
		public void known() {
		}

		@Override
		@LeaderOnly("nobody")
		public void unknown() {
		}

	}

	static class Failing {

		@EventListener
		void on(LeaderElectionEvent event) {
			throw new IllegalStateException("by the test");
		}

		@EventListener
		void on(LockApplicationEvent event) {
			throw new IllegalStateException("by the test");
		}

	}

	static class Returning {

		@LeaderOnly("reports")
		int count() {
			return 1;
		}

	}

	static class Locked {

		@LeaderOnly("reports")
		@DistributedLock("work")
		void work() {
		}

	}

	static class Heard {

		private volatile AbstractLeaderEvent event;

		@EventListener
		void on(AbstractLeaderEvent event) {
			if (this.event == null) {
				this.event = event;
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableIntegration
	static class Channels {

		@Bean
		IntegrationFlow toReports() {
			return (flow) -> flow.handle((message) -> {
			}, (endpoint) -> endpoint.role("reports").autoStartup(false));
		}

	}

	static class Later {

		@Async
		@LeaderOnly("reports")
		void work() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync(order = -1)
	static class AsyncInside {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class AsyncOutside {

	}

	static class First implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return HIGHEST_PRECEDENCE;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyBean {

		@Bean
		static First needing(Later later) {
			return new First();
		}

		@Bean
		static Later later() {
			return new Later();
		}

	}

}
