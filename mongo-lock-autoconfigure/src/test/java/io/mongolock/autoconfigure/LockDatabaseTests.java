package io.mongolock.autoconfigure;

import com.mongodb.client.MongoClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.Mockito;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.store.mongo.TtlIndexWatch;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockDatabase}: which database, which template.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockDatabaseTests extends AbstractAutoConfigurationTests {

	@Test
	void storeIsKeptInTheApplicationsDatabase() {
		this.bare.withBean(MongoDatabaseFactory.class, () -> MockDatabases.database()).run((context) -> {
			assertThat(context).hasSingleBean(MongoLockStore.class).hasSingleBean(TtlIndexWatch.class);
			assertThat(context).doesNotHaveBean(MongoTemplate.class);
		});
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
	void withoutSpringDataSaysWhichStarterIsMissing() {
		this.bare.withClassLoader(new FilteredClassLoader(MongoTemplate.class))
			.run(failsWith("Spring Data MongoDB", "mongo-lock-starter", "mongo-lock.enabled=false"));
	}

	@Test
	void aReactiveApplicationIsToldThatTheDriverIsMissing() {
		this.bare.withClassLoader(new FilteredClassLoader(MongoClient.class))
			.run(failsWith("MongoDB's driver", "mongodb-driver-sync, which is missing", "mongo-lock-starter",
					"mongo-lock.enabled=false"));
	}

	@Test
	void aMissingFactoryIsNamed() {
		this.bare.run(failsWith("need a MongoDatabaseFactory bean, and there is none",
				"spring-boot-starter-data-mongodb", "spring.mongodb.uri", "mongo-lock.enabled=false"));
	}

	@Test
	void severalClientsOfWhichBootChoosesNoneAreListed() {
		this.bare
			.withConfiguration(AutoConfigurations.of(MongoAutoConfiguration.class, DataMongoAutoConfiguration.class))
			.withBean("eu", MongoClient.class, Mockito::mock)
			.withBean("us", MongoClient.class, Mockito::mock)
			.run(failsWith("need a MongoDatabaseFactory bean", "several MongoClient beans: eu, us", "@Primary"));
	}

	@Test
	void aMockOfTheClientIsToldWhereTheLocksOfATestAre() {
		this.bare
			.withConfiguration(AutoConfigurations.of(MongoAutoConfiguration.class, DataMongoAutoConfiguration.class))
			.withBean(MongoClient.class, Mockito::mock)
			.run(failsWith("has no database. Perhaps a test has mocked", "@AutoConfigureMongoLockTest",
					"mongo-lock.enabled=false"));
	}

	@Test
	void severalFactoriesAreListed() {
		this.bare.withUserConfiguration(SeveralConfiguration.class)
			.run(failsWith("oneTemplate, otherTemplate, one, other", "Mark one bean of each type as @Primary",
					"name that bean in mongo-lock.mongo-template"));
	}

	@Test
	void whenBootHasSeveralDatabasesThenOneMustBePrimary() {
		ApplicationContextRunner boot = this.bare
			.withConfiguration(AutoConfigurations.of(MongoAutoConfiguration.class, DataMongoAutoConfiguration.class))
			.withBean(MongoClient.class, Mockito::mock)
			.withPropertyValues("mongo-lock.mongo-template=other");
		boot.withUserConfiguration(SeveralConfiguration.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(NoUniqueBeanDefinitionException.class)
				.hasMessageContaining("MongoDatabaseFactory"));
		boot.withUserConfiguration(MockDatabases.PrimaryConfiguration.class)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(MongoLockStore.class));
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
		this.bare.withUserConfiguration(MockDatabases.PrimaryConfiguration.class)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(MongoLockStore.class));
	}

	@Test
	void thePrimaryTemplateDecidesNotTheFactoryOfBoot() {
		MongoDatabaseFactory ofBoot = MockDatabases.database();
		MongoDatabaseFactory mine = MockDatabases.database();
		this.bare.withBean("ofBoot", MongoDatabaseFactory.class, () -> ofBoot)
			.withBean("mine", MongoTemplate.class, () -> MockDatabases.template(mine),
					(definition) -> definition.setPrimary(true))
			.withBean("other", MongoTemplate.class, () -> MockDatabases.template(ofBoot))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				MongoTemplate chosen = (MongoTemplate) new LockDatabase(context.getBeanFactory(), new LockLifecycle())
					.template(null);
				assertThat(chosen.getMongoDatabaseFactory()).isSameAs(mine);
			});
	}

	@Test
	void ofSeveralTemplatesWithoutAPrimaryTheOnlyFactoryDecides() {
		this.bare.withUserConfiguration(MockDatabases.TwoTemplatesConfiguration.class)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(MongoLockStore.class));
	}

	@Test
	void templateAloneIsEnough() {
		MongoTemplate template = MockDatabases.template(MockDatabases.database());
		this.bare.withBean(MongoTemplate.class, () -> template)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(MongoLockStore.class));
	}

	@Configuration(proxyBeanMethods = false)
	static class SeveralConfiguration {

		@Bean
		MongoDatabaseFactory one() {
			return MockDatabases.database();
		}

		@Bean
		MongoDatabaseFactory other() {
			return MockDatabases.database();
		}

		@Bean
		MongoTemplate oneTemplate() {
			return MockDatabases.template(one());
		}

		@Bean
		MongoTemplate otherTemplate() {
			return MockDatabases.template(other());
		}

	}

}
