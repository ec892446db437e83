package io.mongolock.documents;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.model.IndexOptions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.bson.Document;
import org.bson.UuidRepresentation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.data.annotation.AccessType;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mapping.callback.EntityCallbacks;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.SimpleMongoClientDatabaseFactory;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.backoff.FixedBackOff;

import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockLostException;
import io.mongolock.LockSettings;
import io.mongolock.LockUnavailableException;
import io.mongolock.LossReason;
import io.mongolock.data.FencedWrites;
import io.mongolock.data.RetriedConflicts;
import io.mongolock.store.mongo.RealServerCondition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Tests for several claims, threads, transactions and databases of one document.
 */
class RealServerDocumentClaimsTests extends AbstractRealServerDocumentTests {

	@Test
	void anotherThreadWritesNothingOfWhatATransactionHasLockedAndKept() {
		LockedDocument<Post> locked = this.transactions.execute((transaction) -> {
			LockedDocument<Post> inside = this.here.documents().lock(Post.class, "p1", SELDOM_RENEWED);
			keep(inside, "kept");
			assertRefused(() -> save(inside, "other"));
			assertRefused(() -> within(TransactionDefinition.PROPAGATION_REQUIRED)
				.executeWithoutResult((status) -> save(inside, "other")));
			return inside;
		});
		assertThat(text("p1")).isEqualTo("kept");
		assertThat(this.here.client().held()).isOne();
		save(locked, "saved");
		assertThat(this.there.documents().find(Post.class, "p1")).isEmpty();
	}

	@Test
	void whenAnOpenTransactionHasWrittenADocumentThenItsLockIsDeniedAtOnceUntilItEnds() {
		LockSettings once = LockSettings.builder().waitTimeout(Duration.ZERO).build();
		DocumentLockOperations documents = this.there.documents();
		this.transactions.executeWithoutResult((status) -> {
			write("p1", "theirs");
			onAnotherThread(() -> {
				assertThat(documents.tryLock(Post.class, "p1")).isEmpty();
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> documents.lock(Post.class, "p1", once))
					.withMessage(
							"The Post 'post:p1' is not locked, but an open transaction has written the document. Try "
									+ "again after the end of that transaction");
				assertThat(documents.tryLock(Post.class, "p2")).hasValueSatisfying(LockedDocument::close);
			});
		});
		assertThat(documents.tryLock(Post.class, "p1")).hasValueSatisfying((locked) -> {
			assertThat(locked.entity().text()).isEqualTo("theirs");
			assertThat(this.here.documents().tryLock(Post.class, "p1")).isEmpty();
			locked.save(new Post("p1", "mine", locked.entity().version()));
		});
		assertThatExceptionOfType(NoSuchDocumentException.class)
			.isThrownBy(() -> documents.tryLock(Post.class, "none"));
	}

	@Test
	void whenATransactionHasReadThenADocumentIsLockedOnlyWhileItIsSuspended() {
		DocumentLockOperations documents = this.here.documents();
		this.transactions.executeWithoutResult((status) -> {
			this.template.findById("p2", Post.class);
			assertThatIllegalStateException().isThrownBy(() -> documents.lock(Post.class, "p1", SELDOM_RENEWED))
				.withMessageContaining("inside that transaction (REQUIRES_NEW), or lock the document and run that "
						+ "transaction in a method with NOT_SUPPORTED");
			within(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
				.executeWithoutResult((own) -> save(documents.lock(Post.class, "p1", SELDOM_RENEWED), "inside"));
			within(TransactionDefinition.PROPAGATION_NOT_SUPPORTED).executeWithoutResult((none) -> {
				LockedDocument<Post> locked = documents.lock(Post.class, "p3", SELDOM_RENEWED);
				this.transactions.executeWithoutResult((own) -> save(locked, "around"));
			});
		});
		assertThat(text("p1")).isEqualTo("inside");
		assertThat(text("p3")).isEqualTo("around");
	}

	@Test
	void theCommitOfASaveIsNoLossForTheClaimThatSharesTheLock() {
		LockedDocument<Post> witness = lockElsewhere("p3");
		List<String> lost = new CopyOnWriteArrayList<>();
		try (DocumentLocksFixture listening = new DocumentLocksFixture("listening", this.template,
				new GenericApplicationContext(), new LockListener() {

					@Override
					public void onLost(LockHandle handle, LossReason reason) {
						lost.add(handle.key());
					}

				})) {
			MongoTransactionManager manager = new MongoTransactionManager(this.template.getMongoDatabaseFactory());
			manager.addListener(listening.transactions());
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> listening.documents()
				.execute(Post.class, "p1", (how) -> how.settings(OFTEN_RENEWED),
						(outer) -> listening.documents().execute(Post.class, "p1", (how) -> {
						}, (nested) -> {
							new TransactionTemplate(manager).executeWithoutResult((status) -> {
								afterCommit(Ordered.HIGHEST_PRECEDENCE, () -> awaitRenewals("p3"));
								nested.save(new Post("p1", "saved", nested.entity().version()));
							});
							return null;
						})))
				.withMessageContaining("released too early");
		}
		assertThat(text("p1")).isEqualTo("saved");
		assertThat(lost).isEmpty();
		witness.close();
	}

	@Test
	void aDocumentWrittenByATicketInATransactionIsNotResumedAgainByThatTicket() {
		DocumentLockOperations documents = this.here.documents();
		LockTicket ticket = documents.lock(Post.class, "p1", SELDOM_RENEWED).ticket();
		this.transactions.executeWithoutResult((status) -> {
			keep(documents.resume(Post.class, "p1", ticket), "one");
			for (int propagation : new int[] { TransactionDefinition.PROPAGATION_REQUIRED,
					TransactionDefinition.PROPAGATION_REQUIRES_NEW }) {
				within(propagation).executeWithoutResult((inner) -> assertThatIllegalStateException()
					.isThrownBy(() -> documents.resume(Post.class, "p1", ticket))
					.withMessageContaining("Use the LockedDocument with which the document was written"));
			}
		});
		assertThatExceptionOfType(DocumentChangedException.class)
			.isThrownBy(() -> documents.resume(Post.class, "p1", ticket))
			.satisfies((ex) -> assertThat(ex.getDocument(Post.class).text()).isEqualTo("one"));
	}

	@Test
	void aConflictIsOneExceptionForEachStatementAndWhatTheTemplateThrowsIsDoneAgainToo() throws Exception {
		OptimisticUpdater updates = OptimisticUpdater.of(this.template, new FixedBackOff(1, 0), context());
		FencedWrites fenced = FencedWrites.unguarded(this.template);
		LockedDocument<Post> locked = lockElsewhere("p3");
		Post read = template().findById("p1", Post.class);
		for (ThrowingCallable own : List.<ThrowingCallable>of(
				() -> fenced.update(locked.handle(), new Query(Criteria.where("_id").is("p1")), new Update(),
						Post.class),
				() -> updates.update(Post.class, "p1", (post) -> new Post("p1", "mine", post.version())))) {
			assertThat(conflict(own)).isInstanceOf(ConcurrencyFailureException.class)
				.hasMessageContaining("Do the whole transaction again");
		}
		Method method = getClass().getDeclaredMethod("conflict", ThrowingCallable.class);
		for (ThrowingCallable plain : List.<ThrowingCallable>of(() -> write("p1", "mine"),
				() -> this.template.save(read))) {
			assertThat(new RetriedConflicts().shouldRetry(method, conflict(plain))).isTrue();
		}
		assertThat(new RetriedConflicts().shouldRetry(method, new DuplicateKeyException("of the application")))
			.isFalse();
		this.transactions.executeWithoutResult((first) -> {
			this.template.insert(new Post("new", "first", null));
			onAnotherThread(() -> this.transactions.executeWithoutResult((second) -> {
				second.setRollbackOnly();
				assertThatExceptionOfType(ConcurrencyFailureException.class).isThrownBy(() -> updates
					.updateOrCreate(Post.class, "new", () -> new Post("new", "second", null), (post) -> post));
			}));
		});
		assertThat(text("new")).isEqualTo("first");
	}

	@Test
	@ExtendWith(RealServerCondition.class)
	void theIndexThatIsAdvisedIsUsedByAList() {
		this.template.insertAll(IntStream.range(0, 2000).mapToObj((i) -> new Post("f" + i, "free", null)).toList());
		this.template.getCollection("post")
			.createIndex(new Document("lock.holders.0", 1), new IndexOptions().sparse(true));
		lockElsewhere("p1");
		assertThat(this.here.documents().list(Post.class)).extracting(DocumentLock::id).containsExactly("p1");
		Document list = Document.parse("{find: 'post', filter: {'lock.holders.0': {$exists: true}}, sort: {_id: 1}}");
		Document explained = this.template.executeCommand(new Document("explain", list));
		assertThat(explained.get("executionStats", Document.class).getInteger("totalDocsExamined")).isOne();
	}

	private Throwable conflict(ThrowingCallable statement) {
		return this.transactions.execute((status) -> {
			status.setRollbackOnly();
			this.template.findById("p2", Post.class);
			template().updateFirst(new Query(Criteria.where("_id").is("p1")), new Update().inc("others", 1), "post");
			return catchThrowable(statement);
		});
	}

	@Test
	void aListenerThatFailsAfterTheCommitTakesNothingBack() {
		this.template.insert(new Sheet("s1"));
		LockedDocument<Sheet> locked = this.here.documents().lock(Sheet.class, "s1", SELDOM_RENEWED);
		assertThatIllegalArgumentException().isThrownBy(() -> this.transactions.executeWithoutResult((status) -> {
			afterCommit(Ordered.HIGHEST_PRECEDENCE, () -> {
				throw new IllegalArgumentException("of the application");
			});
			locked.saveAndKeep(locked.entity());
		}));
		assertThat(locked.entity().version).isEqualTo(template().findById("s1", Sheet.class).version);
		locked.save(locked.entity());
	}

	@Test
	void aListenerMaySaveInATransactionOfItsOwnWhatTheOneBeforeHasClosed() {
		// A renewal that goes on after the transaction may come in between
		LockSettings quiet = LockSettings.builder().ttl(Duration.ofMinutes(30)).autoRenew(false).build();
		for (boolean saved : new boolean[] { true, false }) {
			AtomicReference<Throwable> failure = new AtomicReference<>();
			this.transactions.executeWithoutResult((status) -> {
				afterCompletion(failure, () -> within(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
					.executeWithoutResult((own) -> plainSave("p1")));
				LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1", quiet);
				if (saved) {
					save(locked, "saved");
				}
				locked.close();
			});
			assertThat(failure.get()).as("saved: " + saved).isNull();
		}
	}

	@Test
	void whenAnInnerTransactionEndsThenAPlainSaveOfADocumentClosedByTheOuterIsRefused() {
		AtomicReference<Throwable> failure = new AtomicReference<>();
		this.transactions.executeWithoutResult((status) -> {
			this.here.documents().lock(Post.class, "p1", SELDOM_RENEWED).close();
			within(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
				.executeWithoutResult((own) -> afterCompletion(failure, () -> plainSave("p1")));
			assertThat(this.there.documents().find(Post.class, "p1")).isPresent();
		});
		assertThat(failure.get()).isInstanceOf(IllegalStateException.class);
	}

	@Test
	void aPlainSaveIsRefusedUntilTheLeaseHasRunOut() {
		LockSettings brief = LockSettings.builder()
			.ttl(Duration.ofSeconds(12))
			.margin(Duration.ofSeconds(9))
			.autoRenew(false)
			.build();
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1", brief);
		await().until(() -> !locked.handle().isHeld());
		assertThatIllegalStateException().isThrownBy(() -> plainSave("p1"));
		await().atMost(Duration.ofSeconds(30)).ignoreExceptions().untilAsserted(() -> plainSave("p1"));
		assertThat(this.there.documents().find(Post.class, "p1")).isEmpty();
	}

	@Test
	void aPlainSaveIsRefusedWhileTheLockRunsOutAfterACommitThatNobodyKnowsOf() {
		LockSettings brief = LockSettings.builder().ttl(Duration.ofSeconds(15)).build();
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1", brief);
		assertThatExceptionOfType(TransactionSystemException.class)
			.isThrownBy(() -> unsure(false).executeWithoutResult((status) -> save(locked, "never")));
		assertThatIllegalStateException().isThrownBy(() -> plainSave("p1"));
		await().atMost(Duration.ofSeconds(40)).ignoreExceptions().untilAsserted(() -> plainSave("p1"));
		assertThat(this.there.documents().find(Post.class, "p1")).isEmpty();
	}

	@Test
	void aResumedDocumentThatWasClosedIsTheBusinessOfItsTicket() {
		DocumentLockOperations documents = this.here.documents();
		LockTicket ticket = documents.lock(Post.class, "p1", SELDOM_RENEWED).ticket();
		LockedDocument<Post> resumed = documents.resume(Post.class, "p1", ticket);
		assertThatIllegalStateException().isThrownBy(() -> plainSave("p1"));
		resumed.close();
		plainSave("p1");
	}

	@Test
	void aGuardedSaveInOneDatabaseLetsNoneOfAnotherPass() {
		GenericApplicationContext context = new GenericApplicationContext();
		inAnotherDatabase(context, null, (archive) -> {
			DocumentLocksFixture[] there = new DocumentLocksFixture[1];
			DocumentLocksFixture.guardPlainSaves(context, archive, () -> there[0]);
			this.template.insert(new Guarded("g1", "draft", null));
			archive.insert(new Guarded("g1", "archived", null));
			try (DocumentLocksFixture main = new DocumentLocksFixture("main", this.template, context);
					DocumentLocksFixture other = new DocumentLocksFixture("other", archive, context);
					DocumentLocksFixture foreign = new DocumentLocksFixture("foreign",
							new MongoTemplate(archive.getMongoDatabaseFactory()), new GenericApplicationContext())) {
				this.template.setEntityCallbacks(EntityCallbacks.create(context));
				archive.setApplicationContext(context);
				there[0] = other;
				LockedDocument<Guarded> editor = foreign.documents().lock(Guarded.class, "g1", SELDOM_RENEWED);
				LockedDocument<Guarded> locked = main.documents().lock(Guarded.class, "g1", SELDOM_RENEWED);
				this.transactions.executeWithoutResult((status) -> {
					locked.save(new Guarded("g1", "saved", locked.entity().version()));
					assertThatExceptionOfType(LockUnavailableException.class)
						.isThrownBy(() -> archive.save(archive.findById("g1", Guarded.class)));
				});
				editor.save(new Guarded("g1", "edited", editor.entity().version()));
			}
		});
	}

	@Test
	void aPlainSaveOfAnotherCollectionIsNobodysBusiness() {
		GenericApplicationContext context = new GenericApplicationContext();
		inAnotherDatabase(context, UuidRepresentation.STANDARD, (archive) -> {
			DocumentLocksFixture.guardPlainSaves(context, archive, () -> this.here);
			try (DocumentLocksFixture main = new DocumentLocksFixture("main", this.template, context);
					LockedDocument<Post> locked = main.documents().lock(Post.class, "p1", SELDOM_RENEWED)) {
				archive.setApplicationContext(context);
				archive.save(new Numbered(UUID.randomUUID(), locked.entity().text()));
			}
		});
	}

	@Test
	void aPlainSavePassesOnceAnotherClaimOfTheTicketHasSaved() {
		DocumentLockOperations documents = this.here.documents();
		LockTicket ticket = documents.lock(Post.class, "p1", SELDOM_RENEWED).ticket();
		LockedDocument<Post> shown = documents.resume(Post.class, "p1", ticket);
		save(documents.resume(Post.class, "p1", ticket), "saved");
		assertThat(this.there.documents().find(Post.class, "p1")).isEmpty();
		plainSave("p1");
		assertThat(shown).isNotNull();
	}

	@Test
	void aPlainSavePassesOnceTheLockWasBrokenThatAnUnknownCommitLeft() {
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1", SELDOM_RENEWED);
		assertThatExceptionOfType(TransactionSystemException.class)
			.isThrownBy(() -> unsure(false).executeWithoutResult((status) -> save(locked, "never")));
		assertThat(this.here.documents().breakLock(Post.class, "p1")).isPresent();
		plainSave("p1");
		assertThat(locked).isNotNull();
	}

	@Test
	void aPlainSavePassesOnceTheDocumentWasLockedAndSavedAfterACommitThatNobodyKnewOf() {
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1", SELDOM_RENEWED);
		assertThatExceptionOfType(TransactionSystemException.class)
			.isThrownBy(() -> unsure(true).executeWithoutResult((status) -> save(locked, "saved")));
		assertThat(text("p1")).isEqualTo("saved");
		save(this.here.documents().lock(Post.class, "p1", SELDOM_RENEWED), "again");
		plainSave("p1");
		assertThat(locked).isNotNull();
	}

	@Test
	void aPlainSavePassesOnceTheLockOfATicketThatWasResumedHereIsBroken() {
		DocumentLockOperations documents = this.here.documents();
		LockTicket ticket = documents.lock(Post.class, "p1", SELDOM_RENEWED).ticket();
		LockedDocument<Post> shown = documents.resume(Post.class, "p1", ticket);
		assertThat(documents.breakLock(Post.class, "p1")).isPresent();
		plainSave("p1");
		assertThat(shown).isNotNull();
	}

	@Test
	void aDocumentThatWasLockedBeforeAndClosedInATransactionOfAnotherKindIsReleasedByItsRollback() {
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1", SELDOM_RENEWED);
		new TransactionTemplate(new ForeignTransactionManager()).executeWithoutResult((status) -> {
			locked.close();
			status.setRollbackOnly();
		});
		assertThat(this.there.documents().find(Post.class, "p1")).isEmpty();
	}

	@Test
	void aDocumentWhoseVersionCannotBeTakenBackIsStillReleasedAfterTheRollback() {
		this.template.insert(new Stubborn());
		LockedDocument<Stubborn> locked = this.here.documents().lock(Stubborn.class, "x1", OFTEN_RENEWED);
		this.transactions.executeWithoutResult((status) -> {
			locked.save(locked.entity());
			status.setRollbackOnly();
		});
		locked.close();
		assertThat(this.there.documents().find(Stubborn.class, "x1")).isEmpty();
	}

	// Commits, or does not, and nobody hears which
	private TransactionTemplate unsure(boolean commits) {
		MongoTransactionManager manager = new MongoTransactionManager(this.template.getMongoDatabaseFactory()) {

			@Override
			protected void doCommit(MongoTransactionObject transaction) throws Exception {
				if (commits) {
					super.doCommit(transaction);
				}
				throw new TransactionSystemException("no answer");
			}

		};
		manager.addListener(this.here.transactions());
		return new TransactionTemplate(manager);
	}

	private static void reach(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void assertRefused(Runnable work) {
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> onAnotherThread(work))
			.havingCause()
			.isInstanceOf(IllegalStateException.class)
			.withMessageContaining("a transaction of another thread, which keeps the lock");
	}

	private static void onAnotherThread(Runnable work) {
		CompletableFuture.runAsync(work, (task) -> new Thread(task).start()).orTimeout(30, TimeUnit.SECONDS).join();
	}

	// Spring swallows what is thrown there
	private static void afterCompletion(AtomicReference<Throwable> failure, Runnable work) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCompletion(int status) {
				failure.set(catchThrowable(work::run));
			}

		});
	}

	private void inAnotherDatabase(GenericApplicationContext context, @Nullable UuidRepresentation ids,
			Consumer<MongoTemplate> work) {
		MongoClientSettings.Builder settings = MongoClientSettings.builder()
			.applyConnectionString(new ConnectionString(uri()));
		if (ids != null) {
			settings.uuidRepresentation(ids);
		}
		try (MongoClient client = MongoClients.create(settings.build())) {
			MongoTemplate archive = new MongoTemplate(
					new SimpleMongoClientDatabaseFactory(client, this.template.getDb().getName() + "-archive"));
			try {
				work.accept(archive);
			}
			finally {
				archive.getDb().drop();
			}
		}
	}

	@org.springframework.data.mongodb.core.mapping.Document("stubborn")
	@AccessType(AccessType.Type.PROPERTY)
	public static class Stubborn {

		private String id = "x1";

		private Long version;

		@Id
		public String getId() {
			return this.id;
		}

		public void setId(String id) {
			this.id = id;
		}

		@Version
		public Long getVersion() {
			return this.version;
		}

		public void setVersion(Long version) {
			if (this.version != null && version != null && version < this.version) {
				throw new IllegalArgumentException("of the application");
			}
			this.version = version;
		}

	}

	record Numbered(@Id UUID id, String text) {

	}

}
