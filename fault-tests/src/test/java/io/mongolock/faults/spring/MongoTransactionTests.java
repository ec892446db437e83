package io.mongolock.faults.spring;

import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockContext;
import io.mongolock.LockLostException;
import io.mongolock.faults.matrix.Level;
import io.mongolock.faults.matrix.RowFigures;
import io.mongolock.faults.matrix.ShowsRow;
import io.mongolock.store.mongo.FencedWrites;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Locks and transactions in the same MongoDB: needs a replica set.
 */
class MongoTransactionTests {

	private TestServer server;

	private OtherClient other;

	private ConfigurableApplicationContext context;

	private MongoTemplate template;

	private TransactionTemplate transaction;

	private GuardedService service;

	@BeforeEach
	void start() {
		this.server = TestServer.replicaSet();
		this.other = this.server.otherClient();
		this.context = this.server.run(MongoApplication.class);
		this.template = this.context.getBean(MongoTemplate.class);
		this.transaction = new TransactionTemplate(this.context.getBean(MongoTransactionManager.class));
		this.service = this.context.getBean(GuardedService.class);
		this.template.createCollection("orders");
	}

	@AfterEach
	void stop() {
		if (this.context != null) {
			this.context.close();
			this.other.close();
			this.server.close();
		}
	}

	@Test
	@ShowsRow(value = 33, level = Level.R)
	void theLockDoesNotJoinATransactionThatCommits(RowFigures figures) {
		figures.server(this.server.label());
		this.transaction.executeWithoutResult((status) -> {
			insertUnderLock();
			assertThat(this.other.isFree(GuardedService.KEY)).isFalse();
			assertThat(this.other.collection("orders").countDocuments()).isZero();
		});
		assertThat(this.other.isFree(GuardedService.KEY)).isTrue();
		assertThat(this.other.collection("orders").countDocuments()).isOne();
	}

	@Test
	@ShowsRow(value = 33, level = Level.R)
	void theLockDoesNotJoinATransactionThatIsRolledBack(RowFigures figures) {
		figures.server(this.server.label());
		assertThatIllegalStateException().isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
			insertUnderLock();
			throw new IllegalStateException("on purpose");
		}));
		assertThat(this.other.stored(GuardedService.KEY).getList("holders", Document.class)).isEmpty();
		assertThat(this.other.collection("orders").countDocuments()).isZero();
	}

	@Test
	@ShowsRow(value = 33, level = Level.R)
	void aTouchedLockThatIsHeldLetsTheTransactionCommit(RowFigures figures) throws Exception {
		figures.server(this.server.label());
		touching(() -> {
		});
		assertThat(this.other.collection("orders").countDocuments()).isOne();
	}

	@Test
	@ShowsRow(value = 33, level = Level.R)
	void aTouchedLockThatIsGoneRefusesTheTransaction(RowFigures figures) {
		figures.server(this.server.label());
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> touching(() -> this.other.forget(GuardedService.KEY)));
		assertThat(this.other.collection("orders").countDocuments()).isZero();
	}

	@Test
	@ShowsRow(value = 33, level = Level.R)
	void aTakeOverAfterTheSnapshotConflictsWithTheTouch(RowFigures figures) {
		figures.server(this.server.label());
		assertThatException().isThrownBy(() -> this.service.run(() -> this.transaction.execute((status) -> {
			this.template.insert(new Document("order", 1), "orders");
			this.other.forget(GuardedService.KEY);
			this.other.hold(GuardedService.KEY);
			this.context.getBean(FencedWrites.class).touch(LockContext.current());
			return "written";
		})));
		assertThat(this.other.collection("orders").countDocuments()).isZero();
	}

	private void touching(Runnable before) throws Exception {
		this.service.run(() -> {
			before.run();
			return this.transaction.execute((status) -> {
				this.template.insert(new Document("order", 1), "orders");
				this.context.getBean(FencedWrites.class).touch(LockContext.current());
				return "written";
			});
		});
	}

	private void insertUnderLock() {
		try {
			this.service.run(() -> this.template.insert(new Document("order", 1), "orders"));
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
	@Import(GuardedService.class)
	static class MongoApplication {

		@Bean
		MongoTransactionManager transactionManager(MongoDatabaseFactory factory) {
			return new MongoTransactionManager(factory);
		}

	}

}
