package io.mongolock.sample.slices;

import com.mongodb.ConnectionString;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.mongodb.test.autoconfigure.DataMongoTest;
import org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.repository.MongoRepository;
import org.springframework.data.mongodb.repository.config.EnableMongoRepositories;
import org.springframework.test.context.ContextConfiguration;

import io.mongolock.annotation.DistributedLock;
import io.mongolock.data.Sequences;
import io.mongolock.documents.DocumentLockOperations;
import io.mongolock.store.LockStore;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.test.InMemoryLockStore;
import io.mongolock.test.LockAssertions;
import io.mongolock.test.autoconfigure.AutoConfigureMongoLockTest;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what of the locks is in a {@link DataMongoTest}.
 */
class DataMongoSliceTests {

	@Nested
	@DataMongoTest
	@ContextConfiguration(classes = Shop.class)
	@Import(EmbeddedServer.class)
	class AsItIs {

		@Test
		void repositoriesRunUnderTheirLocksInTheDatabaseOfTheSlice(@Autowired Stocks stocks, @Autowired LockStore store,
				@Autowired MongoTemplate mongo) {
			assertThat(store).isInstanceOf(MongoLockStore.class);
			new LockAssertions(store).assertThatLock("stock:a")
				.isTakenBy(() -> assertThat(stocks.existsById("a")).isFalse())
				.isFree();
			assertThat(mongo.getCollection("locks").countDocuments()).isOne();
		}

		@Test
		void soAreTheToolsForDocuments(@Autowired Sequences sequences, @Autowired DocumentLockOperations documents) {
			assertThat(sequences.next("invoice")).isOne();
			assertThat(documents).isNotNull();
		}

	}

	@Nested
	@DataMongoTest
	@AutoConfigureMongoLockTest
	@ContextConfiguration(classes = Shop.class)
	@Import(EmbeddedServer.class)
	class InMemory {

		@Test
		void onlyTheLocksAreInMemory(@Autowired Stocks stocks, @Autowired LockStore store,
				@Autowired LockAssertions locks, @Autowired MongoTemplate mongo) {
			assertThat(store).isInstanceOf(InMemoryLockStore.class);
			locks.assertThatLock("stock:a").isTakenBy(() -> stocks.existsById("a")).isFree();
			assertThat(mongo.getCollectionNames()).doesNotContain("locks");
		}

	}

	interface Stocks extends MongoRepository<Stock, String> {

		@Override
		@DistributedLock(name = "stock", key = "#p0")
		boolean existsById(String id);

	}

	record Stock(String id, int left) {

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableMongoRepositories(considerNestedRepositories = true, basePackageClasses = Stocks.class)
	static class Shop {

	}

	@TestConfiguration(proxyBeanMethods = false)
	static class EmbeddedServer {

		@Bean
		EmbeddedMongo embeddedMongo() {
			return EmbeddedMongo.start();
		}

		@Bean
		MongoConnectionDetails mongoConnectionDetails(EmbeddedMongo server) {
			return () -> new ConnectionString(server.connectionString() + "/shop");
		}

	}

}
