package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.Map;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import org.aspectj.weaver.Advice;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.BeansException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.core.MongoExceptionTranslator;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockClock;
import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.client.LockTemplate;
import io.mongolock.client.ScriptedStore;
import io.mongolock.client.UnlockedLockOperations;
import io.mongolock.core.LockDefaults;
import io.mongolock.interceptor.LockOperationSource;
import io.mongolock.interceptor.LockOperationSourceAdvisor;
import io.mongolock.interceptor.RecordingLockOperations;
import io.mongolock.store.LockStore;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.store.mongo.Notifications;
import io.mongolock.store.mongo.TtlIndexInitializer;
import io.mongolock.store.mongo.TtlIndexWatch;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link MongoLockAutoConfiguration}.
 */
@ExtendWith(OutputCaptureExtension.class)
class MongoLockAutoConfigurationTests {

	private Environment environment;

	private final ApplicationContextRunner bare = new ApplicationContextRunner()
		.withInitializer((context) -> this.environment = context.getEnvironment())
		.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class));

	private final ApplicationContextRunner runner = this.bare.withBean("stub", LockStore.class, ScriptedStore::new);

	@Test
	void methodRunsUnderItsLock() {
		this.runner.withUserConfiguration(ServiceConfiguration.class).run(lockedBy("order:42"));
	}

	@Test
	void worksWithBootsAop() {
		this.runner.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withUserConfiguration(ServiceConfiguration.class)
			.run(lockedBy("order:42"));
	}

	@Test
	void worksWithoutBootsAop() {
		this.runner.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withPropertyValues("spring.aop.auto=false")
			.withUserConfiguration(ServiceConfiguration.class)
			.run(lockedBy("order:42"));
	}

	@Test
	void worksWithoutAspectJ() {
		this.runner.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader(Advice.class))
			.withUserConfiguration(ServiceConfiguration.class)
			.run(lockedBy("order:42"));
	}

	@Test
	void proxiesByInterfaceWhenAskedTo() {
		this.runner.withPropertyValues("spring.aop.proxy-target-class=false")
			.withUserConfiguration(InterfaceConfiguration.class)
			.run((context) -> {
				assertThat(AopUtils.isJdkDynamicProxy(context.getBean(Payments.class))).isTrue();
				assertThat(context.getBean(Payments.class).pay(42)).isEqualTo("payment:42");
			});
	}

	@Test
	void proxiesByClassUnlessAskedOtherwise() {
		this.runner.withUserConfiguration(InterfaceConfiguration.class).run((context) -> {
			assertThat(AopUtils.isCglibProxy(context.getBean(Payments.class))).isTrue();
			assertThat(context.getBean(Payments.class).pay(42)).isEqualTo("payment:42");
		});
	}

	@Test
	void startIsQuietAndLazy(CapturedOutput output) {
		this.bare.withBean(MongoDatabaseFactory.class, MongoLockAutoConfigurationTests::database)
			.withPropertyValues("mongo-lock.ttl-index.mode=none")
			.withUserConfiguration(ServiceConfiguration.class)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("not eligible").doesNotContain("WARN");
	}

	@Test
	void clientStartsAndStopsWithTheContext() {
		this.runner.run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			assertThat(template.isRunning()).isTrue();
			assertThat(context.getBean(LockLifecycle.class).getPhase()).isLessThan(Integer.MIN_VALUE + 10_000);
			context.close();
			assertThat(template.isRunning()).isFalse();
		});
	}

	@Test
	void storeIsKeptInTheApplicationsDatabase() {
		this.bare.withBean(MongoDatabaseFactory.class, () -> database()).run((context) -> {
			assertThat(context).hasSingleBean(MongoLockStore.class).hasSingleBean(TtlIndexWatch.class);
			assertThat(context).doesNotHaveBean(MongoTemplate.class);
		});
	}

	@Test
	void theClocksOfTheServersAreHeardThroughTheClientThatBootConfigures() {
		try (EmbeddedMongo server = EmbeddedMongo.start()) {
			this.bare
				.withConfiguration(
						AutoConfigurations.of(MongoAutoConfiguration.class, DataMongoAutoConfiguration.class))
				// The driver reports the second heartbeat first, 10 s after the one it
				// connects with
				.withPropertyValues("spring.mongodb.uri=" + server.connectionString() + "/app?heartbeatFrequencyMS=500")
				.run((context) -> {
					LockStore store = context.getBean(LockStore.class);
					Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> store.servers().judge().isPresent());
					assertThat(store.servers().judge()).contains("127.0.0.1:" + server.port());
				});
		}
	}

	@Test
	void aClientOfTheUsersOwnIsLeftAlone() {
		try (EmbeddedMongo server = EmbeddedMongo.start()) {
			this.bare.withBean(MongoClient.class, () -> MongoClients.create(server.connectionString()))
				.withConfiguration(
						AutoConfigurations.of(MongoAutoConfiguration.class, DataMongoAutoConfiguration.class))
				.run((context) -> {
					context.getBean(LockOperations.class).acquire(LockRequest.of("order:42")).close();
					assertThat(context.getBean(LockStore.class).servers().judge()).isEmpty();
				});
		}
	}

	@Test
	void bootsOwnTemplateStays() {
		this.bare
			.withConfiguration(AutoConfigurations.of(MongoAutoConfiguration.class, DataMongoAutoConfiguration.class))
			.withPropertyValues("mongo-lock.ttl-index.mode=none")
			.run((context) -> {
				assertThat(context).hasSingleBean(MongoTemplate.class).hasSingleBean(MongoLockStore.class);
				assertThat(context).getBean("mongoTemplate").isInstanceOf(MongoTemplate.class);
			});
	}

	@Test
	void ownerNamesTheApplication() {
		this.runner.withPropertyValues("spring.application.name=orders").run((context) -> {
			LockOwner owner = context.getBean(LockOwner.class);
			assertThat(owner.application()).isEqualTo("orders");
			assertThat(owner.instance()).hasSize(8);
			assertThat(owner.pid()).isEqualTo(ProcessHandle.current().pid());
			assertThat(owner.host()).isNotNull();
		});
		assertThat(LockOwnerFactory.host(Map.of("HOSTNAME", "pod-1"))).isEqualTo("pod-1");
		assertThat(LockOwnerFactory.host(Map.of("COMPUTERNAME", "PC"))).isEqualTo("PC");
	}

	@Test
	void backsOffForTheUsersStore() {
		this.bare.withBean(MongoDatabaseFactory.class, () -> database())
			.withBean("mine", LockStore.class, ScriptedStore::new)
			.run((context) -> {
				assertThat(context).hasSingleBean(LockStore.class).hasBean("mine");
				assertThat(context).doesNotHaveBean(TtlIndexWatch.class);
			});
	}

	@Test
	void backsOffForTheUsersOperations() {
		RecordingLockOperations mine = new RecordingLockOperations();
		this.bare.withBean(LockOperations.class, () -> mine)
			.withUserConfiguration(ServiceConfiguration.class)
			.run((context) -> {
				assertThat(context).hasSingleBean(LockOperations.class).doesNotHaveBean(LockLifecycle.class);
				context.getBean(Service.class).pay(42);
				assertThat(mine.events()).containsExactly("acquire order:42", "release order:42");
			});
	}

	@Test
	void backsOffForTheUsersClockOwnerDefaultsAndSource() {
		LockClock clock = Mockito.mock(LockClock.class);
		LockOwner owner = new LockOwner("a", "b", "c", 1, "d");
		LockOperationSource source = Mockito.mock(LockOperationSource.class);
		this.runner.withBean("myClock", LockClock.class, () -> clock)
			.withBean("myOwner", LockOwner.class, () -> owner)
			.withBean("myDefaults", LockDefaults.class, () -> LockDefaults.NONE)
			.withBean("mySource", LockOperationSource.class, () -> source)
			.run((context) -> {
				assertThat(context).getBean(LockClock.class).isSameAs(clock);
				assertThat(context).getBean(LockOwner.class).isSameAs(owner);
				assertThat(context).getBean(LockDefaults.class).isSameAs(LockDefaults.NONE);
				assertThat(context).getBean(LockOperationSource.class).isSameAs(source);
			});
	}

	@Test
	void switchedOffRunsUnlockedAndSaysSoOnce(CapturedOutput output) {
		this.bare.withPropertyValues("mongo-lock.enabled=false")
			.withClassLoader(new FilteredClassLoader(MongoClient.class, MongoTemplate.class))
			.withUserConfiguration(ServiceConfiguration.class)
			.run((context) -> {
				assertThat(context).hasSingleBean(UnlockedLockOperations.class).doesNotHaveBean(LockStore.class);
				assertThat(context.getBean(Service.class).pay(42)).isEqualTo("order:42");
				assertThatIllegalStateException().isThrownBy(LockContext::current);
			});
		assertThat(output).containsOnlyOnce("mongo-lock.enabled=false");
	}

	@ParameterizedTest
	@CsvSource({ "yes, true", "on, true", "1, true", "TRUE, true", "no, false", "off, false", "0, false" })
	void everySpellingIsReadTheSameByAllConditions(String value, boolean enabled) {
		this.runner.withPropertyValues("mongo-lock.enabled=" + value)
			.withUserConfiguration(ServiceConfiguration.class)
			.run((context) -> {
				assertThat(context.getBeansOfType(UnlockedLockOperations.class)).hasSize((enabled) ? 0 : 1);
				assertThat(context.getBeansOfType(LockTemplate.class)).hasSize((enabled) ? 1 : 0);
				assertThat(context.getBean(MongoLockProperties.class).enabled()).isEqualTo(enabled);
				assertThat(context.getBean(Service.class).pay(42)).isEqualTo("order:42");
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "flase", "2", "" })
	void aValueThatIsNeitherTrueNorFalseRefusesTheStart(String value) {
		this.runner.withPropertyValues("mongo-lock.enabled=" + value)
			.run(failsWith("mongo-lock.enabled", "'" + value + "'", "is neither true nor false"));
	}

	@Test
	void withoutSpringDataSaysWhichStarterIsMissing() {
		this.bare.withClassLoader(new FilteredClassLoader(MongoTemplate.class))
			.run(failsWith("Spring Data MongoDB", "mongo-lock-starter", "mongo-lock.enabled=false"));
	}

	@Test
	void withoutDriverSaysWhichStarterIsMissing() {
		this.bare.withClassLoader(new FilteredClassLoader(MongoClient.class))
			.run(failsWith("Spring Data MongoDB", "mongo-lock-starter"));
	}

	@Test
	void aMissingFactoryIsNamed() {
		this.bare.run(failsWith("no MongoDatabaseFactory bean", "spring-boot-starter-data-mongodb",
				"spring.mongodb.uri", "mongo-lock.enabled=false"));
	}

	@Test
	void severalFactoriesAreListed() {
		this.bare.withUserConfiguration(SeveralConfiguration.class)
			.run(failsWith("oneTemplate, otherTemplate, one, other", "mongo-lock.mongo-template", "@Primary"));
	}

	@ParameterizedTest
	@CsvSource({ "other", "oneTemplate" })
	void oneOfSeveralIsChosenByName(String beanName) {
		this.bare.withUserConfiguration(SeveralConfiguration.class)
			.withPropertyValues("mongo-lock.mongo-template=" + beanName)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(MongoLockStore.class));
	}

	@ParameterizedTest
	@CsvSource({ "nobody", "text" })
	void unknownNameIsRefused(String beanName) {
		this.bare.withUserConfiguration(SeveralConfiguration.class)
			.withBean("text", String.class, () -> "text")
			.withPropertyValues("mongo-lock.mongo-template=" + beanName)
			.run(failsWith("mongo-lock.mongo-template", beanName, "one, other"));
	}

	@Test
	void primaryOfSeveralIsChosen() {
		this.bare.withUserConfiguration(PrimaryConfiguration.class)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(MongoLockStore.class));
	}

	@Test
	void thePrimaryTemplateDecidesNotTheFactoryOfBoot() {
		MongoDatabaseFactory ofBoot = database();
		MongoDatabaseFactory mine = database();
		this.bare.withBean("ofBoot", MongoDatabaseFactory.class, () -> ofBoot)
			.withBean("mine", MongoTemplate.class, () -> SeveralConfiguration.template(mine),
					(definition) -> definition.setPrimary(true))
			.withBean("other", MongoTemplate.class, () -> SeveralConfiguration.template(ofBoot))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				MongoTemplate chosen = (MongoTemplate) new LockDatabase(context.getBeanFactory()).template(null);
				assertThat(chosen.getMongoDatabaseFactory()).isSameAs(mine);
			});
	}

	@Test
	void ofSeveralTemplatesWithoutAPrimaryTheOnlyFactoryDecides() {
		this.bare.withUserConfiguration(TwoTemplatesConfiguration.class)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(MongoLockStore.class));
	}

	@Test
	void templateAloneIsEnough() {
		MongoTemplate template = SeveralConfiguration.template(database());
		this.bare.withBean(MongoTemplate.class, () -> template)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(MongoLockStore.class));
	}

	@Test
	void defaultsOfTheProperties() {
		this.runner.run((context) -> {
			MongoLockProperties properties = context.getBean(MongoLockProperties.class);
			assertThat(properties.settings()).isEqualTo(LockSettings.NONE);
			assertThat(properties.collection()).isEqualTo("locks");
			assertThat(properties.keyPrefix()).isEmpty();
			assertThat(properties.locks()).isEmpty();
			assertThat(properties.ttlIndex().mode()).isEqualTo(TtlIndexInitializer.Mode.CREATE);
			assertThat(properties.ttlIndex().retention()).isEqualTo(Duration.ofDays(7));
			assertThat(properties.shutdownTimeout()).isEqualTo(Duration.ofSeconds(5));
			assertThat(properties.advisorOrder()).isEqualTo(LockOperationSourceAdvisor.DEFAULT_ORDER)
				.isEqualTo(context.getBean(LockOperationSourceAdvisor.class).getOrder());
		});
	}

	@Test
	void allProperties() {
		this.runner
			.withPropertyValues("mongo-lock.collection=c", "mongo-lock.key-prefix=p:", "mongo-lock.ttl=60s",
					"mongo-lock.margin=12s", "mongo-lock.renew-interval=10s", "mongo-lock.operation-timeout=2s",
					"mongo-lock.wait-timeout=0", "mongo-lock.retry-interval=PT0.05S", "mongo-lock.auto-renew=false",
					"mongo-lock.locks.order.ttl=90s", "mongo-lock.locks.order.auto-renew=true",
					"mongo-lock.locks.order.limit=10", "mongo-lock.ttl-index.mode=validate",
					"mongo-lock.ttl-index.retention=1d", "mongo-lock.shutdown-timeout=9s", "mongo-lock.advisor-order=5",
					"mongo-lock.notifications=off")
			.run((context) -> {
				MongoLockProperties properties = context.getBean(MongoLockProperties.class);
				assertThat(properties.collection()).isEqualTo("c");
				assertThat(properties.keyPrefix()).isEqualTo("p:");
				assertThat(properties.ttlIndex())
					.isEqualTo(new MongoLockProperties.TtlIndex(TtlIndexInitializer.Mode.VALIDATE, Duration.ofDays(1)));
				assertThat(properties.shutdownTimeout()).isEqualTo(Duration.ofSeconds(9));
				assertThat(properties.notifications()).isEqualTo(Notifications.OFF);
				assertThat(context.getBean(LockOperationSourceAdvisor.class).getOrder()).isEqualTo(5);
				assertThat(context.getBean(LockDefaults.class)).isEqualTo(new LockDefaults(
						LockSettings.builder()
							.ttl(Duration.ofSeconds(60))
							.margin(Duration.ofSeconds(12))
							.renewInterval(Duration.ofSeconds(10))
							.operationTimeout(Duration.ofSeconds(2))
							.waitTimeout(Duration.ZERO)
							.retryInterval(Duration.ofMillis(50))
							.autoRenew(false)
							.build(),
						Map.of("order",
								LockSettings.builder().ttl(Duration.ofSeconds(90)).autoRenew(true).limit(10).build()),
						Duration.ofDays(1)));
			});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					ttl=1ms                                  | mongo-lock.ttl                | '1ms'  | at least 100ms
					margin=30s                               | mongo-lock.margin             | '30s'  | shorter than the ttl (30000ms)
					renew-interval=9s                        | mongo-lock.renew-interval     | '9s'   | (30000ms - 6000ms) / 3 = 8000ms
					operation-timeout=1ms                    | mongo-lock.operation-timeout  | '1ms'  | must be at least 100ms
					operation-timeout=9s                     | mongo-lock.operation-timeout  | '9s'   | - 8000ms) / 2 = 8000ms
					wait-timeout=-1s                         | mongo-lock.wait-timeout       | '-1s'  | at least 0ms
					retry-interval=0                         | mongo-lock.retry-interval     | '0'    | at least 1ms
					place-ttl=499ms                          | mongo-lock.place-ttl          | '499ms' | between 500ms, because it is refreshed every third of that, and 1m
					place-ttl=61s                            | mongo-lock.place-ttl          | '61s'  | between 500ms
					shutdown-timeout=0s                      | mongo-lock.shutdown-timeout   | '0s'   | longer than zero
					shutdown-timeout=10001d                  | mongo-lock.shutdown-timeout   | '10001d' | at most 10000d
					hand-over.max-time=-1ms                  | mongo-lock.hand-over.max-time | '-1ms' | from 0 to 10000d
					hand-over.max-time=10001d                | mongo-lock.hand-over.max-time | '10001d' | from 0 to 10000d
					hand-over.max-time=250                   | mongo-lock.hand-over.max-time | '250'  | Write 250ms, or 250s
					hand-over.max-count=10001                | mongo-lock.hand-over.max-count | '10001' | from 0 to 10000
					ttl-index.retention=0s                   | mongo-lock.ttl-index.retention | '0s'  | longer than zero
					collection=                              | mongo-lock.collection         | ''     | must not be blank
					collection=a$b                           | mongo-lock.collection         | 'a$b'  | must not hold '$'
					collection=system.locks                  | mongo-lock.collection         | 'system.locks' | begin with 'system.'
					ttl-index.retention=999ms                | mongo-lock.ttl-index.retention | '999ms' | between 1 and 2147483647 seconds
					ttl-index.retention=2147483648s          | mongo-lock.ttl-index.retention | '2147483648s' | between 1 and 2147483647 seconds
					ttl=4d                                   | mongo-lock.ttl                | '4d'   | half of mongo-lock.ttl-index.retention
					locks.order.renew-interval=9s            | mongo-lock.locks.order.renew-interval | '9s' | / 3 = 8000ms
					locks.order.ttl=4d                       | mongo-lock.locks.order.ttl    | '4d'   | half of mongo-lock.ttl-index.retention
					margin=29999ms                           | mongo-lock.margin             | '29999ms' | must be at least 10ms shorter than the ttl (30000ms)
					ttl=100                                  | mongo-lock.ttl                | '100'  | Write 100ms, or 100s
					locks.order.limit=0                      | mongo-lock.locks.order.limit  | '0'    | must be at least 1
					locks.order.limit=many                   | mongo-lock.locks.order.limit  | many   | Integer
					locks.order.wait-timeout=5               | mongo-lock.locks.order.wait-timeout | '5' | would mean 5ms
					ttl-index.retention=7                    | mongo-lock.ttl-index.retention | '7'   | has no unit
					shutdown-timeout=30                      | mongo-lock.shutdown-timeout   | '30'   | has no unit
					ttl-index.mode=sometimes                 | mongo-lock.ttl-index.mode     | sometimes | CREATE
					notifications=loud                       | mongo-lock.notifications      | loud   | AUTO
					advisor-order=first                      | mongo-lock.advisor-order      | first  | Integer
					""")
	void wrongSettingsAreExplained(String setting, String property, String value, String reason) {
		this.runner.withPropertyValues("mongo-lock." + setting).run(failsWith(property, value, reason));
	}

	@Test
	void prefixThatLeavesNoRoomForKeysIsExplained() {
		this.runner.withPropertyValues("mongo-lock.key-prefix=" + "p".repeat(1024))
			.run(failsWith("mongo-lock.key-prefix", "ppp", "1024 bytes", "at most 1023"));
	}

	@Test
	void settingThatIsWrongForOneNameOnlySaysForWhich() {
		this.runner.withPropertyValues("mongo-lock.renew-interval=8s", "mongo-lock.locks.order.ttl=10s")
			.run(failsWith("mongo-lock.renew-interval", "'8s'", "for the locks named 'order'", "= 2666ms"));
	}

	@Test
	void retentionDoesNotMatterWithoutIndex() {
		this.runner.withPropertyValues("mongo-lock.ttl=4d", "mongo-lock.ttl-index.mode=none")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void shortTtlAndMarginAreSaidOnce(CapturedOutput output) {
		this.runner.withPropertyValues("mongo-lock.ttl=4s", "mongo-lock.locks.order.ttl=3s")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("Locks have a margin of 800ms").containsOnlyOnce("Locks have a ttl of 4s");
		assertThat(output).doesNotContain("600ms").doesNotContain("WARN");
	}

	@Test
	void hintsNameTheLocksTheyAreAbout(CapturedOutput output) {
		this.runner.withPropertyValues("mongo-lock.locks.order.ttl=10s")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("Locks named 'order' have a ttl of 10s");
	}

	@Test
	void propertiesThatNothingReadsAreSaidWithTheNearestName(CapturedOutput output) {
		this.runner
			.withPropertyValues("mongo-lock.wait-timout=5s", "mongo-lock.locks.order.tll=5s",
					"mongo-lock.ttl-index.retain=1d", "mongo-lock.something-else=1")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("'mongo-lock.wait-timout'", "did you mean 'mongo-lock.wait-timeout'?")
			.contains("'mongo-lock.locks.order.tll'", "did you mean 'mongo-lock.locks.order.ttl'?")
			.contains("'mongo-lock.ttl-index.retain'")
			.contains("'mongo-lock.something-else'", "see the settings of mongo-lock");
	}

	@Test
	void aPropertyWithoutAValueIsNotTakenForAMisspeltOne(CapturedOutput output) {
		this.runner
			.withPropertyValues("mongo-lock.ttl=", "mongo-lock.hand-over.max-time=", "mongo-lock.locks.order.ttl=")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output)
			.contains("'mongo-lock.ttl'", "'mongo-lock.hand-over.max-time'", "'mongo-lock.locks.order.ttl'")
			.contains("because it has no value")
			.doesNotContain("did you mean", "see the settings");
	}

	@Test
	void misspeltPropertiesOfAGroupAreSaidWithTheNearestOfTheGroup(CapturedOutput output) {
		this.runner.withPropertyValues("mongo-lock.hand-over.max-tim=1s", "mongo-lock.observation.show-key=true")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("did you mean 'mongo-lock.hand-over.max-time'?",
				"did you mean 'mongo-lock.observation.show-keys'?");
	}

	@Test
	void misspeltSystemPropertiesAreSaid(CapturedOutput output) {
		this.runner
			.withSystemProperties("mongo-lock.margn=5s", "mongo-lock.locks.order.tll=5s",
					"mongo-lock.retry-interval=1s")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("did you mean 'mongo-lock.margin'?", "did you mean 'mongo-lock.locks.order.ttl'?")
			.doesNotContain("Nothing reads the property 'mongo-lock.retry-interval'");
	}

	@Test
	void misspeltEnvironmentVariablesAreSaid(CapturedOutput output) {
		Map<String, Object> variables = Map.of("MONGO_LOCK_TLT", "40s", "MONGO_LOCK_LOCKS_SVC_TTL", "40s",
				"MONGOLOCK_LOCKS_OTHER_TTL", "50s", "MONGOLOCK_WAITTIMEOUT", "7s", "MONGO_LOCK_RETRY_INTERVAL", "1s",
				"MONGOLOCK_WIBBLEWOBBLE", "1", "MONGO_LOCK_TEST_URI", "mongodb://localhost");
		this.runner
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.replace("systemEnvironment", new SystemEnvironmentPropertySource("systemEnvironment", variables)))
			.run((context) -> {
				MongoLockProperties properties = context.getBean(MongoLockProperties.class);
				assertThat(properties.locks()).as("as Boot has it").containsOnlyKeys("other");
				assertThat(properties.settings().waitTimeout()).isEqualTo(Duration.ofSeconds(7));
				assertThat(properties.settings().retryInterval()).isEqualTo(Duration.ofSeconds(1));
			});
		assertThat(output).contains("variable 'MONGO_LOCK_TLT': did you mean 'MONGOLOCK_TTL'?")
			.contains("variable 'MONGO_LOCK_LOCKS_SVC_TTL': write 'MONGOLOCK_LOCKS_SVC_TTL'")
			.contains("variable 'MONGOLOCK_WIBBLEWOBBLE'; see the settings")
			.doesNotContain("variable 'MONGOLOCK_LOCKS", "variable 'MONGOLOCK_WAIT", "variable 'MONGO_LOCK_RETRY",
					"MONGO_LOCK_TEST_URI");
	}

	@Test
	void theNamesThatConnectionsHadOnSpringBoot3AreSaid(CapturedOutput output) {
		this.runner
			.withPropertyValues("spring.data.mongodb.uri=mongodb://db", "spring.data.mongodb.database=shop",
					"spring.mongodb.database=shop")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("'spring.data.mongodb.uri': from Spring Boot 4.0 on it is 'spring.mongodb.uri'")
			.doesNotContain("spring.data.mongodb.database");
	}

	@ParameterizedTest
	@ValueSource(strings = { "mongolock", "mongoLock", "mongo_lock" })
	void thePrefixIsReadInItsOtherSpellingsAsBootHasIt(String prefix) {
		this.runner.withPropertyValues(prefix + ".wait-timeout=7s")
			.run((context) -> assertThat(context.getBean(MongoLockProperties.class).settings().waitTimeout())
				.isEqualTo(Duration.ofSeconds(7)));
	}

	@Test
	void aNameWithDotsHasToBeWrittenInBrackets(CapturedOutput output) {
		this.runner.withPropertyValues("mongo-lock.locks.order.import.ttl=40s")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("written in brackets, 'mongo-lock.locks[order.import].ttl'")
			.doesNotContain("has no value");
	}

	@Test
	void settingsForANameThatNoMethodHasAreSaidWithTheNearestName(CapturedOutput output) {
		this.runner.withUserConfiguration(ServiceConfiguration.class)
			.withPropertyValues("mongo-lock.locks.ordre.ttl=30s", "mongo-lock.locks.nightly-import.ttl=30s")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output)
			.contains("No @DistributedLock has the name 'ordre'", "did you mean mongo-lock.locks.order.*?")
			.contains("No @DistributedLock has the name 'nightly-import'")
			.containsOnlyOnce("did you mean");
	}

	@Test
	void correctPropertiesAreNotWarnedOf(CapturedOutput output) {
		this.runner.withUserConfiguration(ServiceConfiguration.class)
			.withPropertyValues("mongo-lock.wait-timeout=5s", "mongo-lock.locks.order.ttl=30s")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("WARN", "No @DistributedLock");
	}

	private static ContextConsumer<AssertableApplicationContext> lockedBy(String key) {
		return (context) -> {
			assertThat(context.getBean(Service.class).pay(42)).isEqualTo(key);
			assertThatIllegalStateException().isThrownBy(LockContext::current);
		};
	}

	private ContextConsumer<AssertableApplicationContext> failsWith(String... texts) {
		return (context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = analyze(context);
			assertThat(analysis.getDescription() + "\n" + analysis.getAction()).contains(texts);
		};
	}

	private FailureAnalysis analyze(AssertableApplicationContext context) {
		Throwable failure = context.getStartupFailure();
		assertThat(failure).isInstanceOf(BeansException.class);
		ArgumentResolver arguments = ArgumentResolver.of(Environment.class, this.environment);
		return SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, arguments,
					SpringFactoriesLoader.FailureHandler.handleMessage((message, ex) -> {
					}))
			.stream()
			.map((analyzer) -> analyzer.analyze(failure))
			.filter((analysis) -> analysis != null)
			.findFirst()
			.orElseThrow(() -> new AssertionError("no analysis", failure));
	}

	static MongoDatabaseFactory database() {
		MongoDatabaseFactory factory = Mockito.mock(MongoDatabaseFactory.class);
		BDDMockito.given(factory.getExceptionTranslator()).willReturn(new MongoExceptionTranslator());
		MongoDatabase database = Mockito.mock(MongoDatabase.class, Mockito.RETURNS_DEEP_STUBS);
		BDDMockito.given(database.getWriteConcern()).willReturn(WriteConcern.MAJORITY);
		BDDMockito.given(factory.getMongoDatabase()).willReturn(database);
		return factory;
	}

	@Configuration(proxyBeanMethods = false)
	static class ServiceConfiguration {

		@Bean
		Service service() {
			return new Service();
		}

	}

	public static class Service {

		@DistributedLock(name = "order", key = "#id")
		public String pay(int id) {
			LockHandle handle = LockContext.current();
			handle.assertHeld();
			return handle.key();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InterfaceConfiguration {

		@Bean
		Payments payments() {
			return new DefaultPayments();
		}

	}

	interface Payments {

		@DistributedLock(name = "payment", key = "#id")
		String pay(int id);

	}

	static class DefaultPayments implements Payments {

		@Override
		public String pay(int id) {
			return LockContext.current().key();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class SeveralConfiguration {

		@Bean
		MongoDatabaseFactory one() {
			return database();
		}

		@Bean
		MongoDatabaseFactory other() {
			return database();
		}

		@Bean
		MongoTemplate oneTemplate() {
			return template(one());
		}

		@Bean
		MongoTemplate otherTemplate() {
			return template(other());
		}

		static MongoTemplate template(MongoDatabaseFactory factory) {
			MongoTemplate template = Mockito.mock(MongoTemplate.class);
			BDDMockito.given(template.getMongoDatabaseFactory()).willReturn(factory);
			return template;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoTemplatesConfiguration {

		private final MongoDatabaseFactory database = database();

		@Bean
		MongoDatabaseFactory one() {
			return this.database;
		}

		@Bean
		MongoTemplate oneTemplate() {
			return SeveralConfiguration.template(this.database);
		}

		@Bean
		MongoTemplate otherTemplate() {
			return SeveralConfiguration.template(this.database);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrimaryConfiguration {

		@Bean
		@Primary
		MongoDatabaseFactory one() {
			return database();
		}

		@Bean
		MongoDatabaseFactory other() {
			return database();
		}

	}

}
