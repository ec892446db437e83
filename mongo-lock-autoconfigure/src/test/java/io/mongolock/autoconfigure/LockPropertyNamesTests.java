package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.mock.env.MockEnvironment;

import io.mongolock.annotation.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockPropertyNames} and {@link VariableNames}: the names.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockPropertyNamesTests extends AbstractAutoConfigurationTests {

	@Test
	void propertiesThatNothingReadsAreSaidWithTheNearestName(CapturedOutput output) {
		this.runner
			.withPropertyValues("mongo-lock.wait-timout=5s", "mongo-lock.locks.order.tll=5s",
					"mongo-lock.ttl-index.retain=1d", "mongo-lock.something-else=1")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("'mongo-lock.wait-timout'", "did you mean 'mongo-lock.wait-timeout'?")
			.contains("'mongo-lock.locks.order.tll'", "did you mean 'mongo-lock.locks.order.ttl'?")
			.contains("'mongo-lock.ttl-index.retain'")
			.contains("'mongo-lock.something-else'", "The documentation of mongo-lock");
	}

	@Test
	void aSettingOfAModuleThatIsNotThereIsNotTakenForAMisspeltOne(CapturedOutput output) {
		this.runner
			.withPropertyValues("mongo-lock.sequences.invoice.block=50", "mongo-lock.optimistic.delay=5ms",
					"mongo-lock.sequence-collection=numbers")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output)
			.contains("'mongo-lock.sequences.invoice.block'", "'mongo-lock.optimistic.delay'",
					"'mongo-lock.sequence-collection'")
			.doesNotContain("did you mean");
	}

	@Test
	void aPropertyWithoutAValueIsNotTakenForAMisspeltOne(CapturedOutput output) {
		this.runner
			.withPropertyValues("mongo-lock.ttl=", "mongo-lock.hand-over.max-time=", "mongo-lock.locks.order.ttl=")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output)
			.contains("'mongo-lock.ttl'", "'mongo-lock.hand-over.max-time'", "'mongo-lock.locks.order.ttl'")
			.contains("because the property has no value")
			.doesNotContain("did you mean", "The documentation of");
	}

	// Spring Boot 4.0 does not start with such a named lock, so no application here
	@Test
	void aGroupOfWhichThereIsTheNameAloneIsNotWarnedOf() {
		MockEnvironment environment = new MockEnvironment().withProperty("mongo-lock.ttl-index", "")
			.withProperty("mongo-lock.locks", "")
			.withProperty("mongo-lock.locks.order", "");
		assertThat(new LockPropertyNames(environment, List.of()).unknown()).isEmpty();
		environment.setProperty("mongo-lock.ttl-index", "1d");
		assertThat(new LockPropertyNames(environment, List.of()).unknown()).singleElement()
			.asString()
			.contains("'mongo-lock.ttl-index'");
		environment.setProperty("mongo-lock.locks", "1d");
		assertThat(new LockPropertyNames(environment, List.of()).unknown()).hasSize(2)
			.first()
			.asString()
			.contains("'mongo-lock.locks'");
	}

	@Test
	void aSettingInBracketsIsNotReadAsBootHasIt(CapturedOutput output) {
		this.runner
			.withPropertyValues("mongo-lock[waitTimeout]=7s", "mongo-lock[retry-interval]=1s",
					"mongo-lock.locks.order[renewInterval]=1s")
			.run((context) -> {
				MongoLockProperties properties = context.getBean(MongoLockProperties.class);
				assertThat(properties.settings().waitTimeout()).isNull();
				assertThat(properties.settings().retryInterval()).isNull();
			});
		assertThat(output).contains("'mongo-lock[waitTimeout]'", "'mongo-lock[retry-interval]'",
				"'mongo-lock.locks.order[renewInterval]'");
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
			.contains("variable 'MONGO_LOCK_LOCKS_SVC_TTL'. Write 'MONGOLOCK_LOCKS_SVC_TTL'")
			.contains("variable 'MONGOLOCK_WIBBLEWOBBLE'. The documentation")
			.doesNotContain("variable 'MONGOLOCK_LOCKS", "variable 'MONGOLOCK_WAIT", "variable 'MONGO_LOCK_RETRY",
					"MONGO_LOCK_TEST_URI");
	}

	@Test
	void theNamesThatConnectionsHadOnSpringBoot3AreSaid(CapturedOutput output) {
		this.runner
			.withPropertyValues("spring.data.mongodb.uri=mongodb://db", "spring.data.mongodb.database=shop",
					"spring.mongodb.database=shop")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output)
			.contains("'spring.data.mongodb.uri'. Since Spring Boot 4.0, the name of this property is "
					+ "'spring.mongodb.uri'")
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
		assertThat(output).contains("Put a name with dots in brackets, as in 'mongo-lock.locks[order.import].ttl'")
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
	void aNameThatOnlyBracketsCanSayIsSuggestedInThem(CapturedOutput output) {
		this.runner.withUserConfiguration(OddNames.class)
			.withInitializer(with("mongo-lock.locks.order:pay.ttl"))
			.withPropertyValues("mongo-lock.locks.orderexport.ttl=40s")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("No @DistributedLock has the name 'orderpay'")
			.contains(
					"did you mean mongo-lock.locks[order:pay].*? A name without brackets keeps only letters and digits")
			.contains("No @DistributedLock has the name 'orderexport'")
			.contains("did you mean mongo-lock.locks.order-export.*?")
			.doesNotContain("did you mean mongo-lock.locks.orderexpert.*?");
	}

	@Test
	void inBracketsItIsRead(CapturedOutput output) {
		this.runner.withUserConfiguration(OddNames.class)
			.withInitializer(with("mongo-lock.locks[order:pay].ttl"))
			.run((context) -> assertThat(context.getBean(MongoLockProperties.class).locks())
				.containsOnlyKeys("order:pay"));
		assertThat(output).doesNotContain("No @DistributedLock has the name");
	}

	// a colon in a name would be taken for the one before the value
	private static ApplicationContextInitializer<ConfigurableApplicationContext> with(String property) {
		return (context) -> context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("odd", Map.of(property, "40s")));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void whenALockedBeanIsLazyThenItsNameIsKnown(boolean all, CapturedOutput output) {
		this.runner.withUserConfiguration(LazyNames.class)
			.withPropertyValues("mongo-lock.locks.order-export.ttl=40s", "spring.main.lazy-initialization=" + all)
			.withInitializer((context) -> {
				if (all) {
					context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor());
				}
			})
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("No @DistributedLock has the name");
	}

	@Test
	void correctPropertiesAreNotWarnedOf(CapturedOutput output) {
		this.runner.withUserConfiguration(ServiceConfiguration.class)
			.withPropertyValues("mongo-lock.wait-timeout=5s", "mongo-lock.locks.order.ttl=30s")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("WARN", "No @DistributedLock");
	}

	@Configuration(proxyBeanMethods = false)
	static class LazyNames {

		@Bean
		@Lazy
		Odd odd() {
			return new Odd();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OddNames {

		@Bean
		Odd odd() {
			return new Odd();
		}

	}

	static class Odd {

		@DistributedLock("order:pay")
		void pay() {
		}

		@DistributedLock("order-export")
		void export() {
		}

		@DistributedLock("orderexpert")
		void expert() {
		}

	}

}
