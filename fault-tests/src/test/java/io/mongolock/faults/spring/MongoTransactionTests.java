package io.mongolock.faults.spring;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import com.mongodb.client.MongoClient;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockContext;
import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.data.FencedWrites;
import io.mongolock.documents.DocumentLockOperations;
import io.mongolock.documents.LockedDocument;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.RealServer;
import io.mongolock.faults.harness.ScriptedServer;
import io.mongolock.faults.harness.StartsApplication;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.store.mongo.CurrentTransaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Rows 33 and 34: locks and transactions of the same MongoDB. Requests for locks never
 * join them, unless they ask for it. What needs a replica set is shown on a real one
 * alone, because the embedded server executes the commands of a transaction one by one.
 */
@Timeout(120)
@StartsApplication
@ExtendWith(OutputCaptureExtension.class)
class MongoTransactionTests {

	private static final String WRITTEN = "written";

	private static final String LATE = "takes its lock inside a transaction that has already read";

	private static final LockSettings EDITING = LockSettings.builder().ttl(Duration.ofMinutes(5)).build();

	private final String id = UUID.randomUUID().toString();

	private final String key = Guarded.key(this.id);

	private ConfigurableApplicationContext context;

	private TransactionTemplate transaction;

	@AfterEach
	void stop() {
		if (this.context != null) {
			this.context.close();
		}
	}

	@Test
	@ShowsRow(value = 33, level = Level.PROXY)
	void noRequestForALockJoinsATransactionOfItsDatabase(RowFigures figures) {
		List<BsonDocument> sent = new CopyOnWriteArrayList<>();
		try (Harness harness = Harness.embedded(); ScriptedServer server = new ScriptedServer(harness.observer())) {
			server.script((command, passedOn) -> {
				sent.add(command);
				// The server behind it knows no transactions
				return (command.containsKey("autocommit"))
						? new BsonDocument("ok", new BsonDouble(1)).append("n", new BsonInt32(1)) : passedOn.get();
			});
			start(server.connectionString(), "spring.main.lazy-initialization=true");
			this.transaction.executeWithoutResult((status) -> {
				write(this.id);
				// Made here, and not before, by the settings
				bean(LockOperations.class).execute(LockRequest.of(this.key), (handle) -> {
					handle.renew();
					return "";
				});
			});
			stop();
		}
		assertThat(commandsOn(WRITTEN, sent)).hasSize(1).allMatch((command) -> command.containsKey("autocommit"));
		List<BsonDocument> locks = commandsOn(Harness.COLLECTION, sent);
		assertThat(locks).hasSizeGreaterThanOrEqualTo(3).noneMatch((command) -> command.containsKey("autocommit"));
		assertThat(locks.get(locks.size() - 1).getFirstKey()).as("the release").isEqualTo("findAndModify");
		figures.server(ScriptedServer.SERVER).add("requests for locks", locks.size()).add("joined", 0);
	}

	@Test
	@Tag("real-server")
	@ShowsRow(value = 33, level = Level.REPLICA_SET)
	void theLockIsSeenAtOnceAndHeldUntilTheCommit() {
		try (OtherClient other = startOnASet()) {
			this.transaction.executeWithoutResult((status) -> {
				bean(Guarded.class).run(this.id, () -> write(this.id));
				assertThat(other.seesHeld(this.key)).isTrue();
			});
			assertThat(other.seesHeld(this.key)).isFalse();
			assertThat(isWritten(this.id)).isTrue();
		}
	}

	@Test
	@Tag("real-server")
	void aLockThatIsTakenAfterTheTransactionHasReadIsWarnedOf(CapturedOutput output) {
		try (OtherClient other = startOnASet()) {
			this.transaction.executeWithoutResult((status) -> bean(Guarded.class).run(this.id, () -> write(this.id)));
			bean(Guarded.class).run(this.id, () -> this.transaction.executeWithoutResult((status) -> {
				isWritten(this.id);
				bean(Guarded.class).run(this.id, () -> isWritten(this.id));
			}));
			assertThat(output).doesNotContain(LATE);
			this.transaction.executeWithoutResult((status) -> {
				isWritten(this.id);
				bean(Guarded.class).run(this.id, () -> isWritten(this.id));
			});
			assertThat(output).containsOnlyOnce(LATE).contains("Guarded.run(Object, Runnable)");
			assertThat(other.seesHeld(this.key)).isFalse();
		}
	}

	@Test
	@Tag("real-server")
	@ShowsRow(value = 33, level = Level.REPLICA_SET)
	void aRollbackUndoesTheWorkAndNotTheLock() {
		try (OtherClient other = startOnASet()) {
			assertThatIllegalStateException().isThrownBy(
					() -> this.transaction.executeWithoutResult((status) -> bean(Guarded.class).run(this.id, () -> {
						write(this.id);
						throw new IllegalStateException("mine");
					})));
			assertThat(other.seesHeld(this.key)).isFalse();
			assertThat(isWritten(this.id)).isFalse();
		}
	}

	@Test
	@Tag("real-server")
	@ShowsRow(value = 33, level = Level.REPLICA_SET)
	void aCommitThatTheServerHasRefusedLeavesNoLockToRunOut() {
		try (OtherClient other = startOnASet()) {
			assertThatExceptionOfType(TransactionSystemException.class)
				.isThrownBy(() -> bean(Guarded.class).run(this.id, () -> {
					this.transaction.executeWithoutResult((status) -> {
						write(this.id);
						template().executeCommand(new Document("killSessions", List.of(session())));
					});
				}));
			assertThat(other.seesHeld(this.key)).isFalse();
			assertThat(isWritten(this.id)).isFalse();
		}
	}

	@Test
	@Tag("real-server")
	@ShowsRow(value = 34, level = Level.REPLICA_SET)
	void aTouchedLockThatIsGoneRefusesTheTransaction() {
		try (OtherClient other = startOnASet()) {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> bean(Guarded.class).run(this.id, () -> {
				writeAndTouch("while-held-" + this.id);
				other.steal(this.key);
				writeAndTouch(this.id);
			}));
			assertThat(isWritten("while-held-" + this.id)).isTrue();
			assertThat(isWritten(this.id)).isFalse();
		}
	}

	@Test
	@Tag("real-server")
	void theCommitReleasesTheLockOfWhatWasSaved() {
		startWithPage();
		LockedDocument<Page> locked = lockPage();
		this.transaction.executeWithoutResult((status) -> {
			locked.save(new Page(this.id, "saved", locked.entity().version()));
			assertThat(bean(DocumentLockOperations.class).find(Page.class, this.id)).as("seen from outside")
				.isPresent();
		});
		assertThat(bean(DocumentLockOperations.class).find(Page.class, this.id)).isEmpty();
		assertStored("saved");
	}

	@Test
	@Tag("real-server")
	void aRollbackUndoesTheSaveAndKeepsTheLock() {
		startWithPage();
		LockedDocument<Page> locked = lockPage();
		this.transaction.executeWithoutResult((status) -> {
			locked.save(new Page(this.id, "rolled back", locked.entity().version()));
			status.setRollbackOnly();
		});
		assertStored("draft");
		assertThat(locked.handle().isHeld()).isTrue();
		locked.save(new Page(this.id, "saved", locked.entity().version()));
		assertStored("saved");
	}

	@Test
	@Tag("real-server")
	void aTransactionThatBeganToReadBeforeTheGrantIsToldToLockFirst() {
		startWithPage();
		this.transaction.executeWithoutResult((status) -> {
			assertStored("draft");
			assertThatIllegalStateException().isThrownBy(this::lockPage)
				.withMessageContaining("Lock all documents before the transaction that saves them");
		});
		assertStored("draft");
	}

	private void start(String uri, String... properties) {
		this.context = SpringApp.start(uri, App.class, properties);
		this.transaction = new TransactionTemplate(bean(MongoTransactionManager.class));
	}

	private OtherClient startOnASet() {
		// A renewal between the first statement and a touch is a write conflict
		start(RealServer.replicaSet(), "mongo-lock.ttl=30s", "mongo-lock.margin=6s", "mongo-lock.renew-interval=8s");
		template().getCollection(WRITTEN).insertOne(new Document("_id", "before-" + this.id));
		return new OtherClient(bean(MongoClient.class));
	}

	private void startWithPage() {
		start(RealServer.replicaSet());
		template().insert(new Page(this.id, "draft", null));
	}

	private LockedDocument<Page> lockPage() {
		return bean(DocumentLockOperations.class).lock(Page.class, this.id, EDITING);
	}

	private void writeAndTouch(String id) {
		this.transaction.executeWithoutResult((status) -> {
			write(id);
			bean(FencedWrites.class).touch(LockContext.current());
		});
	}

	private void write(String id) {
		template().insert(new Document("_id", id), WRITTEN);
	}

	private BsonDocument session() {
		return CurrentTransaction.session(template()).orElseThrow().getServerSession().getIdentifier();
	}

	private boolean isWritten(String id) {
		return template().findById(id, Document.class, WRITTEN) != null;
	}

	private void assertStored(String text) {
		assertThat(template().findById(this.id, Page.class)).extracting(Page::text).isEqualTo(text);
	}

	private MongoTemplate template() {
		return bean(MongoTemplate.class);
	}

	private <T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	private static List<BsonDocument> commandsOn(String collection, List<BsonDocument> sent) {
		return sent.stream()
			.filter((command) -> new BsonString(collection).equals(command.get(command.getFirstKey())))
			.toList();
	}

	@org.springframework.data.mongodb.core.mapping.Document("locked-pages")
	record Page(@Id String id, String text, @Version @Nullable Long version) {
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
