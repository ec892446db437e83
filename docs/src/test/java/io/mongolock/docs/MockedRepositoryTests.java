package io.mongolock.docs;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.repository.config.EnableMongoRepositories;
import org.springframework.data.repository.CrudRepository;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import io.mongolock.annotation.DistributedLock;
import io.mongolock.test.LockAssertions;
import io.mongolock.test.autoconfigure.AutoConfigureMongoLockTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/**
 * What docs/testing.md says of mocks: a repository can be one, a {@link MongoTemplate}
 * cannot.
 */
@SpringBootTest(properties = "spring.mongodb.uri=mongodb://not.there.invalid/orders")
@AutoConfigureMongoLockTest
class MockedRepositoryTests {

	@Autowired
	private LockAssertions locks;

	@Autowired
	private Refunds refunds;

	@MockitoBean
	private RefundRepository repository;

	@Test
	void aRepositoryMayBeMocked() {
		this.locks.assertThatLock("refund:42").isTakenBy(() -> this.refunds.refund("42")).isFree();
		then(this.repository).should().save(new Refund("42"));
	}

	@Test
	void withAMockedTemplateBootsGridFsTemplateCannotBeMade() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(MongoAutoConfiguration.class, DataMongoAutoConfiguration.class))
			.withBean(MongoTemplate.class, () -> mock(MongoTemplate.class))
			.run((context) -> assertThat(context).getFailure().hasMessageContaining("gridFsTemplate"));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableMongoRepositories(considerNestedRepositories = true, basePackageClasses = MockedRepositoryTests.class)
	@Import(Refunds.class)
	static class App {

	}

	static class Refunds {

		private final RefundRepository repository;

		Refunds(RefundRepository repository) {
			this.repository = repository;
		}

		@DistributedLock(name = "refund", key = "#id")
		void refund(String id) {
			this.repository.save(new Refund(id));
		}

	}

	interface RefundRepository extends CrudRepository<Refund, String> {

	}

	record Refund(@Id String id) {

	}

}
