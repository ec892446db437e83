package io.mongolock.faults.spring;

import java.util.UUID;

import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockContext;
import io.mongolock.LockLostException;
import io.mongolock.faults.harness.RealServer;
import io.mongolock.faults.harness.ServerKind;
import io.mongolock.faults.harness.StartsApplication;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.mongodb.FencedWrites;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Locks and transactions of the same MongoDB: requests for locks never join them, unless
 * told to.
 */
@Tag("real-server")
@Timeout(120)
@StartsApplication
class MongoTransactionTests {

	private static final String WRITTEN = "written";

	private final String id = UUID.randomUUID().toString();

	private final String key = Guarded.key(this.id);

	private OtherClient other;

	private ConfigurableApplicationContext context;

	private TransactionTemplate transaction;

	@BeforeEach
	void start() {
		String uri = RealServer.uri(ServerKind.REPLICA_SET);
		this.other = new OtherClient(uri);
		this.context = SpringApp.start(uri, App.class);
		this.transaction = new TransactionTemplate(this.context.getBean(MongoTransactionManager.class));
		template().getCollection(WRITTEN).insertOne(new Document("_id", "before-" + this.id));
	}

	@AfterEach
	void stop() {
		if (this.context != null) {
			this.context.close();
			this.other.close();
		}
	}

	@Test
	@ShowsRow(value = 33, level = Level.REPLICA_SET)
	void theLockIsSeenAtOnceAndHeldUntilTheCommit() {
		this.transaction.executeWithoutResult((status) -> {
			guarded().run(this.id, this::write);
			assertThat(this.other.seesHeld(this.key)).isTrue();
		});
		assertThat(this.other.seesHeld(this.key)).isFalse();
		assertThat(isWritten()).isTrue();
	}

	@Test
	@ShowsRow(value = 33, level = Level.REPLICA_SET)
	void aRollbackUndoesTheWorkAndNotTheLock() {
		assertThatIllegalStateException()
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> guarded().run(this.id, () -> {
				write();
				throw new IllegalStateException("mine");
			})));
		assertThat(this.other.seesHeld(this.key)).isFalse();
		assertThat(isWritten()).isFalse();
	}

	@Test
	@ShowsRow(value = 34, level = Level.REPLICA_SET)
	void aTouchedLockThatIsGoneRefusesTheTransaction() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> guarded().run(this.id, () -> {
			this.other.steal(this.key);
			this.transaction.executeWithoutResult((status) -> {
				write();
				this.context.getBean(FencedWrites.class).touch(LockContext.current());
			});
		}));
		assertThat(isWritten()).isFalse();
	}

	private void write() {
		template().insert(new Document("_id", this.id), WRITTEN);
	}

	private boolean isWritten() {
		return this.other.template().findById(this.id, Document.class, WRITTEN) != null;
	}

	private Guarded guarded() {
		return this.context.getBean(Guarded.class);
	}

	private MongoTemplate template() {
		return this.context.getBean(MongoTemplate.class);
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Guarded.class)
	static class App {

		@Bean
		MongoTransactionManager mongoTransactions(MongoDatabaseFactory factory) {
			return new MongoTransactionManager(factory);
		}

	}

}
