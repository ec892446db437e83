package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.Map;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.aspectj.weaver.Advice;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.Mockito;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockClock;
import io.mongolock.LockContext;
import io.mongolock.LockOperations;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.client.LockTemplate;
import io.mongolock.client.ScriptedStore;
import io.mongolock.client.UnlockedLockOperations;
import io.mongolock.concurrent.CallerContext;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.interceptor.LockOperationSource;
import io.mongolock.interceptor.RecordingLockOperations;
import io.mongolock.observation.LockMdc;
import io.mongolock.spi.LockEnvironment;
import io.mongolock.spi.LockStartupException;
import io.mongolock.store.LockStore;
import io.mongolock.store.mongo.ServerClockWatch;
import io.mongolock.store.mongo.TtlIndexWatch;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link MongoLockAutoConfiguration}.
 */
@ExtendWith(OutputCaptureExtension.class)
class MongoLockAutoConfigurationTests extends AbstractAutoConfigurationTests {

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
		this.bare.withBean(MongoDatabaseFactory.class, MockDatabases::database)
			.withPropertyValues("mongo-lock.ttl-index.mode=none")
			.withUserConfiguration(ServiceConfiguration.class)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("not eligible").doesNotContain("WARN");
	}

	@Test
	void whenContextIsClosedThenClientHasStopped() {
		this.runner.run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			template.acquire(LockRequest.of("k")).close();
			assertThat(template.isRunning()).isTrue();
			context.close();
			assertThat(template.isRunning()).isFalse();
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
					Awaitility.await()
						.atMost(Duration.ofSeconds(60))
						.until(() -> store.servers().primaryAddress().isPresent());
					assertThat(store.servers().primaryAddress()).contains("127.0.0.1:" + server.port());
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
					assertThat(context.getBean(LockStore.class).servers().primaryAddress()).isEmpty();
				});
		}
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
		this.bare.withBean(MongoDatabaseFactory.class, MockDatabases::database)
			.withBean("mine", LockStore.class, ScriptedStore::new)
			.run((context) -> {
				assertThat(context).hasSingleBean(LockStore.class).hasBean("mine");
				assertThat(context).doesNotHaveBean(TtlIndexWatch.class).doesNotHaveBean(ServerClockWatch.class);
				assertThat(context).hasSingleBean(LockTemplate.class);
			});
	}

	@Test
	void backsOffForTheUsersOperations() {
		RecordingLockOperations mine = new RecordingLockOperations();
		this.bare.withBean(MongoDatabaseFactory.class, MockDatabases::database)
			.withBean(LockOperations.class, () -> mine)
			.withUserConfiguration(ServiceConfiguration.class)
			.run((context) -> {
				assertThat(context).hasSingleBean(LockOperations.class).doesNotHaveBean(LockTemplate.class);
				assertThat(context).doesNotHaveBean(LockStore.class).doesNotHaveBean(ServerClockWatch.class);
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
			.withBean("myDefaults", ConfiguredSettings.class, () -> ConfiguredSettings.NONE)
			.withBean("mySource", LockOperationSource.class, () -> source)
			.run((context) -> {
				assertThat(context).getBean(LockClock.class).isSameAs(clock);
				assertThat(context).getBean(LockOwner.class).isSameAs(owner);
				assertThat(context).getBean(ConfiguredSettings.class).isSameAs(ConfiguredSettings.NONE);
				assertThat(context).getBean(LockOperationSource.class).isSameAs(source);
			});
	}

	@Test
	void switchedOffRunsUnlockedAndSaysSoOnce(CapturedOutput output) {
		this.bare.withPropertyValues("mongo-lock.enabled=false")
			.withClassLoader(new FilteredClassLoader(MongoClient.class, MongoTemplate.class))
			.withUserConfiguration(ServiceConfiguration.class)
			.run((context) -> {
				assertThat(context).hasSingleBean(UnlockedLockOperations.class)
					.doesNotHaveBean(LockStore.class)
					.doesNotHaveBean(LockEnvironment.class)
					.doesNotHaveBean(LockMdc.class);
				assertThat(context.getBean(Service.class).pay(42)).isEqualTo("order:42");
				assertThatIllegalStateException().isThrownBy(LockContext::current);
			});
		assertThat(output).containsOnlyOnce("mongo-lock.enabled=false");
	}

	@Test
	void whenLocksWereSwitchedOffAheadOfTimeThenAStartWithThemOnIsRefused() {
		MongoLockProperties properties = new Binder(new MapConfigurationPropertySource()).bindOrCreate("mongo-lock",
				MongoLockProperties.class);
		assertThatExceptionOfType(LockStartupException.class)
			.isThrownBy(() -> new UnlockedConfiguration().mongoLockOperations(properties, ConfiguredSettings.NONE,
					LockClock.system(), CallerContext.NONE))
			.withMessageContaining("ahead of time with mongo-lock.enabled=false");
	}

	private static ContextConsumer<AssertableApplicationContext> lockedBy(String key) {
		return (context) -> {
			assertThat(context.getBean(Service.class).pay(42)).isEqualTo(key);
			assertThatIllegalStateException().isThrownBy(LockContext::current);
		};
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

}
