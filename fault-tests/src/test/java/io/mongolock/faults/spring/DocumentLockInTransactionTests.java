package io.mongolock.faults.spring;

import java.time.Duration;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.mapping.Document;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockSettings;
import io.mongolock.faults.harness.RealServer;
import io.mongolock.faults.harness.ServerKind;
import io.mongolock.faults.harness.StartsApplication;
import io.mongolock.mongodb.DocumentLockOperations;
import io.mongolock.mongodb.LockedDocument;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locked documents inside transactions of a real replica set, which the embedded server
 * does not have.
 */
@Tag("real-server")
@Timeout(120)
@StartsApplication
class DocumentLockInTransactionTests {

	private static final LockSettings EDITING = LockSettings.builder().ttl(Duration.ofMinutes(5)).build();

	private final String id = UUID.randomUUID().toString();

	private ConfigurableApplicationContext context;

	private MongoTemplate template;

	private DocumentLockOperations documents;

	private TransactionTemplate transaction;

	@BeforeEach
	void start() {
		this.context = SpringApp.start(RealServer.uri(ServerKind.REPLICA_SET), App.class);
		this.template = this.context.getBean(MongoTemplate.class);
		this.documents = this.context.getBean(DocumentLockOperations.class);
		this.transaction = new TransactionTemplate(this.context.getBean(MongoTransactionManager.class));
		this.template.insert(new Page(this.id, "draft"));
	}

	@AfterEach
	void stop() {
		if (this.context != null) {
			this.context.close();
		}
	}

	@Test
	void theCommitReleasesTheLockOfWhatWasSaved() {
		LockedDocument<Page> locked = this.documents.lock(Page.class, this.id, EDITING);
		this.transaction.executeWithoutResult((status) -> {
			this.documents.save(locked, new Page(this.id, "saved"));
			assertThat(this.documents.find(Page.class, this.id)).as("seen from outside").isPresent();
		});
		assertThat(this.documents.find(Page.class, this.id)).isEmpty();
		assertThat(stored()).isEqualTo(new Page(this.id, "saved"));
	}

	@Test
	void aRollbackUndoesTheSaveAndKeepsTheLock() {
		LockedDocument<Page> locked = this.documents.lock(Page.class, this.id, EDITING);
		this.transaction.executeWithoutResult((status) -> {
			this.documents.save(locked, new Page(this.id, "rolled back"));
			status.setRollbackOnly();
		});
		assertThat(stored()).isEqualTo(new Page(this.id, "draft"));
		assertThat(locked.handle().isHeld()).isTrue();
		this.documents.save(locked, new Page(this.id, "saved"));
		assertThat(stored()).isEqualTo(new Page(this.id, "saved"));
	}

	@Test
	void aTransactionThatBeganToReadBeforeTheGrantIsToldToLockFirst() {
		this.transaction.executeWithoutResult((status) -> {
			stored();
			try (LockedDocument<Page> locked = this.documents.lock(Page.class, this.id, EDITING)) {
				assertThatExceptionOfType(OptimisticLockingFailureException.class)
					.isThrownBy(() -> this.documents.save(locked, new Page(this.id, "late")))
					.withMessageContaining("lock first");
			}
		});
		assertThat(stored()).isEqualTo(new Page(this.id, "draft"));
	}

	private Page stored() {
		return this.template.findById(this.id, Page.class);
	}

	@Document("locked-pages")
	record Page(@Id String id, String text) {

	}

	@Configuration(proxyBeanMethods = false)
	static class App {

		@Bean
		MongoTransactionManager mongoTransactions(MongoDatabaseFactory factory) {
			return new MongoTransactionManager(factory);
		}

	}

}
