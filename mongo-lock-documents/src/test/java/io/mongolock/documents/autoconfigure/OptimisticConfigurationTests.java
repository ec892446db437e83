package io.mongolock.documents.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.BDDMockito;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.SimpleMongoClientDatabaseFactory;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.BackOffExecution;

import io.mongolock.documents.OptimisticUpdater;
import io.mongolock.spi.LockStartupException;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link OptimisticUpdater} in an application.
 */
class OptimisticConfigurationTests {

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.start();

	private final ApplicationContextRunner bare = DocumentContexts.bare();

	private final ApplicationContextRunner runner = DocumentContexts.on(this.server);

	@ParameterizedTest
	@CsvSource({ "true", "false" })
	void itIsThereWithAndWithoutLocks(boolean enabled) {
		this.runner.withPropertyValues("mongo-lock.enabled=" + enabled).run((context) -> {
			OptimisticUpdater updater = context.getBean(OptimisticUpdater.class);
			for (int i = 1; i <= 2; i++) {
				assertThat(updater.updateOrCreate(Page.class, "a", () -> new Page("a", 0, null), Page::next).n())
					.isEqualTo(i);
			}
		});
	}

	@Test
	void anApplicationMayHaveItsOwn() {
		OptimisticUpdater own = BDDMockito.mock();
		this.runner.withBean(OptimisticUpdater.class, () -> own)
			.run((context) -> assertThat(context).getBean(OptimisticUpdater.class).isSameAs(own));
	}

	@Test
	void waitsAreRandomUpToABoundThatGrowsAndStopsGrowing() {
		List<Long> bounds = List.of(10L, 20L, 40L, 50L, 50L);
		BackOff backOff = new MongoLockDocumentsProperties.Optimistic(6, Duration.ofMillis(10), 2,
				Duration.ofMillis(50))
			.backOff();
		long[] longest = new long[bounds.size()];
		for (int i = 0; i < 2000; i++) {
			BackOffExecution execution = backOff.start();
			for (int j = 0; j < longest.length; j++) {
				long wait = execution.nextBackOff();
				assertThat(wait).isBetween(5L, bounds.get(j));
				longest[j] = Math.max(longest[j], wait);
			}
			assertThat(execution.nextBackOff()).isEqualTo(BackOffExecution.STOP);
		}
		IntStream.range(0, longest.length)
			.forEach((j) -> assertThat(longest[j]).isGreaterThanOrEqualTo(bounds.get(j) - 1));
	}

	@Test
	void itIsAttemptedAsOftenAsTheSettingsSay() {
		this.runner
			.withPropertyValues("mongo-lock.optimistic.max-attempts=3", "mongo-lock.optimistic.delay=1ms",
					"mongo-lock.optimistic.multiplier=1.5", "mongo-lock.optimistic.max-delay=2ms")
			.run((context) -> {
				MongoTemplate template = context.getBean(MongoTemplate.class);
				template.insert(new Page("a", 0, null));
				AtomicInteger calls = new AtomicInteger();
				assertThatExceptionOfType(OptimisticLockingFailureException.class)
					.isThrownBy(() -> context.getBean(OptimisticUpdater.class).update(Page.class, "a", (page) -> {
						calls.incrementAndGet();
						template.save(page.next());
						return page.next();
					}))
					.withMessageContaining("3 attempts");
				assertThat(calls).hasValue(3);
			});
	}

	@ParameterizedTest
	@CsvSource({ "max-attempts, 0, must be at least 1", "delay, 0ms, must be longer than zero",
			"multiplier, 0.5, must be at least 1",
			"max-delay, 1ms, 'must be at least as long as the first delay, which is 10ms'", "delay, 20, has no unit",
			"max-delay, 10001d, at most 10000d", "multiplier, NaN, must be at least 1" })
	void wrongSettingsAreRefusedByName(String property, String value, String reason) {
		this.runner.withPropertyValues("mongo-lock.optimistic." + property + "=" + value)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (ex) -> {
					assertThat(ex.getName()).isEqualTo("mongo-lock.optimistic." + property);
					assertThat(ex.getReason()).contains(reason);
				}));
	}

	@Test
	void aDurationIsSaidAsOneWritesIt() {
		this.bare.withPropertyValues("mongo-lock.optimistic.delay=2m", "mongo-lock.optimistic.max-delay=90s")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("must be at least as long as the first delay, which is 2m"));
	}

	@Test
	void severalTemplatesAreExplainedWithTheWayOut() {
		Throwable failure = new IllegalStateException(new LockStartupException("There are several.", "Mark one."));
		FailureAnalysis analysis = SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, FailureHandler.handleMessage((message, unloaded) -> {
				// The analyzers of others may need more
			}))
			.stream()
			.flatMap((analyzer) -> Stream.ofNullable(analyzer.analyze(failure)))
			.findFirst()
			.orElseThrow();
		assertThat(analysis.getDescription()).isEqualTo("There are several.");
		assertThat(analysis.getAction()).isEqualTo("Mark one.");
	}

	@Test
	void withSeveralTemplatesOnlyThoseFailWhoAsk() {
		MongoDatabaseFactory factory = database();
		this.bare.withPropertyValues("mongo-lock.ttl-index.mode=none")
			.withBean(MongoDatabaseFactory.class, () -> factory)
			.withBean("one", MongoTemplate.class, () -> new MongoTemplate(factory))
			.withBean("other", MongoTemplate.class, () -> new MongoTemplate(factory))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThatExceptionOfType(BeanCreationException.class)
					.isThrownBy(() -> context.getBean(OptimisticUpdater.class))
					.havingRootCause()
					.withMessageContaining("OptimisticUpdater needs one MongoTemplate")
					.withMessageContaining("OptimisticUpdater.of(template, backOff, context)");
			});
	}

	@Test
	void withoutSpringDataThereIsNone() {
		this.bare.withClassLoader(new FilteredClassLoader(MongoTemplate.class))
			.withPropertyValues("mongo-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("mongoLockOptimisticUpdater"));
	}

	private MongoDatabaseFactory database() {
		return new SimpleMongoClientDatabaseFactory(this.server.connectionString() + "/app");
	}

	record Page(@Id String id, int n, @Version Long version) {

		Page next() {
			return new Page(this.id, this.n + 1, this.version);
		}

	}

}
