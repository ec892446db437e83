package io.mongolock.documents;

import java.util.concurrent.atomic.AtomicInteger;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.result.UpdateResult;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.core.CollectionCallback;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.backoff.FixedBackOff;

import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link OptimisticUpdater} inside a MongoDB transaction. The template answers
 * in place of the server.
 */
class OptimisticTransactionTests {

	private static final BsonDocument PAGE = BsonDocument.parse("{_id: 'a', text: 'text', version: 1}");

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.start();

	@AutoClose
	private final MongoClient client = MongoClients.create(this.server.connectionString());

	private final AtomicInteger calls = new AtomicInteger();

	private final Conflicting template = new Conflicting(this.client);

	private final OptimisticUpdater updater = OptimisticUpdater.of(this.template, new FixedBackOff(1, 4),
			AbstractMongoTests.context());

	@Test
	void aConflictReachesTheTransactionAtOnceAsSpringHasIt() {
		this.template.stored = PAGE;
		inTransaction(() -> assertThatExceptionOfType(OptimisticLockingFailureException.class).isThrownBy(this::update)
			.withMessageContaining("another writer has saved or deleted the document in the meantime"));
		assertThat(this.calls).hasValue(1);
	}

	@Test
	void outsideOfItAConflictIsTriedAgain() {
		this.template.stored = PAGE;
		assertThatExceptionOfType(OptimisticLockingFailureException.class).isThrownBy(this::update)
			.withMessageContaining("5 attempts");
		assertThat(this.calls).hasValue(5);
	}

	@Test
	void anInsertThatAnotherWonReachesTheTransactionWithoutAnotherStatement() {
		inTransaction(() -> assertThatExceptionOfType(DuplicateKeyException.class).isThrownBy(this::update)
			.isSameAs(Conflicting.DUPLICATE));
		assertThat(this.calls).hasValue(1);
		assertThat(this.template.looks).as("a transaction that is over refuses another").isOne();
	}

	private void update() {
		this.updater.updateOrCreate(Page.class, "a", () -> new Page("a", "", null), (page) -> {
			this.calls.incrementAndGet();
			return new Page(page.id(), page.text() + "!", page.version());
		});
	}

	private void inTransaction(Runnable work) {
		new TransactionTemplate(new MongoTransactionManager(this.template.getMongoDatabaseFactory()))
			.executeWithoutResult((status) -> {
				status.setRollbackOnly();
				work.run();
			});
	}

	record Page(@Id String id, String text, @Version @Nullable Long version) {

	}

	/**
	 * Has somebody else always be faster.
	 */
	private static final class Conflicting extends MongoTemplate {

		private static final DuplicateKeyException DUPLICATE = new DuplicateKeyException("2");

		private @Nullable BsonDocument stored;

		private boolean loaded;

		private int looks;

		private Conflicting(MongoClient client) {
			super(client, "test");
		}

		@Override
		@SuppressWarnings("unchecked")
		public <T> T execute(String collection, CollectionCallback<T> action) {
			this.loaded = !this.loaded;
			if (this.loaded) {
				this.looks++;
				return (T) this.stored;
			}
			if (this.stored == null) {
				throw DUPLICATE;
			}
			return (T) UpdateResult.acknowledged(0, 0L, null);
		}

	}

}
