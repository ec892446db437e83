package io.mongolock.mongodb;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.SessionSynchronization;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LossReason;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link DocumentLockOperations} inside a MongoDB transaction. The embedded
 * server has none, so statements go to it at once, and a rollback is made by hand.
 */
class DocumentLockTransactionTests {

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.start();

	@AutoClose
	private final MongoClient client = MongoClients.create(this.server.connectionString());

	private final MongoTemplate template = new MongoTemplate(this.client, "test");

	private final List<String> told = new CopyOnWriteArrayList<>();

	@AutoClose
	private final DocumentLocksFixture here = new DocumentLocksFixture("here", this.template,
			new GenericApplicationContext(), new Told());

	private final MongoTransactionManager manager = new MongoTransactionManager(
			this.template.getMongoDatabaseFactory());

	@BeforeEach
	void insert() {
		this.template.setSessionSynchronization(SessionSynchronization.NEVER);
		this.template.insert(new Page("a", "draft"));
	}

	@Test
	void aSaveReleasesWithTheCommit() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a");
		new TransactionTemplate(this.manager).executeWithoutResult((status) -> {
			this.here.documents().save(locked, new Page("a", "saved"));
			assertThat(locked.handle().isHeld()).isTrue();
			assertThatIllegalStateException().isThrownBy(() -> this.here.documents().save(locked, new Page("a", "")))
				.withMessageContaining("released by a write of this transaction, which is not over");
			this.here.client().renew("page:a");
			assertThat(locked.handle().isHeld()).as("what does not find it says nothing").isTrue();
			locked.close();
			assertThat(this.here.client().held()).isEqualTo(1);
		});
		assertThat(locked.handle().isHeld()).isFalse();
		assertThat(this.here.client().held()).isZero();
		await().untilAsserted(() -> assertThat(this.told).containsExactly("acquired", "released"));
	}

	@Test
	void aLockThatIsTakenInsideItIsReleasedOnce() {
		new TransactionTemplate(this.manager).executeWithoutResult((status) -> {
			try (LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a")) {
				this.here.documents().save(locked, new Page("a", "saved"));
			}
		});
		assertThat(this.here.client().held()).isZero();
		await().untilAsserted(() -> assertThat(this.told).containsExactly("acquired", "released"));
	}

	@Test
	void aRollbackLeavesTheLockAsItWas() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a");
		inRollback(() -> this.here.documents().save(locked, new Page("a", "rolled back")));
		assertThat(locked.handle().isHeld()).isTrue();
		locked.handle().renew();
		this.here.documents().save(locked, new Page("a", "saved"));
		assertThat(this.template.findById("a", Page.class)).isEqualTo(new Page("a", "saved"));
	}

	@Test
	void aLockThatWasClosedInsideItIsReleasedAfterTheRollback() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a");
		inRollback(() -> {
			this.here.documents().save(locked, new Page("a", "rolled back"));
			locked.close();
		});
		assertThat(this.here.client().held()).isZero();
		this.here.documents().lock(Page.class, "a").close();
	}

	@Test
	void aCommitOfWhichNobodyKnowsLeavesTheLockToRunOut() {
		MongoTransactionManager unsure = new MongoTransactionManager(this.template.getMongoDatabaseFactory()) {

			@Override
			protected void doCommit(MongoTransactionObject transaction) {
				throw new TransactionSystemException("no answer");
			}

		};
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a");
		assertThatExceptionOfType(TransactionSystemException.class).isThrownBy(() -> new TransactionTemplate(unsure)
			.executeWithoutResult((status) -> this.here.documents().save(locked, new Page("a", "maybe"))));
		assertThat(locked.handle().isHeld()).isFalse();
		assertThat(this.here.client().held()).isZero();
		locked.close();
		assertThat(this.told).doesNotContain("lost", "released");
	}

	private void inRollback(Runnable work) {
		Document before = this.template.findById("a", Document.class, "page");
		new TransactionTemplate(this.manager).executeWithoutResult((status) -> {
			work.run();
			this.template.getCollection("page").replaceOne(new Document("_id", "a"), before);
			status.setRollbackOnly();
		});
	}

	record Page(@Id String id, String text) {

	}

	private final class Told implements LockListener {

		@Override
		public void onAcquired(LockHandle handle) {
			DocumentLockTransactionTests.this.told.add("acquired");
		}

		@Override
		public void onReleased(LockHandle handle) {
			DocumentLockTransactionTests.this.told.add("released");
		}

		@Override
		public void onLost(LockHandle handle, LossReason reason) {
			DocumentLockTransactionTests.this.told.add("lost");
		}

	}

}
