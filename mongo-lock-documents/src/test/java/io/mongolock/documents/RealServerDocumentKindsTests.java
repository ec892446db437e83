package io.mongolock.documents;

import java.util.Date;
import java.util.List;
import java.util.Optional;

import com.mongodb.client.model.CreateCollectionOptions;
import com.mongodb.client.model.TimeSeriesOptions;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.SessionSynchronization;
import org.springframework.data.mongodb.core.BulkOperations.BulkMode;
import org.springframework.data.mongodb.core.CollectionOptions;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.query.Collation;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.backoff.FixedBackOff;

import io.mongolock.LockLostException;
import io.mongolock.LockStoreException;
import io.mongolock.store.mongo.RealServerCondition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for documents and templates that are not as usual.
 */
@ExtendWith(RealServerCondition.class)
class RealServerDocumentKindsTests extends AbstractRealServerDocumentTests {

	private static final int MAX_SIZE = 16 * 1024 * 1024;

	@Test
	void aDocumentOfACollectionWithACollationIsLockedByItsIdAsItIsStored() {
		this.template.dropCollection("words");
		this.template.createCollection("words", CollectionOptions.empty()
			.collation(Collation.of("en").strength(Collation.ComparisonLevel.secondary())));
		this.template.insert(new Word("Word", null));
		DocumentLockOperations documents = this.here.documents();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> documents.lock(Word.class, "WORD"))
			.withMessageContaining(
					"the collection 'words' has a collation, which makes this id equal to the stored id 'words:Word'");
		assertThat(documents.find(Word.class, "Word")).isEmpty();
		try (LockedDocument<Word> locked = documents.lock(Word.class, "Word")) {
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> this.there.documents().lock(Word.class, "word"))
				.withMessageContaining("Use the stored id to lock the document");
			assertThat(documents.find(Word.class, "WORD")).isPresent();
			assertThat(locked.handle().isHeld()).isTrue();
		}
	}

	@Test
	void aViewIsRefusedWithTheWayOut() {
		this.template.dropCollection("viewed");
		this.template.getDb().createView("viewed", "post", List.of(new Document("$match", new Document())));
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.here.documents().lock(Viewed.class, "p1"))
			.withMessageContaining("'viewed' is a view or a time series");
	}

	@Test
	void aTimeSeriesIsRefusedWithTheWayOut() {
		String version = this.template.executeCommand(new Document("buildInfo", 1)).getString("version");
		Assumptions.assumeFalse(version.startsWith("4."), "MongoDB 4.4 has no time series");
		this.template.dropCollection("series");
		this.template.getDb()
			.createCollection("series", new CreateCollectionOptions().timeSeriesOptions(new TimeSeriesOptions("at")));
		this.template.getCollection("series")
			.insertOne(new Document("_id", "m").append("at", new Date()).append("version", 0L));
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.here.documents().lock(Measured.class, "m"))
			.withMessageContaining("'series' is a view or a time series");
	}

	@Test
	void aDocumentThatHasNoRoomForALockIsRefusedWithTheWayOut() {
		this.template.getCollection("post")
			.insertOne(new Document("_id", "huge").append("text", "x".repeat(MAX_SIZE - 100)).append("version", 0L));
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.here.documents().lock(Post.class, "huge"))
			.withMessageContaining("the document is almost as large as MongoDB allows (16 MB)");
	}

	@Test
	@Timeout(60)
	void aTemplateThatNeverJoinsATransactionSavesBesideIt() {
		MongoTemplate outside = template();
		outside.setSessionSynchronization(SessionSynchronization.NEVER);
		GenericApplicationContext context = new GenericApplicationContext();
		try (DocumentLocksFixture fixture = new DocumentLocksFixture("beside", outside, context)) {
			MongoTransactionManager manager = new MongoTransactionManager(outside.getMongoDatabaseFactory());
			manager.addListener(fixture.transactions());
			LockedDocument<Post> before = fixture.documents().lock(Post.class, "p1");
			new TransactionTemplate(manager).executeWithoutResult((status) -> {
				before.save(new Post("p1", "beside", before.entity().version()));
				assertThat(text("p1")).isEqualTo("beside");
				fixture.documents().lock(Post.class, "p2").close();
				Optional<Post> updated = OptimisticUpdater.of(outside, new FixedBackOff(1, 0), context)
					.update(Post.class, "p3", (post) -> new Post(post.id(), "updated", post.version()));
				assertThat(updated).isPresent();
				status.setRollbackOnly();
			});
			assertThat(text("p1")).isEqualTo("beside");
			assertThat(text("p3")).isEqualTo("updated");
			assertThat(fixture.client().held()).isZero();
		}
	}

	@Test
	void aReplacementInBulkIsLookedAtWhereItNamesTheId() {
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1");
		Query byId = new Query(Criteria.where("_id").is("p1"));
		assertThatIllegalStateException().isThrownBy(() -> this.template.bulkOps(BulkMode.ORDERED, Post.class)
			.replaceOne(byId, new Post("p1", "bulk", 1L))
			.execute());
		this.template.bulkOps(BulkMode.ORDERED, Post.class).replaceOne(byId, new Post(null, "bulk", 1L)).execute();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> save(locked, "saved"));
		assertThat(text("p1")).isEqualTo("bulk");
	}

	@Test
	void noEntityIsNoDocumentToSave() {
		try (LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1")) {
			assertThatIllegalArgumentException().isThrownBy(() -> locked.save(null))
				.withMessageContaining("is null. Call locked.delete()");
			assertThat(locked.handle().isHeld()).isTrue();
		}
	}

	@org.springframework.data.mongodb.core.mapping.Document("words")
	record Word(@Id String id, @Version @Nullable Long version) {

	}

	@org.springframework.data.mongodb.core.mapping.Document("viewed")
	record Viewed(@Id String id, @Version @Nullable Long version) {

	}

	@org.springframework.data.mongodb.core.mapping.Document("series")
	record Measured(@Id String id, @Version @Nullable Long version) {

	}

}
