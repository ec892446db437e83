package io.mongolock.documents;

import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.BsonDocument;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.PersistenceCreator;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.SessionSynchronization;
import org.springframework.data.mongodb.core.CollectionCallback;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.SimpleMongoClientDatabaseFactory;
import org.springframework.data.mongodb.core.mapping.event.BeforeConvertCallback;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockLostException;
import io.mongolock.LockSettings;
import io.mongolock.LossReason;
import io.mongolock.data.FencedWrites;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link DocumentLockOperations} inside a MongoDB transaction. The embedded
 * server has none, so statements go to it at once, and a rollback is made by hand.
 */
class DocumentLockTransactionTests {

	private static final LockSettings OFTEN_RENEWED = LockSettings.builder()
		.ttl(Duration.ofSeconds(20))
		.renewInterval(Duration.ofMillis(250))
		.build();

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.start();

	@AutoClose
	private final MongoClient client = MongoClients.create(this.server.connectionString());

	private final MongoTemplate template = new BesideTransactions(
			new SimpleMongoClientDatabaseFactory(this.client, "test"));

	private final List<String> heard = new CopyOnWriteArrayList<>();

	@AutoClose
	private final DocumentLocksFixture here = new DocumentLocksFixture("here", this.template,
			new GenericApplicationContext(), new Told());

	private final MongoTransactionManager manager = new MongoTransactionManager(
			this.template.getMongoDatabaseFactory());

	@BeforeEach
	void insert() {
		this.manager.addListener(this.here.transactions());
		this.template.insert(new Page("a", "draft"));
	}

	@Test
	void aSaveReleasesWithTheCommit() {
		LockedDocument<Page> locked = elsewhere(() -> this.here.documents().lock(Page.class, "a"));
		new TransactionTemplate(this.manager).executeWithoutResult((status) -> {
			locked.save(text(locked, "saved"));
			assertThat(locked.handle().isHeld()).isTrue();
			assertThatIllegalStateException().isThrownBy(() -> locked.save(text(locked, "")))
				.withMessageContaining("released by a write whose transaction has not ended yet");
			this.here.client().renew("page:a");
			assertThat(locked.handle().isHeld()).as("what does not find it says nothing").isTrue();
			locked.close();
			assertThat(this.here.client().held()).isEqualTo(1);
		});
		assertThat(locked.handle().isHeld()).isFalse();
		assertThat(this.here.client().held()).isZero();
		await().untilAsserted(() -> assertThat(this.heard).containsExactly("acquired", "released"));
	}

	@Test
	void aTouchOfTheLockOfADocumentIsRefusedAndNamesTheWayOut() {
		FencedWrites writes = FencedWrites.of(this.template, Mockito.mock(MongoLockStore.class));
		DocumentLockOperations documents = this.here.documents();
		documents.execute(Page.class, "a", (how) -> {
		}, (locked) -> {
			for (LockHandle handle : List.of(locked.handle(), LockContext.current())) {
				assertThatIllegalArgumentException().isThrownBy(() -> writes.touch(handle))
					.withMessageContaining("Lock 'page:a'")
					.withMessageContaining("locked before the transaction");
			}
			return null;
		});
		LockHandle resumed = documents.resume(Page.class, "a", documents.lock(Page.class, "a").ticket()).handle();
		assertThatIllegalArgumentException().isThrownBy(() -> writes.touch(resumed))
			.withMessageContaining("locked before the transaction");
	}

	@Test
	void aTemplateThatNeverJoinsIsPartOfNoTransaction() {
		MongoTemplate beside = new MongoTemplate(this.template.getMongoDatabaseFactory());
		beside.setSessionSynchronization(SessionSynchronization.NEVER);
		try (DocumentLocksFixture never = new DocumentLocksFixture("never", beside, new GenericApplicationContext())) {
			this.manager.addListener(never.transactions());
			LockedDocument<Page> locked = never.documents().lock(Page.class, "a");
			new TransactionTemplate(this.manager).executeWithoutResult((status) -> {
				locked.save(text(locked, "saved"));
				assertThat(locked.handle().isHeld()).isFalse();
				never.documents().lock(Page.class, "a").close();
				status.setRollbackOnly();
			});
			assertThat(beside.findById("a", Page.class).text()).isEqualTo("saved");
		}
	}

	@Test
	void aDocumentThatIsClosedWhileItsWriteFindsTheLockGoneIsNoLongerHeld() {
		AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {
		});
		MongoTemplate slow = new MongoTemplate(this.template.getMongoDatabaseFactory()) {

			@Override
			public <T> T execute(String collection, CollectionCallback<T> action) {
				T answer = super.execute(collection, action);
				meanwhile.get().run();
				return answer;
			}

		};
		try (DocumentLocksFixture slowly = new DocumentLocksFixture("slow", slow, new GenericApplicationContext())) {
			LockedDocument<Page> locked = slowly.documents().lock(Page.class, "a");
			this.here.documents().breakLock(Page.class, "a");
			meanwhile.set(locked::close);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> locked.save(text(locked, "never")));
			assertThat(slowly.client().held()).isZero();
		}
	}

	@Test
	void aLockThatIsTakenInsideItIsReleasedOnce() {
		new TransactionTemplate(this.manager).executeWithoutResult((status) -> {
			try (LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a")) {
				locked.save(text(locked, "saved"));
			}
		});
		assertThat(this.here.client().held()).isZero();
		await().untilAsserted(() -> assertThat(this.heard).containsExactly("acquired", "released"));
	}

	@Test
	void aRollbackLeavesTheLockAsItWas() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a");
		inRollback(() -> locked.save(text(locked, "rolled back")));
		assertThat(locked.handle().isHeld()).isTrue();
		locked.handle().renew();
		locked.save(text(locked, "saved"));
		assertThat(this.template.findById("a", Page.class)).extracting(Page::text).isEqualTo("saved");
	}

	@Test
	void aRollbackTakesBackTheVersionInTheObject() {
		this.template.insert(new Sheet("a"));
		LockedDocument<Sheet> locked = this.here.documents().lock(Sheet.class, "a");
		Sheet mine = locked.entity();
		inRollback(() -> assertThat(locked.save(mine).version).isEqualTo(2), "sheet");
		assertThat(mine.version).isEqualTo(1);
		this.template.updateFirst(new Query(), new Update().inc("version", 1).set("likes", 1), Sheet.class);
		assertThatExceptionOfType(OptimisticLockingFailureException.class).isThrownBy(() -> this.template.save(mine));
		assertThat(this.template.findById("a", Sheet.class).likes).isEqualTo(1);
	}

	@Test
	void aRollbackTakesBackAllThatWasSavedWithTheLockKept() {
		this.template.insert(new Sheet("a"));
		LockedDocument<Sheet> locked = this.here.documents().lock(Sheet.class, "a");
		Sheet mine = locked.entity();
		inRollback(() -> {
			locked.saveAndKeep(mine);
			mine.likes = 7;
			assertThat(locked.saveAndKeep(mine).version).isEqualTo(3);
			assertThat(locked.save(mine).version).isEqualTo(4);
		}, "sheet");
		assertThat(mine.version).isEqualTo(1);
		assertThat(locked.handle().isHeld()).isTrue();
		assertThatExceptionOfType(OptimisticLockingFailureException.class).isThrownBy(() -> locked.saveAndKeep(mine))
			.withMessageContaining("Call locked.entity(), which returns a new entity from the stored document");
		assertThat(locked.entity().likes).as("as it is stored").isZero();
		assertThat(locked.saveAndKeep(locked.entity()).version).isEqualTo(2);
	}

	@Test
	void aTransactionThatIsDoneAgainCountsOnce() {
		this.template.insert(new Sheet("a"));
		LockedDocument<Sheet> locked = this.here.documents().lock(Sheet.class, "a");
		inRollback(() -> locked.entity().likes++, "sheet");
		inRollback(() -> {
			locked.entity().likes++;
			locked.saveAndKeep(locked.entity());
		}, "sheet");
		locked.entity().likes++;
		assertThat(locked.save(locked.entity()).likes).isOne();
	}

	@Test
	void aSaveThatKeepsTheLockIsItsRenewalUntilTheTransactionEnds() {
		this.template.insert(new Page("b", "draft"));
		LockedDocument<Page> witness = lockedElsewhere("b");
		LockedDocument<Page> locked = elsewhere(() -> this.here.documents().lock(Page.class, "a", OFTEN_RENEWED));
		new TransactionTemplate(this.manager).executeWithoutResult((status) -> {
			locked.saveAndKeep(text(locked, "one"));
			Date before = renewedAt("a");
			awaitRenewals("b");
			assertThat(renewedAt("a")).isEqualTo(before);
			locked.saveAndKeep(text(locked, "two"));
			assertThat(renewedAt("a")).isAfter(before);
		});
		awaitRenewals("a");
		assertThat(locked.entity()).extracting(Page::text).isEqualTo("two");
		locked.save(locked.entity());
		witness.close();
	}

	@Test
	void noTicketIsTakenOfWhatATransactionMayRollBack() {
		LockedDocument<Page> locked = elsewhere(() -> this.here.documents().lock(Page.class, "a"));
		new TransactionTemplate(this.manager).executeWithoutResult((status) -> {
			locked.saveAndKeep(text(locked, "saved"));
			assertThatIllegalStateException().isThrownBy(locked::ticket)
				.withMessageContaining("Take the ticket after the commit of that transaction");
		});
		assertThat(this.here.documents().resume(Page.class, "a", locked.ticket()).entity()).isEqualTo(locked.entity());
	}

	@Test
	void aDeletionEndsTheLockWithTheCommitAndNotByARollback() {
		LockedDocument<Page> locked = elsewhere(() -> this.here.documents().lock(Page.class, "a"));
		new TransactionTemplate(this.manager).executeWithoutResult((status) -> {
			Document before = this.template.findById("a", Document.class, "page");
			locked.delete();
			assertThat(locked.handle().isHeld()).isTrue();
			this.template.insert(before, "page");
			status.setRollbackOnly();
		});
		assertThat(locked.handle().isHeld()).isTrue();
		locked.handle().renew();
		new TransactionTemplate(this.manager).executeWithoutResult((status) -> locked.delete());
		assertThat(this.here.client().held()).isZero();
		await().untilAsserted(() -> assertThat(this.heard).containsExactly("acquired", "released"));
	}

	@Test
	void aCommitOfWhichNobodyKnowsTakesBackTheVersionInTheObject() {
		this.template.insert(new Sheet("a"));
		LockedDocument<Sheet> locked = elsewhere(() -> this.here.documents().lock(Sheet.class, "a"));
		assertThatExceptionOfType(TransactionSystemException.class)
			.isThrownBy(() -> new TransactionTemplate(unsure()).executeWithoutResult((status) -> {
				locked.save(locked.entity());
				assertThat(locked.entity().version).isEqualTo(2);
			}));
		assertThat(locked.entity().version).isEqualTo(1);
	}

	@Test
	void whenATransactionIsRolledBackThenTheVersionIsTakenBackInAllThatTheCallerHas() {
		GenericApplicationContext copying = new GenericApplicationContext();
		copying.getBeanFactory().registerSingleton("copying", new Copying());
		try (DocumentLocksFixture other = new DocumentLocksFixture("other", this.template, copying)) {
			this.manager.addListener(other.transactions());
			this.template.insert(new Sheet("a"));
			LockedDocument<Sheet> locked = elsewhere(() -> other.documents().lock(Sheet.class, "a"));
			Sheet mine = locked.entity();
			Sheet saved = Objects.requireNonNull(new TransactionTemplate(this.manager).execute((status) -> {
				status.setRollbackOnly();
				return locked.saveAndKeep(mine);
			}));
			assertThat(saved).isNotSameAs(mine);
			assertThat(List.of(mine, saved)).extracting((sheet) -> sheet.version).containsOnly(1L);
		}
	}

	@Test
	void aLockThatWasClosedInsideItIsReleasedAfterTheRollback() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a");
		inRollback(() -> {
			locked.save(text(locked, "rolled back"));
			locked.close();
		});
		assertThat(this.here.client().held()).isZero();
		this.here.documents().lock(Page.class, "a").close();
	}

	@Test
	void aCommitOfWhichNobodyKnowsLeavesTheLockToRunOut() {
		LockedDocument<Page> locked = elsewhere(() -> this.here.documents().lock(Page.class, "a"));
		assertThatExceptionOfType(TransactionSystemException.class).isThrownBy(() -> new TransactionTemplate(unsure())
			.executeWithoutResult((status) -> locked.save(text(locked, "maybe"))));
		assertThat(locked.handle().isHeld()).isFalse();
		assertThat(this.here.client().held()).isZero();
		locked.close();
		assertThat(this.heard).doesNotContain("lost", "released");
	}

	@Test
	void aDocumentLockedInATransactionIsNotSavedInsideAnInnerOneOfAnotherKind() {
		TransactionTemplate inner = new TransactionTemplate(foreign());
		listened().executeWithoutResult((status) -> {
			LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a");
			inner.executeWithoutResult((other) -> assertThatIllegalStateException()
				.isThrownBy(() -> locked.save(text(locked, "never")))
				.withMessageContaining(
						"Do this outside of the transaction, or in a transaction of a MongoTransactionManager"));
			locked.save(text(locked, "saved"));
		});
		assertThat(this.template.findById("a", Page.class).text()).isEqualTo("saved");
	}

	@Test
	void aCommitThatMongoDbHasRefusedLeavesNoLockToRunOut() {
		failToSave("a", failing(refusal()), () -> {
		});
		assertThat(this.here.documents().find(Page.class, "a")).isEmpty();
		assertThat(this.here.client().held()).isZero();
	}

	@Test
	void aCommitWithoutAnAnswerLeavesItToRunOutWhateverBecomesOfTheTransactionAround() {
		this.template.insert(new Page("b", "draft"));
		failToSave("a", failing(refusal()), () -> failToSave("b", unsure(), () -> {
		}));
		assertThat(this.here.documents().find(Page.class, "a")).isEmpty();
		assertThat(this.here.documents().find(Page.class, "b")).isPresent();
	}

	private void failToSave(String id, MongoTransactionManager manager, Runnable within) {
		TransactionTemplate transaction = new TransactionTemplate(manager,
				new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
		assertThatExceptionOfType(TransactionSystemException.class)
			.isThrownBy(() -> transaction.executeWithoutResult((status) -> {
				LockedDocument<Page> locked = this.here.documents().lock(Page.class, id);
				Document before = this.template.findById(id, Document.class, "page");
				locked.save(text(locked, "never"));
				// As a rollback does, which the embedded server knows nothing of
				this.template.getCollection("page").replaceOne(new Document("_id", id), before);
				within.run();
			}));
	}

	private static TransactionSystemException refusal() {
		MongoCommandException answer = new MongoCommandException(BsonDocument.parse("{ok: 0, code: 251}"),
				new ServerAddress());
		answer.addLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL);
		return new TransactionSystemException("refused", answer);
	}

	private MongoTransactionManager unsure() {
		return failing(new TransactionSystemException("no answer"));
	}

	private MongoTransactionManager failing(RuntimeException failure) {
		MongoTransactionManager manager = new MongoTransactionManager(this.template.getMongoDatabaseFactory()) {

			@Override
			protected void doCommit(MongoTransactionObject transaction) {
				throw failure;
			}

		};
		manager.addListener(this.here.transactions());
		return manager;
	}

	@Test
	void aLockOfTheThreadIsNotRenewedDuringItsTransactionAndIsRenewedAgainAfterwards() {
		this.template.insert(new Page("b", "draft"));
		LockedDocument<Page> witness = lockedElsewhere("b");
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", OFTEN_RENEWED);
		listened().executeWithoutResult((status) -> {
			status.setRollbackOnly();
			Date before = renewedAt("a");
			awaitRenewals("b");
			assertThat(renewedAt("a")).isEqualTo(before);
		});
		awaitRenewals("a");
		assertThat(locked.handle().isHeld()).isTrue();
		locked.close();
		witness.close();
		assertThat(this.here.client().held()).isZero();
	}

	@Test
	void aLockTakenInATransactionIsNotRenewedThereAndRefusesTheCommitIfItIsLost() {
		this.template.insert(new Page("b", "draft"));
		LockedDocument<Page> witness = lockedElsewhere("b");
		LockSettings brief = LockSettings.builder().ttl(Duration.ofSeconds(1)).build();
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> listened().executeWithoutResult((status) -> {
				LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", brief);
				Date before = renewedAt("a");
				awaitRenewals("b");
				assertThat(renewedAt("a")).isEqualTo(before);
				await().until(() -> locked.handle().remaining().isZero());
			}));
		witness.close();
	}

	@Test
	void aSaveThatIsRefusedInsideATransactionLeavesTheLockToIt() {
		this.template.insert(new Page("b", "draft"));
		this.template.insert(new Sheet("a"));
		LockedDocument<Page> witness = lockedElsewhere("b");
		LockedDocument<Sheet> locked = this.here.documents().lock(Sheet.class, "a", OFTEN_RENEWED);
		this.template.updateFirst(new Query(), Update.update("likes", 1), Sheet.class);
		listened().executeWithoutResult((status) -> {
			status.setRollbackOnly();
			assertThatExceptionOfType(OptimisticLockingFailureException.class)
				.isThrownBy(() -> locked.save(locked.entity()));
			Date before = renewedAt("sheet", "a");
			awaitRenewals("b");
			assertThat(renewedAt("sheet", "a")).isEqualTo(before);
		});
		locked.close();
		witness.close();
	}

	@Test
	void aReadOnlyTransactionLeavesRenewalsAlone() {
		LockedDocument<Page> kept = this.here.documents().lock(Page.class, "a", OFTEN_RENEWED);
		TransactionTemplate reading = listened();
		reading.setReadOnly(true);
		reading.executeWithoutResult((status) -> awaitRenewals("a"));
		kept.close();
	}

	@Test
	void aTransactionWithinATransactionLeavesToTheOuterOneWhatThatKeeps() {
		this.template.insert(new Page("b", "draft"));
		LockedDocument<Page> witness = lockedElsewhere("b");
		LockedDocument<Page> kept = this.here.documents().lock(Page.class, "a", OFTEN_RENEWED);
		TransactionTemplate inner = listened();
		inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		listened().executeWithoutResult((outer) -> {
			outer.setRollbackOnly();
			inner.executeWithoutResult((status) -> assertThat(status.isNewTransaction()).isTrue());
			Date before = renewedAt("a");
			awaitRenewals("b");
			assertThat(renewedAt("a")).isEqualTo(before);
		});
		kept.close();
		witness.close();
	}

	@Test
	void aNestedClaimInATransactionWithinItLetsNoRenewalBegin() {
		this.template.insert(new Page("b", "draft"));
		LockedDocument<Page> witness = lockedElsewhere("b");
		TransactionTemplate inner = listened();
		inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.here.documents().execute(Page.class, "a", (how) -> how.settings(OFTEN_RENEWED), (kept) -> {
			listened().executeWithoutResult((outer) -> {
				outer.setRollbackOnly();
				inner.executeWithoutResult((status) -> {
					status.setRollbackOnly();
					this.here.documents().execute(Page.class, "a", (how) -> {
					}, LockedDocument::entity);
				});
				Date before = renewedAt("a");
				CompletableFuture.runAsync(() -> awaitRenewals("b")).join();
				assertThat(renewedAt("a")).isEqualTo(before);
			});
			return null;
		});
		witness.close();
	}

	@Test
	void aTransactionThatCouldNotKeepALockIsNotCommitted() {
		try (MongoClient elsewhere = MongoClients.create(this.server.connectionString());
				DocumentLocksFixture other = new DocumentLocksFixture("other", this.template,
						new MongoTemplate(elsewhere, "test"), new GenericApplicationContext())) {
			LockedDocument<Page> kept = other.documents().lock(Page.class, "a");
			assertThatIllegalStateException()
				.isThrownBy(() -> listened(other).executeWithoutResult((status) -> status.flush()))
				.withMessageContaining("ClientSession");
			kept.close();
		}
	}

	@Test
	void aTransactionOfAnotherKindIsNotCommittedEitherIfALockIsGone() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a");
		TransactionTemplate other = new TransactionTemplate(foreign());
		other.executeWithoutResult((status) -> assertThat(status.isNewTransaction()).isTrue());
		this.here.documents().breakLock(Page.class, "a");
		this.here.client().renew("page:a");
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> other.executeWithoutResult((status) -> status.flush()));
		other.setReadOnly(true);
		other.executeWithoutResult((status) -> status.flush());
		other.setReadOnly(false);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> locked.save(text(locked, "never")));
		other.executeWithoutResult((status) -> assertThat(status.isRollbackOnly()).isFalse());
	}

	@Test
	void aDocumentThatWasResumedAndNotClosedLeavesTheTransactionsOfItsThreadAlone() {
		LockTicket ticket = this.here.documents().lock(Page.class, "a").ticket();
		LockedDocument<Page> resumed = this.here.documents().resume(Page.class, "a", ticket);
		this.here.documents().release(Page.class, "a", ticket);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> resumed.handle().renew());
		new TransactionTemplate(foreign()).executeWithoutResult((status) -> status.flush());
	}

	@Test
	void aSaveThatIsToKeepTheLockAndIsRefusedLeavesItToTheTransaction() {
		this.template.insert(new Page("b", "draft"));
		this.template.insert(new Sheet("a"));
		LockedDocument<Page> witness = lockedElsewhere("b");
		LockedDocument<Sheet> locked = CompletableFuture
			.supplyAsync(() -> this.here.documents().lock(Sheet.class, "a", OFTEN_RENEWED))
			.join();
		listened().executeWithoutResult((status) -> {
			this.template.updateFirst(new Query(), Update.update("likes", 1), Sheet.class);
			assertThatExceptionOfType(OptimisticLockingFailureException.class)
				.isThrownBy(() -> locked.saveAndKeep(locked.entity()));
			Date before = renewedAt("sheet", "a");
			awaitRenewals("b");
			assertThat(renewedAt("sheet", "a")).isEqualTo(before);
		});
		witness.close();
	}

	@Test
	void aLockIsKeptByOneTransactionAtATime() {
		TransactionTemplate inner = listened();
		inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		listened().executeWithoutResult((outer) -> {
			this.here.documents().lock(Page.class, "a");
			inner.executeWithoutResult((status) -> assertThat(status.isNewTransaction()).isTrue());
		});
	}

	@Test
	void aWriteOutsideOfTheTransactionThatKeepsTheLockLetsNoRenewalBegin() {
		this.template.insert(new Page("b", "draft"));
		LockedDocument<Page> witness = lockedElsewhere("b");
		TransactionTemplate outside = listened();
		outside.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
		listened().executeWithoutResult((status) -> {
			LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", OFTEN_RENEWED);
			outside.executeWithoutResult((none) -> locked.saveAndKeep(text(locked, "one")));
			Date before = renewedAt("a");
			awaitRenewals("b");
			assertThat(renewedAt("a")).isEqualTo(before);
		});
		awaitRenewals("a");
		witness.close();
	}

	@Test
	void aWriteOfAnotherThreadIsRefusedUntilTheTransactionThatHasWrittenIsOver() {
		LockedDocument<Page> locked = elsewhere(() -> this.here.documents().lock(Page.class, "a"));
		Runnable otherThread = () -> CompletableFuture.runAsync(() -> locked.saveAndKeep(text(locked, "two"))).join();
		new TransactionTemplate(this.manager).executeWithoutResult((status) -> {
			locked.saveAndKeep(text(locked, "one"));
			assertThatExceptionOfType(CompletionException.class).isThrownBy(otherThread::run)
				.withMessageContaining("a transaction of another thread, which keeps the lock");
		});
		otherThread.run();
		assertThat(this.template.findById("a", Page.class).text()).isEqualTo("two");
	}

	private AbstractPlatformTransactionManager foreign() {
		AbstractPlatformTransactionManager foreign = new ForeignTransactionManager();
		foreign.addListener(this.here.transactions());
		return foreign;
	}

	@Test
	void aLockClosedInsideATransactionIsReleasedOnceAfterIt() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", OFTEN_RENEWED);
		listened().executeWithoutResult((status) -> {
			status.setRollbackOnly();
			locked.close();
			assertThat(this.here.client().held()).isOne();
		});
		assertThat(this.here.client().held()).isZero();
		await().untilAsserted(() -> assertThat(this.heard).containsExactly("acquired", "released"));
	}

	@Test
	void aLockReleasedBeforeATransactionDoesNotMarkItForRollback() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", OFTEN_RENEWED);
		locked.close();
		listened().executeWithoutResult((status) -> assertThat(status.isRollbackOnly()).isFalse());
	}

	// What the embedded server does not know is left out; it cannot keep a lock, so that
	// a commit would be refused
	private TransactionTemplate listened() {
		return listened(this.here);
	}

	private TransactionTemplate listened(DocumentLocksFixture fixture) {
		MongoTransactionManager quiet = quiet();
		quiet.addListener(fixture.transactions());
		return new TransactionTemplate(quiet);
	}

	private MongoTransactionManager quiet() {
		return new MongoTransactionManager(this.template.getMongoDatabaseFactory()) {

			@Override
			protected void doCommit(MongoTransactionObject transaction) {
				// nothing was written
			}

		};
	}

	private static Page text(LockedDocument<Page> locked, String text) {
		return new Page(locked.entity().id(), text, locked.entity().version());
	}

	private LockedDocument<Page> lockedElsewhere(String id) {
		return CompletableFuture.supplyAsync(() -> this.here.documents().lock(Page.class, id, OFTEN_RENEWED)).join();
	}

	// Two of them, so that one which was due when this began is over
	private void awaitRenewals(String id) {
		for (int i = 0; i < 2; i++) {
			Date before = renewedAt(id);
			await().until(() -> renewedAt(id).after(before));
		}
	}

	private Date renewedAt(String id) {
		return renewedAt("page", id);
	}

	private Date renewedAt(String collection, String id) {
		return this.client.getDatabase("test")
			.getCollection(collection)
			.find(new Document("_id", id))
			.first()
			.get("lock", Document.class)
			.getList("holders", Document.class)
			.get(0)
			.getDate("renewedAt");
	}

	private void inRollback(Runnable work) {
		inRollback(work, "page");
	}

	private void inRollback(Runnable work, String collection) {
		Document before = this.template.findById("a", Document.class, collection);
		new TransactionTemplate(this.manager).executeWithoutResult((status) -> {
			work.run();
			this.template.getCollection(collection).replaceOne(new Document("_id", "a"), before);
			status.setRollbackOnly();
		});
	}

	// The transactions of a thread renew what it has locked, which takes a real server
	private static <T> LockedDocument<T> elsewhere(Supplier<LockedDocument<T>> lock) {
		return CompletableFuture.supplyAsync(lock).join();
	}

	record Page(@Id String id, String text, @Version @Nullable Long version) {

		Page(String id, String text) {
			this(id, text, null);
		}

		@PersistenceCreator
		Page {
		}

	}

	static class Sheet {

		@Id
		String id;

		int likes;

		@Version
		@Nullable Long version;

		Sheet(String id) {
			this.id = id;
		}

	}

	private static final class Copying implements BeforeConvertCallback<Sheet> {

		@Override
		public Sheet onBeforeConvert(Sheet sheet, String collection) {
			Sheet copy = new Sheet(sheet.id);
			copy.version = sheet.version;
			return copy;
		}

	}

	private final class Told implements LockListener {

		@Override
		public void onAcquired(LockHandle handle) {
			DocumentLockTransactionTests.this.heard.add("acquired");
		}

		@Override
		public void onReleased(LockHandle handle) {
			DocumentLockTransactionTests.this.heard.add("released");
		}

		@Override
		public void onLost(LockHandle handle, LossReason reason) {
			DocumentLockTransactionTests.this.heard.add("lost");
		}

	}

}
