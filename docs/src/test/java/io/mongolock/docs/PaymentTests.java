package io.mongolock.docs;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import com.mongodb.ConnectionString;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.mongolock.LockContext;
import io.mongolock.LockUnavailableException;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.test.LockAssertions;
import io.mongolock.test.autoconfigure.AutoConfigureMongoLockTest;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The test without a server that docs/testing.md shows.
 */
@SpringBootTest(properties = "mongo-lock.wait-timeout=0s")
@AutoConfigureMongoLockTest
class PaymentTests {

	@Autowired
	private LockAssertions locks;

	@Autowired
	private Payments payments;

	@Autowired
	private MongoTemplate mongo;

	@Test
	void anOrderIsPaidOnceUnderItsLock() {
		Runnable charge = () -> {
		};
		this.locks.assertThatLock("order:42").isTakenBy(() -> this.payments.pay("42", () -> {
			assertThat(LockContext.current().key()).isEqualTo("order:42");
			CompletableFuture<Void> other = CompletableFuture.runAsync(() -> this.payments.pay("42", charge));
			assertThatExceptionOfType(CompletionException.class).isThrownBy(other::join)
				.withCauseInstanceOf(LockUnavailableException.class);
		})).isFree();
		assertThatExceptionOfType(DuplicateKeyException.class).isThrownBy(() -> this.payments.pay("42", charge));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Payments.class)
	static class App {

		@Bean
		EmbeddedMongo embeddedMongo() {
			return EmbeddedMongo.builder().replicaSet().start();
		}

		@Bean
		MongoConnectionDetails mongoConnectionDetails(EmbeddedMongo server) {
			return () -> new ConnectionString(server.connectionString() + "/orders");
		}

		@Bean
		MongoTransactionManager transactionManager(MongoDatabaseFactory factory) {
			return new MongoTransactionManager(factory);
		}

	}

	static class Payments {

		private final MongoTemplate mongo;

		Payments(MongoTemplate mongo) {
			this.mongo = mongo;
		}

		@DistributedLock(name = "order", key = "#id")
		@Transactional
		void pay(String id, Runnable charge) {
			this.mongo.insert(new Payment(id));
			charge.run();
		}

	}

	record Payment(@Id String id) {

	}

}
