package io.mongolock.faults.spring;

import java.util.UUID;

import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
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

	private static final Document ORDER = new Document("_id", 1);

	private final String id = UUID.randomUUID().toString();

	private final String key = Guarded.key(this.id);

	private OtherClient other;

	private ConfigurableApplicationContext context;

	private MongoTemplate template;

	private TransactionTemplate transaction;

	private Guarded guarded;

	@BeforeEach
	void start() {
		String uri = RealServer.replicaSet();
		this.other = new OtherClient(uri);
		this.context = SpringApp.start(uri, MongoApplication.class);
		this.template = this.context.getBean(MongoTemplate.class);
		this.transaction = new TransactionTemplate(this.context.getBean(MongoTransactionManager.class));
		this.guarded = this.context.getBean(Guarded.class);
		this.template.createCollection(this.id);
	}

	@AfterEach
	void stop() {
		if (this.context != null) {
			this.template.dropCollection(this.id);
			this.context.close();
			this.other.close();
		}
	}

	@Test
	@ShowsRow(value = 33, level = Level.R)
	void theLockDoesNotJoinATransactionThatCommits(RowFigures figures) {
		figures.server("replica set");
		this.transaction.executeWithoutResult((status) -> {
			insertUnderLock();
			assertThat(this.other.seesHeld(this.key)).isTrue();
			assertThat(orders()).isZero();
		});
		assertThat(this.other.seesHeld(this.key)).isFalse();
		assertThat(orders()).isOne();
	}

	@Test
	@ShowsRow(value = 33, level = Level.R)
	void theLockDoesNotJoinATransactionThatIsRolledBack(RowFigures figures) {
		figures.server("replica set");
		assertThatIllegalStateException().isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
			insertUnderLock();
			throw new IllegalStateException("on purpose");
		}));
		assertThat(this.other.holder(this.key)).isEmpty();
		assertThat(orders()).isZero();
	}

	@Test
	@ShowsRow(value = 33, level = Level.R)
	void aTouchedLockThatIsHeldLetsTheTransactionCommit(RowFigures figures) {
		figures.server("replica set");
		touching(() -> {
		}, () -> {
		});
		assertThat(orders()).isOne();
	}

	@Test
	@ShowsRow(value = 33, level = Level.R)
	void aTouchedLockThatWasTakenOverRefusesTheTransaction(RowFigures figures) {
		figures.server("replica set");
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> touching(() -> this.other.steal(this.key), () -> {
			}));
		assertThat(orders()).isZero();
	}

	@Test
	@ShowsRow(value = 33, level = Level.R)
	void aTakeOverAfterTheSnapshotConflictsWithTheTouch(RowFigures figures) {
		figures.server("replica set");
		assertThatException().isThrownBy(() -> touching(() -> {
		}, () -> this.other.steal(this.key)));
		assertThat(orders()).isZero();
	}

	private void touching(Runnable before, Runnable within) {
		this.guarded.run(this.id, () -> {
			before.run();
			this.transaction.executeWithoutResult((status) -> {
				this.template.insert(ORDER, this.id);
				within.run();
				this.context.getBean(FencedWrites.class).touch(LockContext.current());
			});
		});
	}

	private void insertUnderLock() {
		this.guarded.run(this.id, () -> this.template.insert(ORDER, this.id));
	}

	private long orders() {
		return this.other.template().getCollection(this.id).countDocuments();
	}

	@Import(Guarded.class)
	static class MongoApplication {

		@Bean
		MongoTransactionManager transactionManager(MongoDatabaseFactory factory) {
			return new MongoTransactionManager(factory);
		}

	}

}
