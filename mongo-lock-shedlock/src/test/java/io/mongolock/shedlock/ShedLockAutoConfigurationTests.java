package io.mongolock.shedlock;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.mongo.MongoLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import net.javacrumbs.shedlock.support.KeepAliveLockProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;

import io.mongolock.InvalidLockSettingsException;
import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.spi.LockStartupException;
import io.mongolock.store.LockStore;
import io.mongolock.store.StoredHolder;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ShedLockAutoConfiguration}.
 */
@ExtendWith(OutputCaptureExtension.class)
class ShedLockAutoConfigurationTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static EmbeddedMongo server;

	private static MongoClient client;

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withPropertyValues("spring.mongodb.uri=" + server.connectionString(), "spring.mongodb.database=shop")
		.withConfiguration(AutoConfigurations.of(ShedLockAutoConfiguration.class, MongoLockAutoConfiguration.class,
				MongoAutoConfiguration.class, DataMongoAutoConfiguration.class, AopAutoConfiguration.class));

	@BeforeAll
	static void start() {
		server = EmbeddedMongo.builder().start();
		client = MongoClients.create(server.connectionString());
	}

	@AfterAll
	static void end() {
		client.close();
		server.close();
	}

	@AfterEach
	void drop() {
		client.getDatabase("shop").drop();
	}

	@Test
	void aScheduledMethodRunsUnderALockOfThisLibrary() {
		this.application.withUserConfiguration(Jobs.class).run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			jobs.work(() -> {
				LockAssert.assertLocked();
				StoredHolder holder = holder(context.getBean(LockStore.class));
				assertThat(holder.ttl()).isEqualTo(Duration.ofMinutes(10));
				assertThat(context.getBean(LockOperations.class).tryAcquire(LockRequest.of("report"))).isEmpty();
			});
			jobs.report();
			assertThat(jobs.runs()).isOne();
			assertThat(context.getBean(LockStore.class).find("report", TIMEOUT).orElseThrow().holders()).isEmpty();
		});
	}

	@Test
	void aScheduledMethodIsSkippedWhileALockOfThatNameIsHeld() {
		this.application.withUserConfiguration(Jobs.class).run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			try (LockHandle held = context.getBean(LockOperations.class).acquire(LockRequest.of("report"))) {
				jobs.report();
				assertThat(held.isHeld()).isTrue();
			}
			assertThat(jobs.runs()).isZero();
		});
	}

	@Test
	void aScheduledMethodExtendsItsLock(CapturedOutput output) {
		this.application.withUserConfiguration(Jobs.class).run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			jobs.work(() -> {
				LockExtender.extendActiveLock(Duration.ofMinutes(20), Duration.ZERO);
				assertThat(holder(context.getBean(LockStore.class)).ttl()).isEqualTo(Duration.ofMinutes(20));
			});
			jobs.report();
			assertThat(jobs.runs()).isOne();
			assertThat(context.getBean(LockStore.class).find("report", TIMEOUT).orElseThrow().holders()).isEmpty();
		});
		assertThat(output).doesNotContain(" WARN ");
	}

	@Test
	void theJobOfTheDocumentationRunsOnceInItsShortestTime() {
		AtomicInteger settled = new AtomicInteger();
		this.application.withBean(ShedLockSnippets.Payments.class, () -> settled::incrementAndGet)
			.withUserConfiguration(ShedLockSnippets.class)
			.run((context) -> {
				context.getBean(ShedLockSnippets.class).settle();
				context.getBean(ShedLockSnippets.class).settle();
				assertThat(settled).hasValue(1);
			});
	}

	@Test
	void aLockThatTheStoreHasNoLongerIsNotExtended() {
		this.application.run((context) -> {
			ExtensibleLockProvider provider = context.getBean(ExtensibleLockProvider.class);
			SimpleLock granted = Providers.lock(provider, "k", Providers.LONG, Duration.ZERO).orElseThrow();
			SimpleLock extended = Providers.lock(provider, "m", Providers.LONG, Duration.ZERO)
				.orElseThrow()
				.extend(Providers.LONG, Duration.ZERO)
				.orElseThrow();
			client.getDatabase("shop").getCollection("locks").drop();
			assertThat(granted.extend(Providers.LONG, Duration.ZERO)).isEmpty();
			assertThat(extended.extend(Providers.LONG, Duration.ZERO)).isEmpty();
		});
	}

	@Test
	void settingsOfOtherLocksDoNotHinder() {
		this.application
			.withPropertyValues("mongo-lock.ttl=60s", "mongo-lock.margin=20s", "mongo-lock.renew-interval=10s",
					"mongo-lock.operation-timeout=10s", "mongo-lock.linger=5s", "mongo-lock.locks.shedlock.limit=3")
			.run((context) -> {
				ExtensibleLockProvider provider = context.getBean(ExtensibleLockProvider.class);
				SimpleLock lock = Providers.lock(provider, "k", Duration.ofSeconds(15), Duration.ofNanos(1))
					.orElseThrow();
				assertThat(Providers.lock(provider, "k", Providers.LONG, Duration.ZERO)).isEmpty();
				lock.unlock();
			});
	}

	@Test
	void aLockThatTheTtlIndexWouldRemoveIsNeitherGrantedNorExtended() {
		this.application.withPropertyValues("mongo-lock.shedlock.collection=shedLock").run((context) -> {
			ExtensibleLockProvider provider = context.getBean(ExtensibleLockProvider.class);
			Duration tooLong = Duration.ofDays(4);
			assertThatExceptionOfType(InvalidLockSettingsException.class)
				.isThrownBy(() -> Providers.lock(provider, "k", tooLong, Duration.ZERO))
				.withMessageContaining("must be at most half of mongo-lock.ttl-index.retention");
			SimpleLock lock = Providers.lock(provider, "k", Providers.LONG, Duration.ZERO).orElseThrow();
			assertThatExceptionOfType(InvalidLockSettingsException.class)
				.isThrownBy(() -> lock.extend(tooLong, Duration.ZERO))
				.withMessageContaining("must be at most half of mongo-lock.ttl-index.retention");
			SimpleLock extended = lock.extend(Providers.LONG, Duration.ZERO).orElseThrow();
			assertThatExceptionOfType(InvalidLockSettingsException.class)
				.isThrownBy(() -> extended.extend(tooLong, Duration.ZERO));
			extended.unlock();
			Providers.lock(provider, "k", Providers.LONG, Duration.ZERO).orElseThrow().unlock();
		});
	}

	@Test
	void olderInstancesAreRespectedWhileTheirCollectionIsSet() {
		LockProvider old = new MongoLockProvider(client.getDatabase("shop"));
		SimpleLock lock = old.lock(Providers.configuration("report", Providers.LONG, Duration.ZERO)).orElseThrow();
		this.application.withUserConfiguration(Jobs.class)
			.withPropertyValues("mongo-lock.shedlock.collection=shedLock", "mongo-lock.key-prefix=shop:")
			.run((context) -> {
				Jobs jobs = context.getBean(Jobs.class);
				jobs.report();
				assertThat(jobs.runs()).isZero();
				lock.unlock();
				jobs.work(() -> assertThat(old.lock(Providers.configuration("report", Providers.LONG, Duration.ZERO)))
					.isEmpty());
				jobs.report();
				assertThat(jobs.runs()).isOne();
			});
		assertThat(old.lock(Providers.configuration("report", Providers.LONG, Duration.ZERO))).isPresent();
	}

	@Test
	void theCollectionOfTheLocksIsRefusedForThoseOfShedLock() {
		this.application.withPropertyValues("mongo-lock.shedlock.collection=locks")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("mongo-lock.shedlock.collection")
				.hasMessageContaining("holds the locks of this library"));
	}

	@ParameterizedTest
	@ValueSource(classes = { Before.class, BeforeAsAnInterface.class, BeforeAndLazy.class, BeforeAndPrimary.class,
			BeforeBesideOurs.class })
	void whenAProviderIsThereThatWasThereBeforeThenTheStartRefusesIt(Class<?> application) {
		for (String collection : List.of("", "shedLock")) {
			this.application.withUserConfiguration(application, Jobs.class)
				.withPropertyValues("mongo-lock.shedlock.collection=" + collection)
				.run((context) -> assertThat(context).getFailure()
					.isInstanceOf(LockStartupException.class)
					.hasMessageStartingWith(
							"ShedLock would use the LockProvider bean 'lockProvider'. That bean and this library can grant")
					.hasMessageContaining("Remove the bean 'lockProvider'"));
		}
	}

	@Test
	void whenAProviderIsForMethodsThatNameItThenTheOthersHaveOurs() {
		this.application.withUserConfiguration(Named.class, Jobs.class).run((context) -> {
			context.getBean(Jobs.class).report();
			assertThat(context.getBean(LockStore.class).find("report", TIMEOUT)).isPresent();
			assertThat(context.getBean("lockProvider")).isInstanceOf(MongoLockProvider.class);
		});
	}

	@Test
	void aProviderThatIsBuiltOnThisOneComesFirst() {
		this.application.withUserConfiguration(Jobs.class, Wrapped.class).run((context) -> {
			assertThat(context.getBean(LockProvider.class)).isInstanceOf(Wrapper.class);
			int atTheStart = context.getBean(Wrapper.class).asked;
			context.getBean(Jobs.class).report();
			assertThat(context.getBean(Jobs.class).runs()).isOne();
			assertThat(context.getBean(Wrapper.class).asked).isEqualTo(atTheStart + 1);
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { KeptAlive.class, Renaming.class })
	void whenAProviderAsksThisOneThenTheApplicationStarts(Class<?> provider) {
		this.application.withUserConfiguration(Jobs.class, provider).run((context) -> {
			context.getBean(Jobs.class).report();
			assertThat(context.getBean(Jobs.class).runs()).isOne();
			assertThat(context.getBean(LockStore.class).find("mongo-lock-probe", TIMEOUT)).isEmpty();
		});
	}

	@Test
	void whenAnotherInstanceHoldsTheLockOfTheStartThenTheApplicationStarts() {
		LockProvider old = new MongoLockProvider(client.getDatabase("shop"));
		old.lock(Providers.configuration("mongo-lock-probe", Providers.LONG, Duration.ZERO)).orElseThrow();
		this.application.withUserConfiguration(Jobs.class, OldFirst.class).run((context) -> {
			context.getBean(Jobs.class).report();
			assertThat(context.getBean(Jobs.class).runs()).isOne();
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { ByNames.class, ByNamesOfItsClass.class })
	void whenAProviderAsksThisOneForSomeNamesThenTheApplicationStarts(Class<?> provider, CapturedOutput output) {
		this.application.withUserConfiguration(Jobs.class, provider).run((context) -> {
			context.getBean(Jobs.class).report();
			assertThat(context.getBean(Jobs.class).runs()).isOne();
			assertThat(context.getBean(LockStore.class).find("report", TIMEOUT)).isPresent();
		});
		assertThat(output).doesNotContain(" WARN ");
	}

	@Test
	void whenAProviderThatIsBuiltOnThisOneFailsAtTheStartThenAWarningHasTheCause(CapturedOutput output) {
		this.application.withUserConfiguration(Jobs.class, Closed.class)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce(" WARN ")
			.contains("The LockProvider bean 'closed' could not take a lock at the start",
					"java.lang.IllegalStateException: closed");
	}

	@Test
	void whenAnotherProviderFailsAtTheStartThenItIsRefusedWithTheCause() {
		this.application.withUserConfiguration(Jobs.class, Down.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LockStartupException.class)
				.hasMessageContaining("java.lang.IllegalStateException: down")
				.hasMessageContaining("Remove the bean 'lockProvider'")
				.hasRootCauseMessage("down"));
	}

	@Test
	void whenAnotherProviderGrantsNoLockAtTheStartThenItIsRefused() {
		this.application.withUserConfiguration(Jobs.class, Busy.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LockStartupException.class)
				.hasMessageStartingWith(
						"ShedLock would use the LockProvider bean 'lockProvider'. That bean and this library can grant"));
	}

	@ParameterizedTest
	@ValueSource(classes = { Wrapped.class, Named.class })
	void whenAParentHasAProviderThatItMayHaveThenItsChildrenStart(Class<?> provider) {
		this.application.withUserConfiguration(Jobs.class, provider)
			.run((parent) -> this.application.withUserConfiguration(Jobs.class)
				.withParent(parent)
				.run((child) -> assertThat(child).hasNotFailed()));
	}

	@Test
	void whenAParentHasAProviderThatWasThereBeforeThenItsChildrenDoNotStart() {
		new ApplicationContextRunner().withUserConfiguration(Before.class)
			.run((parent) -> this.application.withUserConfiguration(Jobs.class)
				.withParent(parent)
				.run((child) -> assertThat(child).getFailure()
					.isInstanceOf(LockStartupException.class)
					.hasMessageContaining("Remove the bean 'lockProvider'")));
	}

	@Test
	void whenAWrapperIsLazyThenTheApplicationStarts() {
		this.application.withUserConfiguration(Jobs.class, WrappedAndLazy.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void thereIsNoneWithoutShedLock() {
		this.application.withClassLoader(new FilteredClassLoader("net.javacrumbs.shedlock"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("mongoLockShedLockProvider"));
	}

	@Test
	void withoutLocksEveryMethodRuns() {
		this.application.withUserConfiguration(Jobs.class)
			.withPropertyValues("mongo-lock.enabled=false", "mongo-lock.shedlock.collection=shedLock")
			.run((context) -> {
				Jobs jobs = context.getBean(Jobs.class);
				jobs.work(() -> LockExtender.extendActiveLock(Providers.LONG, Duration.ZERO));
				jobs.report();
				assertThat(jobs.runs()).isOne();
			});
		assertThat(client.getDatabase("shop").listCollectionNames()).isEmpty();
	}

	@Test
	void anExtendedLockIsNotReportedAsLeakedOrLost(CapturedOutput output) {
		this.application.run((context) -> {
			ExtensibleLockProvider provider = context.getBean(ExtensibleLockProvider.class);
			SimpleLock lock = Providers.lock(provider, "k", Providers.LONG, Duration.ZERO).orElseThrow();
			SimpleLock extended = lock.extend(Duration.ofMillis(500), Duration.ZERO).orElseThrow();
			Providers.awaitLock(provider, "k").unlock();
			extended.unlock();
		});
		assertThat(output).doesNotContain("without being closed", "was lost");
	}

	private static StoredHolder holder(LockStore store) {
		return store.find("report", TIMEOUT).orElseThrow().holders().get(0);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableSchedulerLock(defaultLockAtMostFor = "10m")
	static class Jobs {

		private Runnable work = () -> {
		};

		private int runs;

		@SchedulerLock(name = "report")
		void report() {
			this.work.run();
			this.runs++;
		}

		void work(Runnable work) {
			this.work = work;
		}

		int runs() {
			return this.runs;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Before {

		@Bean
		MongoLockProvider lockProvider() {
			return new MongoLockProvider(client.getDatabase("shop"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class BeforeAsAnInterface {

		@Bean
		LockProvider lockProvider() {
			return new MongoLockProvider(client.getDatabase("shop"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class BeforeAndLazy {

		@Bean
		@Lazy
		LockProvider lockProvider() {
			return new MongoLockProvider(client.getDatabase("shop"));
		}

	}

	/** Its class has our provider, and its bean does not ask it. */
	@Configuration(proxyBeanMethods = false)
	static class BeforeBesideOurs {

		BeforeBesideOurs(ExtensibleLockProvider ours) {
		}

		@Bean
		LockProvider lockProvider() {
			return new MongoLockProvider(client.getDatabase("shop"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class KeptAlive {

		@Bean
		LockProvider keepAlive(ObjectProvider<ExtensibleLockProvider> locks) {
			return new KeepAliveLockProvider(locks.getObject(), Executors.newSingleThreadScheduledExecutor());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Renaming {

		@Bean
		LockProvider renaming(ExtensibleLockProvider locks) {
			return (wanted) -> locks.lock(new LockConfiguration(ClockProvider.now(), "shop:" + wanted.getName(),
					wanted.getLockAtMostFor(), wanted.getLockAtLeastFor()));
		}

	}

	/** On the way from another store: it asks that first, and ours behind it. */
	@Configuration(proxyBeanMethods = false)
	static class OldFirst {

		@Bean
		LockProvider oldFirst(ObjectProvider<ExtensibleLockProvider> locks) {
			LockProvider old = new MongoLockProvider(client.getDatabase("shop"));
			ExtensibleLockProvider ours = locks.getObject();
			return (wanted) -> old.lock(wanted).flatMap((lock) -> ours.lock(wanted));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ByNames {

		@Bean
		LockProvider byNames(ExtensibleLockProvider locks) {
			return (wanted) -> wanted.getName().equals("report") ? locks.lock(wanted) : Optional.empty();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ByNamesOfItsClass {

		private final ExtensibleLockProvider locks;

		ByNamesOfItsClass(ExtensibleLockProvider locks) {
			this.locks = locks;
		}

		@Bean
		LockProvider byNames() {
			return (wanted) -> wanted.getName().equals("report") ? this.locks.lock(wanted) : Optional.empty();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Closed {

		@Bean
		LockProvider closed(ExtensibleLockProvider locks) {
			return (wanted) -> {
				throw new IllegalStateException("closed");
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Down {

		@Bean
		LockProvider lockProvider() {
			return (wanted) -> {
				throw new IllegalStateException("down");
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Busy {

		@Bean
		LockProvider lockProvider() {
			return (wanted) -> Optional.empty();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class BeforeAndPrimary {

		@Bean
		@Primary
		LockProvider lockProvider() {
			return new MongoLockProvider(client.getDatabase("shop"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Named {

		@Bean(autowireCandidate = false)
		LockProvider lockProvider() {
			return new MongoLockProvider(client.getDatabase("shop"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Wrapped {

		@Bean
		Wrapper wrapper(ExtensibleLockProvider locks) {
			return new Wrapper(locks);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WrappedAndLazy {

		@Bean
		@Lazy
		Wrapper wrapper(ExtensibleLockProvider locks) {
			return new Wrapper(locks);
		}

	}

	static final class Wrapper implements LockProvider {

		private final LockProvider locks;

		private int asked;

		Wrapper(LockProvider locks) {
			this.locks = locks;
		}

		@Override
		public Optional<SimpleLock> lock(LockConfiguration configuration) {
			this.asked++;
			return this.locks.lock(configuration);
		}

	}

}
