package io.mongolock.autoconfigure;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.Arguments;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.mongolock.LockMode;
import io.mongolock.LockOperations;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.interceptor.RecordingLockOperations;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for locks on documents that are refused at startup.
 */
class RefusedDocumentTests extends AbstractRefusedMethodTests {

	static final List<Arguments> refused = List.of(
			Arguments.of(DocumentWithoutKey.class, "has document = Order.class, but no key"),
			Arguments.of(DocumentWithLimit.class, "has document = Order.class and limit = \"3\""),
			Arguments.of(SharedDocument.class, "has document = Order.class and mode = SHARED"),
			Arguments.of(DocumentWithMinHold.class, "has document = Order.class and minHold = \"1m\""),
			Arguments.of(SeveralDocuments.class, "of type java.util.List<java.lang.String>, but a document is locked"),
			Arguments.of(OfDocument.class, "has document = Order.class, but the application cannot lock documents"),
			Arguments.of(DocumentLater.class, "an asynchronous result"));

	@Test
	void withoutTheModuleForDocumentsTheWayOutNamesIt() {
		new ApplicationContextRunner().withBean(LockOperations.class, RecordingLockOperations::new)
			.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class))
			.withBean(OfDocument.class)
			.run((context) -> assertThat(
					new LockStartupFailureAnalyzer().analyze(context.getStartupFailure()).getAction())
				.contains("Add mongo-lock-documents (part of mongo-lock-starter)"));
	}

	static class SeveralDocuments {

		@DistributedLock(document = Order.class, key = "#ids")
		void run(List<String> ids) {
		}

	}

	static class DocumentWithoutKey {

		@DistributedLock(document = Order.class)
		void run(String id) {
		}

	}

	static class DocumentWithLimit {

		@DistributedLock(document = Order.class, key = "#id", limit = "3")
		void run(String id) {
		}

	}

	static class SharedDocument {

		@DistributedLock(document = Order.class, key = "#id", mode = LockMode.SHARED)
		void run(String id) {
		}

	}

	static class DocumentWithMinHold {

		@DistributedLock(document = Order.class, key = "#id", minHold = "1m")
		void run(String id) {
		}

	}

	static class OfDocument {

		@DistributedLock(document = Order.class, key = "#id")
		void run(String id) {
		}

	}

	static class DocumentLater {

		@DistributedLock(document = Order.class, key = "#id")
		CompletableFuture<String> run(String id) {
			return new CompletableFuture<>();
		}

	}

	static class Order {

	}

}
