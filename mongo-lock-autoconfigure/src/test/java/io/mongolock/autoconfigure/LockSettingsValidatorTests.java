package io.mongolock.autoconfigure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;

import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.ConfigurationPropertiesBinding;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.convert.converter.Converter;
import org.springframework.core.io.ClassPathResource;

import io.mongolock.InvalidLockSettingsException;
import io.mongolock.LockSettings;
import io.mongolock.client.LockTemplate;
import io.mongolock.client.UnlockedLockOperations;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.interceptor.LockOperationSourceAdvisor;
import io.mongolock.store.mongo.Notifications;
import io.mongolock.store.mongo.TtlIndexInitializer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link MongoLockProperties} and {@link LockSettingsValidator}: the values.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockSettingsValidatorTests extends AbstractAutoConfigurationTests {

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
			.run(failsWith("mongo-lock.enabled", "'" + value + "'", "must be true, false"));
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
	void aDurationThatOnlyTheApplicationUnderstandsHidesNoOtherWithoutAUnit() {
		this.runner.withUserConfiguration(WordsConfiguration.class)
			.withPropertyValues("mongo-lock.ttl=one minute")
			.run((context) -> assertThat(context.getBean(MongoLockProperties.class).settings().ttl()).hasMinutes(1));
		this.runner.withUserConfiguration(WordsConfiguration.class)
			.withPropertyValues("mongo-lock.ttl=one minute", "mongo-lock.wait-timeout=10")
			.run(failsWith("mongo-lock.wait-timeout", "'10'", "has no unit"));
	}

	@Test
	void allProperties() {
		this.runner
			.withPropertyValues("mongo-lock.collection=c", "mongo-lock.key-prefix=p:", "mongo-lock.ttl=60s",
					"mongo-lock.margin=12s", "mongo-lock.renew-interval=10s", "mongo-lock.operation-timeout=2s",
					"mongo-lock.wait-timeout=0", "mongo-lock.retry-interval=PT0.05S", "mongo-lock.auto-renew=false",
					"mongo-lock.locks.order.ttl=90s", "mongo-lock.locks.order.auto-renew=true",
					"mongo-lock.locks.order.limit=10", "mongo-lock.linger=2s", "mongo-lock.locks.order.linger=3s",
					"mongo-lock.ttl-index.mode=validate", "mongo-lock.ttl-index.retention=1d",
					"mongo-lock.shutdown-timeout=9s", "mongo-lock.advisor-order=5", "mongo-lock.notifications=off")
			.run((context) -> {
				MongoLockProperties properties = context.getBean(MongoLockProperties.class);
				assertThat(properties.collection()).isEqualTo("c");
				assertThat(properties.keyPrefix()).isEqualTo("p:");
				assertThat(properties.ttlIndex())
					.isEqualTo(new MongoLockProperties.TtlIndex(TtlIndexInitializer.Mode.VALIDATE, Duration.ofDays(1)));
				assertThat(properties.shutdownTimeout()).isEqualTo(Duration.ofSeconds(9));
				assertThat(properties.notifications()).isEqualTo(Notifications.OFF);
				assertThat(context.getBean(LockOperationSourceAdvisor.class).getOrder()).isEqualTo(5);
				ConfiguredSettings configured = context.getBean(ConfiguredSettings.class);
				assertThat(configured.global()).isEqualTo(LockSettings.builder()
					.ttl(Duration.ofSeconds(60))
					.margin(Duration.ofSeconds(12))
					.renewInterval(Duration.ofSeconds(10))
					.operationTimeout(Duration.ofSeconds(2))
					.waitTimeout(Duration.ZERO)
					.retryInterval(Duration.ofMillis(50))
					.autoRenew(false)
					.linger(Duration.ofSeconds(2))
					.build());
				assertThat(configured.byName()).isEqualTo(Map.of("order",
						LockSettings.builder()
							.ttl(Duration.ofSeconds(90))
							.autoRenew(true)
							.limit(10)
							.linger(Duration.ofSeconds(3))
							.build()));
				assertThatExceptionOfType(InvalidLockSettingsException.class)
					.isThrownBy(() -> configured.terms(null, LockSettings.builder().ttl(Duration.ofHours(13)).build()))
					.withMessageContaining("mongo-lock.ttl-index.retention (1d)");
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
					place-ttl=499ms                          | mongo-lock.place-ttl          | '499ms' | between 500ms and 1m. Each waiting instance refreshes its places
					place-ttl=61s                            | mongo-lock.place-ttl          | '61s'  | between 500ms and 1m
					max-places=0                             | mongo-lock.max-places         | '0'    | between 1 and 10000
					max-places=10001                         | mongo-lock.max-places         | '10001' | between 1 and 10000
					shutdown-timeout=0s                      | mongo-lock.shutdown-timeout   | '0s'   | longer than zero
					shutdown-timeout=10001d                  | mongo-lock.shutdown-timeout   | '10001d' | at most 10000d
					hand-over.max-time=-1ms                  | mongo-lock.hand-over.max-time | '-1ms' | from 0 to 10000d
					hand-over.max-time=10001d                | mongo-lock.hand-over.max-time | '10001d' | from 0 to 10000d
					hand-over.max-time=250                   | mongo-lock.hand-over.max-time | '250'  | Write 250ms, or 250s
					hand-over.max-count=10001                | mongo-lock.hand-over.max-count | '10001' | from 0 to 10000
					ttl-index.retention=0s                   | mongo-lock.ttl-index.retention | '0s'  | longer than zero
					collection=                              | mongo-lock.collection         | ''     | must not be blank
					collection=a$b                           | mongo-lock.collection         | 'a$b'  | must not contain '$'
					collection=system.locks                  | mongo-lock.collection         | 'system.locks' | begin with 'system.'
					ttl-index.retention=999ms                | mongo-lock.ttl-index.retention | '999ms' | between 1 and 2147483647 seconds
					ttl-index.retention=2147483648s          | mongo-lock.ttl-index.retention | '2147483648s' | between 1 and 2147483647 seconds
					ttl-index.retention=59s                  | mongo-lock.ttl-index.retention | '59s' | at least twice the default ttl of 30s
					ttl=4d                                   | mongo-lock.ttl                | '4d'   | half of mongo-lock.ttl-index.retention
					locks.order.renew-interval=9s            | mongo-lock.locks.order.renew-interval | '9s' | / 3 = 8000ms
					locks.order.ttl=4d                       | mongo-lock.locks.order.ttl    | '4d'   | half of mongo-lock.ttl-index.retention
					margin=29999ms                           | mongo-lock.margin             | '29999ms' | must be at least 10ms shorter than the ttl (30000ms)
					ttl=100                                  | mongo-lock.ttl                | '100'  | Write 100ms, or 100s
					linger=-1ms                              | mongo-lock.linger             | '-1ms' | at least 0ms
					linger=1                                 | mongo-lock.linger             | '1'    | Write 1ms, or 1s
					locks.order.linger=-1ms                  | mongo-lock.locks.order.linger | '-1ms' | at least 0ms
					locks.order.limit=0                      | mongo-lock.locks.order.limit  | '0'    | must be at least 1
					locks.order.limit=many                   | mongo-lock.locks.order.limit  | many   | Integer
					locks.order.wait-timeout=5               | mongo-lock.locks.order.wait-timeout | '5' | Write 5ms, or 5s
					locks.nightly-report.min-hold=60         | mongo-lock.locks.nightly-report.min-hold | '60' | Write 60ms, or 60s
					locks.nightlyReport.waitTimeout=5        | locks.nightlyReport.waitTimeout | '5' | Write 5ms, or 5s
					locks[a.b].ttl=300                       | mongo-lock.locks[a.b].ttl     | '300'  | Write 300ms, or 300s
					ttl-index.retention=7                    | mongo-lock.ttl-index.retention | '7'   | has no unit
					shutdown-timeout=30                      | mongo-lock.shutdown-timeout   | '30'   | has no unit
					ttl-index.mode=sometimes                 | mongo-lock.ttl-index.mode     | sometimes | CREATE
					notifications=loud                       | mongo-lock.notifications      | loud   | AUTO
					advisor-order=first                      | mongo-lock.advisor-order      | first  | Integer
					""")
	void wrongSettingsAreExplained(String setting, String property, String value, String reason) {
		this.runner.withPropertyValues("mongo-lock." + setting).run(failsWith(property, value, reason));
	}

	@ParameterizedTest
	@MethodSource("offered")
	void aValueThatAnEditorOffersIsAccepted(String setting) {
		this.runner.withPropertyValues(setting).run((context) -> assertThat(context).hasNotFailed());
	}

	static Stream<String> offered() throws IOException {
		String metadata = new ClassPathResource("META-INF/additional-spring-configuration-metadata.json")
			.getContentAsString(StandardCharsets.UTF_8);
		return Document.parse(metadata)
			.getList("hints", Document.class)
			.stream()
			.filter((hint) -> hint.containsKey("values"))
			.flatMap((hint) -> hint.getList("values", Document.class)
				.stream()
				.map((value) -> setting(hint.getString("name"), value.getString("value"))));
	}

	private static String setting(String name, String value) {
		return (name.endsWith(".keys")) ? name.replaceFirst("keys$", value) + ".ttl=1m" : name + "=" + value;
	}

	@Test
	void theLongestLeaseIsTheLongestTtlOrMinimumHoldThatIsConfiguredOrDeclared() {
		this.runner.withPropertyValues("mongo-lock.ttl=1m").run((context) -> {
			LockSettingsValidator validator = context.getBean(LockSettingsValidator.class);
			assertThat(validator.longestLease()).isEqualTo(Duration.ofMinutes(1));
			validator.terms(null, LockSettings.builder().ttl(Duration.ofMinutes(2)).build());
			validator.terms("order", LockSettings.builder().minHold(Duration.ofHours(1)).build());
			validator.terms(null, LockSettings.NONE);
			assertThat(validator.longestLease()).isEqualTo(Duration.ofHours(1));
		});
		this.runner.withPropertyValues("mongo-lock.locks.order.ttl=2d")
			.run((context) -> assertThat(context.getBean(LockSettingsValidator.class).longestLease())
				.isEqualTo(Duration.ofDays(2)));
	}

	@Test
	void prefixThatLeavesNoRoomForKeysIsExplained() {
		this.runner.withPropertyValues("mongo-lock.key-prefix=" + "p".repeat(1024))
			.run(failsWith("mongo-lock.key-prefix", "ppp", "1024 bytes", "At most 1023"));
	}

	@Test
	void retentionOfLessThanTwiceTheDefaultTtlIsNotBlamedOnWhatElseIsSet() {
		this.runner.withPropertyValues("mongo-lock.ttl-index.retention=59s", "mongo-lock.margin=5s")
			.run(failsWith("mongo-lock.ttl-index.retention", "'59s'", "at least twice the default ttl"));
		this.runner.withPropertyValues("mongo-lock.ttl-index.retention=59s", "mongo-lock.ttl=40s")
			.run(failsWith("mongo-lock.ttl", "'40s'", "half of mongo-lock.ttl-index.retention (59s)"));
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
		assertThat(output).contains("a ttl of 4s, so their leases last only 2200ms while MongoDB has no primary",
				"Use a ttl of at least 17s");
		assertThat(output).doesNotContain("600ms").doesNotContain("WARN");
	}

	@ParameterizedTest
	@CsvSource({ "ttl=17s, 1s, false, 17s", "ttl=16s, 1s, true, 17s", "ttl=22s, 5800ms, true, 23s",
			"ttl=23s, 6s, false, 23s" })
	void aLeaseThatOutlastsNoElectionIsSaid(String ttl, String interval, boolean said, String enough,
			CapturedOutput output) {
		this.runner.withPropertyValues("mongo-lock." + ttl, "mongo-lock.renew-interval=" + interval)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output.toString().contains("while MongoDB has no primary")).isEqualTo(said);
		assertThat(output.toString().contains("Use a ttl of at least " + enough + "\n")).isEqualTo(said);
	}

	@Test
	void aLingerThatTheLeaseCutsShortIsSaidOnce(CapturedOutput output) {
		this.runner
			.withPropertyValues("mongo-lock.linger=12s", "mongo-lock.locks.order.linger=13s",
					"mongo-lock.locks.stock.linger=13s")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("Locks have a linger")
			.containsOnlyOnce(
					"have a linger of 13s, but an idle lease ends after at most (ttl - margin) / 2, which is 12s");
	}

	@Test
	void hintsNameTheLocksTheyAreAbout(CapturedOutput output) {
		this.runner.withPropertyValues("mongo-lock.locks.order.ttl=10s")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("Locks named 'order' have a ttl of 10s");
	}

	@Configuration(proxyBeanMethods = false)
	static class WordsConfiguration {

		@Bean
		@ConfigurationPropertiesBinding
		Words words() {
			return new Words();
		}

	}

	static class Words implements Converter<String, Duration> {

		@Override
		public Duration convert(String text) {
			return (text.equals("one minute")) ? Duration.ofMinutes(1) : DurationStyle.detectAndParse(text);
		}

	}

}
