package io.mongolock.data;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.test.embedded.EmbeddedMongo;

/**
 * Applications with this module.
 */
final class DataContexts {

	private DataContexts() {
	}

	// Without MongoDB, unless the test adds it
	static ApplicationContextRunner bare() {
		return new ApplicationContextRunner().withConfiguration(
				AutoConfigurations.of(MongoLockAutoConfiguration.class, MongoLockDataAutoConfiguration.class));
	}

	static ApplicationContextRunner on(EmbeddedMongo server) {
		return bare()
			.withConfiguration(AutoConfigurations.of(MongoAutoConfiguration.class, DataMongoAutoConfiguration.class))
			.withPropertyValues("spring.mongodb.uri=" + server.connectionString() + "/app",
					"mongo-lock.ttl-index.mode=none");
	}

}
