package io.mongolock.docs;

import com.mongodb.ConnectionString;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What docs/testing.md says of {@link MongoConnectionDetails}.
 */
@SpringBootTest(properties = "spring.mongodb.uri=mongodb://not.there.invalid/")
class ConnectionDetailsTests {

	@Autowired
	private LockOperations locks;

	@Autowired
	private MongoTemplate mongo;

	@Test
	void locksLiveOnTheServerOfTheConnectionDetails() {
		try (LockHandle handle = this.locks.acquire(LockRequest.of("order:42"))) {
			assertThat(handle.isHeld()).isTrue();
			assertThat(this.mongo.getDb().getName()).isEqualTo("orders");
			assertThat(this.mongo.getCollection("locks").countDocuments()).isOne();
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class App {

	}

	@TestConfiguration(proxyBeanMethods = false)
	static class EmbeddedServer {

		@Bean
		EmbeddedMongo embeddedMongo() {
			return EmbeddedMongo.start();
		}

		@Bean
		MongoConnectionDetails mongoConnectionDetails(EmbeddedMongo server) {
			return () -> new ConnectionString(server.connectionString() + "/orders");
		}

	}

}
