package io.mongolock.documents.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.data.MongoLockDataAutoConfiguration;
import io.mongolock.test.embedded.EmbeddedMongo;

/**
 * Applications with the documents' module.
 */
final class DocumentContexts {

	private DocumentContexts() {
	}

	// Without MongoDB, unless the test adds it
	static ApplicationContextRunner bare() {
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class,
				MongoLockDataAutoConfiguration.class, MongoLockDocumentsAutoConfiguration.class));
	}

	static ApplicationContextRunner on(EmbeddedMongo server) {
		return bare()
			.withConfiguration(AutoConfigurations.of(MongoAutoConfiguration.class, DataMongoAutoConfiguration.class))
			.withPropertyValues("spring.mongodb.uri=" + server.connectionString() + "/app",
					"mongo-lock.ttl-index.mode=none", "mongo-lock.shutdown-timeout=1s");
	}

}
