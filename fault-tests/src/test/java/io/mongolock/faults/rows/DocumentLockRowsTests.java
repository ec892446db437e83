package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.dao.DataAccessException;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockClock;
import io.mongolock.LockLostException;
import io.mongolock.LockOwner;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.ClientOptions.LeakDetection;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HandOver;
import io.mongolock.documents.DocumentLockOperations;
import io.mongolock.documents.DocumentTransactions;
import io.mongolock.documents.HarnessDocuments;
import io.mongolock.documents.LockTicket;
import io.mongolock.documents.LockedDocument;
import io.mongolock.documents.store.DocumentLockStore;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.test.proxy.CommandSelection;
import io.mongolock.test.proxy.Hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Rows 67 to 69: locked documents when messages are lost, others take over, or code that
 * does not know the lock writes them.
 */
@Timeout(120)
class DocumentLockRowsTests {

	private static final LockSettings WAITING = LockSettings.builder().waitTimeout(Harness.LONG).build();

	@AutoClose
	private final Harness harness = Harness.embedded();

	@AutoClose
	private final MongoClient faulty = MongoClients.create(this.harness.proxied());

	@AutoClose
	private final Editor here = new Editor("here", this.faulty);

	@AutoClose
	private final Editor there = new Editor("there", this.harness.observer());

	@BeforeEach
	void insert() {
		this.there.template.insert(new Article("a", "draft", null));
		this.faulty.getDatabase(Harness.DATABASE).runCommand(new Document("ping", 1));
	}

	@ParameterizedTest(name = "{displayName}: {0}")
	@ValueSource(strings = { "reply lost", "request lost" })
	@ShowsRow(value = 67, level = Level.PROXY)
	void aClaimWhoseMessageIsLostIsGrantedOnce(String what, RowFigures figures) {
		this.harness.lose(what, "findAndModify");
		LockedDocument<Article> locked = this.here.documents.lock(Article.class, "a", WAITING);
		assertThat(locked.entity()).isEqualTo(new Article("a", "draft", 1L));
		locked.save(new Article("a", "saved", 1L));
		this.there.documents.lock(Article.class, "a", WAITING).close();
		figures.server(this.harness.label()).add("raises of the version, " + what, 1);
	}

	@Test
	@ShowsRow(value = 67, level = Level.PROXY)
	void aClaimThatIsExecutedAfterTheSaveIsTakenBack(RowFigures figures) {
		Hold late = this.harness.proxy().on("findAndModify").holdRequest();
		LockedDocument<Article> locked = this.here.documents.lock(Article.class, "a",
				HarnessClient.settings(Duration.ofSeconds(6), Harness.LONG));
		locked.save(new Article("a", "saved", 1L));
		late.release();
		await().atMost(Harness.LONG).until(() -> stored().getLong("version") == 3);
		// One that ran out would still stand there
		await().atMost(Harness.LONG)
			.until(() -> stored().get("lock", Document.class).getList("holders", Document.class).isEmpty());
		assertThat(stored()).containsEntry("text", "saved");
		figures.server(this.harness.label()).add("orphans", 0);
	}

	private String saveUntilAnswered(LockedDocument<Article> locked, String text) {
		return await().atMost(Harness.LONG)
			.until(() -> this.here.saveAgain(locked, Article.class, (found) -> new Article("a", text, found.version())),
					(answer) -> !answer.equals("failed"));
	}

	private Document stored() {
		return this.there.template.getCollection("article").find().first();
	}

	@ParameterizedTest(name = "{displayName}: {0}")
	@ValueSource(strings = { "reply lost", "request lost" })
	@ShowsRow(value = 67, level = Level.PROXY)
	void aSaveWhoseMessageIsLostIsMadeOnceOrSaysSo(String what, RowFigures figures) {
		LockedDocument<Article> locked = this.here.documents.lock(Article.class, "a");
		LockTicket ticket = locked.ticket();
		LockedDocument<Article> resumed = this.here.documents.resume(Article.class, "a", ticket);
		this.harness.lose(what, "update");
		String answer = this.here.save(resumed, new Article("a", "saved", 1L));
		if (answer.equals("failed")) {
			answer = saveUntilAnswered(resumed, "saved");
		}
		assertThat(answer).isIn("saved", "lost");
		assertThat(this.there.template.findById("a", Article.class)).isEqualTo(new Article("a", "saved", 2L));
		this.there.documents.lock(Article.class, "a", WAITING).close();
		figures.server(this.harness.label()).add("saves, " + what, 1);
	}

	@ParameterizedTest(name = "{displayName}: {0}")
	@ValueSource(strings = { "reply lost", "request lost" })
	@ShowsRow(value = 67, level = Level.PROXY)
	void nobodyReliesOnALockWhoseReleasingWriteIsInDoubt(String what, RowFigures figures) {
		LockedDocument<Article> locked = this.here.documents.lock(Article.class, "a");
		CommandSelection writes = this.harness.proxy().on("update");
		// Also the second time that the driver sends it
		((what.equals("reply lost")) ? writes.cutBeforeReply() : writes.cut()).always();
		assertThat(this.here.save(locked, new Article("a", "saved", 1L))).isEqualTo("failed");
		this.harness.proxy().clear();
		assertThat(locked.handle().isHeld()).isFalse();
		Optional<LockedDocument<Article>> other = this.there.documents.tryLock(Article.class, "a");
		assertThat(other.isPresent()).isEqualTo(what.equals("reply lost"));
		// One that had no answer on a busy machine may have been made
		assertThat(saveUntilAnswered(locked, "again")).isIn("lost", other.isPresent() ? "lost" : "saved");
		other.ifPresent((next) -> next.save(new Article("a", "theirs", 3L)));
		assertThat(stored()).containsEntry("text", other.isPresent() ? "theirs" : "again");
		figures.server(this.harness.label()).add("held by two, " + what, 0);
	}

	@Test
	@ShowsRow(value = 68, level = Level.SERVER)
	void aHolderTakenOverWhileEditingOverwritesNothing(RowFigures figures) {
		LockedDocument<Article> mine = this.here.documents.lock(Article.class, "a",
				LockSettings.builder().ttl(Duration.ofMinutes(30)).build());
		LockTicket ticket = mine.ticket();
		this.harness.clock().step(Duration.ofHours(1));
		LockedDocument<Article> other = this.there.documents.lock(Article.class, "a", WAITING);
		LockTicket next = other.ticket();
		Expect.lost(() -> this.here.documents.resume(Article.class, "a", ticket))
			.withMessageContaining("is not held by this ticket");
		this.there.documents.resume(Article.class, "a", next).save(new Article("a", "theirs", 2L));
		Expect.lost(() -> this.here.documents.renew(Article.class, "a", ticket));
		assertThat(other.fence()).isGreaterThan(mine.fence());
		assertThat(this.there.template.findById("a", Article.class)).isEqualTo(new Article("a", "theirs", 3L));
		figures.server(this.harness.label()).add("late saves that were made", 0);
	}

	@ParameterizedTest(name = "{displayName}: {0}")
	@ValueSource(strings = { "replaced", "deleted" })
	@ShowsRow(value = 69, level = Level.SERVER)
	void aSaveDoesNotOverwriteAChangeThatWasMadeWithoutTheLock(String what, RowFigures figures) {
		LockedDocument<Article> locked = this.here.documents.lock(Article.class, "a");
		Document theirs = new Document("_id", "a").append("text", "plain").append("version", 1L);
		Document id = new Document("_id", "a");
		if (what.equals("replaced")) {
			this.there.template.getCollection("article").replaceOne(id, theirs);
		}
		else {
			this.there.template.getCollection("article").deleteOne(id);
		}
		Expect.lost(() -> locked.save(new Article("a", "mine", 1L))).withMessageEndingWith("Nothing was written");
		assertThat(this.there.template.getCollection("article").find().first())
			.isEqualTo((what.equals("replaced")) ? theirs : null);
		figures.server(this.harness.label()).add("overwritten, " + what, 0);
	}

	record Article(@Id String id, String text, @Version @Nullable Long version) {

	}

	/**
	 * An instance that edits documents.
	 */
	static final class Editor implements AutoCloseable {

		private final GenericApplicationContext context = new GenericApplicationContext();

		private final MongoTemplate template;

		private final LockTemplate client;

		private final DocumentLockOperations documents;

		private final TransactionTemplate transactions;

		Editor(String instance, MongoClient mongo) {
			this.context.refresh();
			this.template = new MongoTemplate(mongo, Harness.DATABASE);
			DocumentLockStore store = new DocumentLockStore(HarnessClient.template(mongo), "lock", "queues",
					LockClock.system());
			this.client = new LockTemplate(store,
					new ClientOptions(ConfiguredSettings.NONE, new LockOwner("desk", instance, "host", 1, "main"),
							LockClock.system(), List.of())
						.withLeakDetection(LeakDetection.OFF)
						.withHandOver(new HandOver(Duration.ZERO, 0)));
			DocumentTransactions keeper = new DocumentTransactions();
			this.documents = HarnessDocuments.of(this.template, store, this.client, Duration.ofSeconds(5), keeper,
					this.context);
			MongoTransactionManager manager = new MongoTransactionManager(this.template.getMongoDatabaseFactory());
			manager.addListener(keeper);
			this.transactions = new TransactionTemplate(manager);
		}

		MongoTemplate template() {
			return this.template;
		}

		DocumentLockOperations documents() {
			return this.documents;
		}

		void stop(Duration budget) {
			this.client.stop(budget);
		}

		/** Those that keep the documents of their thread. */
		TransactionTemplate transactions() {
			return this.transactions;
		}

		/**
		 * Says {@code saved}, or {@code failed} without a certain answer.
		 */
		<T> String save(LockedDocument<T> locked, T entity) {
			try {
				locked.save(entity);
				return "saved";
			}
			catch (DataAccessException ex) {
				return "failed";
			}
		}

		/**
		 * Goes on by the ticket after that: says {@code lost} if the save was made.
		 */
		<T> String saveAgain(LockedDocument<T> locked, Class<T> type, UnaryOperator<T> change) {
			try {
				LockedDocument<T> resumed = this.documents.resume(type, "a", locked.ticket());
				return save(resumed, change.apply(resumed.entity()));
			}
			catch (LockLostException ex) {
				return "lost";
			}
			catch (LockStoreException ex) {
				return "failed";
			}
		}

		@Override
		public void close() {
			this.client.stop(Duration.ofSeconds(5));
			this.context.close();
		}

	}

}
