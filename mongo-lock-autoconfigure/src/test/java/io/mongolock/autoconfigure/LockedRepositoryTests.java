package io.mongolock.autoconfigure;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.FilterType;
import org.springframework.data.mongodb.repository.MongoRepository;
import org.springframework.data.mongodb.repository.Query;
import org.springframework.data.mongodb.repository.config.EnableMongoRepositories;
import org.springframework.data.repository.CrudRepository;

import io.mongolock.annotation.DistributedLock;
import io.mongolock.interceptor.RecordingLockOperations;
import io.mongolock.interceptor.check.LockMethodVerifier;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for locks on repositories of Spring Data, whose proxy has a target that does not
 * know the interface.
 */
class LockedRepositoryTests {

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.start();

	private final RecordingLockOperations locks = new RecordingLockOperations();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class))
		.withConfiguration(AutoConfigurations.of(MongoAutoConfiguration.class, DataMongoAutoConfiguration.class))
		.withPropertyValues("spring.mongodb.uri=" + this.server.connectionString() + "/app")
		.withBean(RecordingLockOperations.class, () -> this.locks)
		.withUserConfiguration(Repositories.class);

	@Test
	void aLockOnTheInterfaceGuardsItsMethodsAndThoseItInherits() {
		this.runner.run((context) -> {
			OnType repository = context.getBean(OnType.class);
			repository.save(new Stock("a", 1));
			repository.findByLeftGreaterThan(0);
			((CrudRepository<Stock, String>) repository).count();
			assertThat(this.locks.events()).containsExactly("acquire stock", "release stock", "acquire stock",
					"release stock", "acquire stock", "release stock");
		});
	}

	@Test
	void aLockOnAMethodGuardsItByWhateverTypeItIsCalled() {
		this.runner.run((context) -> {
			OnMethods repository = context.getBean(OnMethods.class);
			repository.save(new Stock("a", 1));
			((CrudRepository<Stock, String>) repository).save(new Stock("b", 1));
			repository.take("c");
			repository.findById("a");
			assertThat(this.locks.events()).containsExactly("acquire save:a", "release save:a", "acquire save:b",
					"release save:b", "acquire take:c", "release take:c");
		});
	}

	@Test
	void onlyMethodsOfTheRepositoryAreCounted() {
		this.runner.run((context) -> {
			context.getBean(OnType.class);
			context.getBean(OnMethods.class);
			long methods = Arrays.stream(OnType.class.getMethods()).filter((one) -> !one.isSynthetic()).count();
			assertThat(context.getBean(LockMethodVerifier.class).guardedMethods()).isEqualTo((int) methods + 2);
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableMongoRepositories(considerNestedRepositories = true,
			includeFilters = @Filter(type = FilterType.ASSIGNABLE_TYPE, classes = { OnType.class, OnMethods.class }))
	static class Repositories {

	}

	record Stock(String id, int left) {

	}

	@DistributedLock("stock")
	interface OnType extends MongoRepository<Stock, String> {

		Collection<Stock> findByLeftGreaterThan(int left);

	}

	interface OnMethods extends CrudRepository<Stock, String> {

		@Override
		@DistributedLock(name = "save", key = "#p0.id")
		<S extends Stock> S save(S stock);

		@Override
		Optional<Stock> findById(String id);

		@Query("{ _id: ?0 }")
		@DistributedLock(name = "take", key = "#id")
		List<Stock> take(String id);

	}

}
