package org.example.desk;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.documents.DocumentLockOperations;
import io.mongolock.documents.autoconfigure.MongoLockDocumentsAutoConfiguration;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The locked document that an application forgets is reported with the place in the
 * application, not with one in this library.
 */
@ExtendWith(OutputCaptureExtension.class)
class ForgottenDocumentTests {

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.start();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(MongoAutoConfiguration.class, DataMongoAutoConfiguration.class,
				MongoLockAutoConfiguration.class, MongoLockDocumentsAutoConfiguration.class))
		.withPropertyValues("spring.mongodb.uri=" + this.server.connectionString() + "/app",
				"mongo-lock.shutdown-timeout=1s");

	@Test
	void theReportNamesWhoLockedIt(CapturedOutput output) {
		this.runner.run((context) -> {
			context.getBean(MongoTemplate.class).insert(new Drawing("a", null));
			lockAndForget(context.getBean(DocumentLockOperations.class));
			Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> {
				System.gc();
				return output.toString().contains("was garbage-collected without being closed");
			});
		});
		assertThat(output).contains("acquired at " + ForgottenDocumentTests.class.getName() + ".lockAndForget(");
	}

	private static void lockAndForget(DocumentLockOperations documents) {
		documents.lock(Drawing.class, "a");
	}

	record Drawing(@Id String id, @Version @Nullable Long version) {

	}

}
