package io.mongolock.mongodb;

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

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.UuidRepresentation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.annotation.AccessType;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.SessionSynchronization;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.SimpleMongoClientDatabaseFactory;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockLostException;
import io.mongolock.LockSettings;
import io.mongolock.LockUnavailableException;
import io.mongolock.LossReason;
import io.mongolock.test.proxy.FaultProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatRuntimeException;
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
	void aNestedClaimOfAnotherThreadWritesNothingThatATransactionKeeps() {
		LockedDocument<Post> outer = this.here.documents().lock(Post.class, "p1", SELDOM_RENEWED);
		this.transactions.executeWithoutResult((status) -> {
			assertRefused(() -> nestedIn(outer, (nested) -> keep(nested, "nested")));
			save(outer, "saved");
		});
		assertThat(text("p1")).isEqualTo("saved");
	}

	@Test
	void aNestedClaimInATransactionOfAnotherThreadBeginsNoRenewalBesideTheOneThatKeepsTheLock() {
		LockedDocument<Post> witness = lockElsewhere("p3");
		this.transactions.executeWithoutResult((status) -> {
			LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1", OFTEN_RENEWED);
			this.template.findById("p2", Post.class);
			onAnotherThread(() -> within(TransactionDefinition.PROPAGATION_REQUIRED)
				.executeWithoutResult((other) -> nestedIn(locked, LockedDocument::entity)));
			awaitRenewals("p3");
			save(locked, "saved");
		});
		assertThat(text("p1")).isEqualTo("saved");
		witness.close();
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
								listening.documents().save(nested, new Post("p1", "saved", nested.entity().version()));
							});
							return null;
						})))
				.withMessageContaining("released by what ran within it");
		}
		assertThat(text("p1")).isEqualTo("saved");
		assertThat(lost).isEmpty();
		witness.close();
	}

	@Test
	void whatANestedClaimHasSeenOfATransactionThatWasNotCommittedIsNotTakenForStored() {
		for (Consumer<TransactionStatus> failure : List
			.<Consumer<TransactionStatus>>of(TransactionStatus::setRollbackOnly, (status) -> killSession())) {
			DocumentLockOperations documents = this.here.documents();
			this.template.save(new Note("n1", "draft"));
			documents.execute(Note.class, "n1", (how) -> how.settings(SELDOM_RENEWED), (outer) -> {
				AtomicReference<LockedDocument<Note>> nested = new AtomicReference<>();
				try {
					this.transactions.executeWithoutResult((status) -> {
						documents.saveAndKeep(outer, new Note("n1", "one"));
						nested.set(documents.lock(Note.class, "n1"));
						failure.accept(status);
					});
				}
				catch (TransactionSystemException ex) {
					// Refused by the server
				}
				documents.saveAndKeep(nested.get(), new Note("n1", "one"));
				nested.get().close();
				return null;
			});
			assertThat(template().findById("n1", Note.class).text()).isEqualTo("one");
		}
	}

	@Test
	void aSaveOfWhatANestedClaimHasSeenOfARollbackSaysSoIfItHasAVersion() {
		this.here.documents().execute(Post.class, "p1", (how) -> how.settings(SELDOM_RENEWED), (outer) -> {
			LockedDocument<Post> nested = this.transactions.execute((status) -> {
				keep(outer, "one");
				status.setRollbackOnly();
				return this.here.documents().lock(Post.class, "p1");
			});
			assertThatExceptionOfType(OptimisticLockingFailureException.class).isThrownBy(() -> save(nested, "two"))
				.withMessageContaining("loaded by a transaction that was not committed");
			save(outer, "three");
			return null;
		});
		assertThat(text("p1")).isEqualTo("three");
	}

	@Test
	void whatIsResumedInsideATransactionIsWhatThatHasWritten() {
		this.template.save(new Note("n1", "draft"));
		DocumentLockOperations documents = this.here.documents();
		LockTicket ticket = documents.lock(Note.class, "n1", SELDOM_RENEWED).ticket();
		this.transactions.executeWithoutResult((status) -> {
			documents.saveAndKeep(documents.resume(Note.class, ticket), new Note("n1", "one"));
			documents.save(documents.resume(Note.class, ticket), new Note("n1", "draft"));
			assertThatIllegalStateException().isThrownBy(() -> documents.resume(Note.class, ticket))
				.withMessageContaining("released by a write of this transaction");
		});
		assertThat(template().findById("n1", Note.class).text()).isEqualTo("draft");
	}

	@Test
	void aRefusedClaimFurtherWithinDoesNotForgetTheSuspendedTransaction() {
		DocumentLockOperations documents = this.here.documents();
		LockTicket ticket = documents.lock(Post.class, "p1", SELDOM_RENEWED).ticket();
		this.transactions.executeWithoutResult((status) -> {
			save(documents.resume(Post.class, ticket), "saved");
			within(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult((second) -> {
				LockedDocument<Post> again = documents.resume(Post.class, ticket);
				assertThatIllegalStateException().isThrownBy(() -> keep(again, "within"));
				within(TransactionDefinition.PROPAGATION_NOT_SUPPORTED).executeWithoutResult((none) -> {
				});
				assertThatIllegalStateException().isThrownBy(() -> keep(again, "within"));
				second.setRollbackOnly();
			});
		});
		assertThat(text("p1")).isEqualTo("saved");
	}

	@Test
	void aListenerThatFailsAfterTheCommitTakesNothingBack() {
		this.template.insert(new Sheet("s1"));
		LockedDocument<Sheet> locked = this.here.documents().lock(Sheet.class, "s1", SELDOM_RENEWED);
		assertThatIllegalArgumentException().isThrownBy(() -> this.transactions.executeWithoutResult((status) -> {
			afterCommit(Ordered.HIGHEST_PRECEDENCE, () -> {
				throw new IllegalArgumentException("of the application");
			});
			this.here.documents().saveAndKeep(locked, locked.entity());
		}));
		assertThat(locked.entity().version).isEqualTo(template().findById("s1", Sheet.class).version);
		this.here.documents().save(locked, locked.entity());
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
	void whatATransactionHasClosedIsNotSavedByTheEndOfOneWithinIt() {
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
		TransactionTemplate foreign = foreign();
		LockSettings brief = LockSettings.builder().ttl(Duration.ofSeconds(15)).build();
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1", brief);
		assertThatRuntimeException().isThrownBy(() -> foreign.executeWithoutResult((status) -> {
			save(locked, "never");
			killSession();
		}));
		assertThatIllegalStateException().isThrownBy(() -> plainSave("p1"));
		await().atMost(Duration.ofSeconds(40)).ignoreExceptions().untilAsserted(() -> plainSave("p1"));
		assertThat(this.there.documents().find(Post.class, "p1")).isEmpty();
	}

	@Test
	void aResumedDocumentThatWasClosedIsTheBusinessOfItsTicket() {
		DocumentLockOperations documents = this.here.documents();
		LockTicket ticket = documents.lock(Post.class, "p1", SELDOM_RENEWED).ticket();
		LockedDocument<Post> resumed = documents.resume(Post.class, ticket);
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
					DocumentLocksFixture foreign = new DocumentLocksFixture("foreign", archive,
							new GenericApplicationContext())) {
				archive.setApplicationContext(context);
				there[0] = other;
				LockedDocument<Guarded> editor = foreign.documents().lock(Guarded.class, "g1", SELDOM_RENEWED);
				LockedDocument<Guarded> locked = main.documents().lock(Guarded.class, "g1", SELDOM_RENEWED);
				this.transactions.executeWithoutResult((status) -> {
					main.documents().save(locked, new Guarded("g1", "saved", locked.entity().version()));
					assertThatExceptionOfType(LockUnavailableException.class)
						.isThrownBy(() -> archive.save(archive.findById("g1", Guarded.class)));
				});
				foreign.documents().save(editor, new Guarded("g1", "edited", editor.entity().version()));
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
	void aSaveThatJoinsATransactionOfAnotherKindAndWhoseAnswerIsLostIsNoDoubtAfterItsRollback() {
		ConnectionString server = new ConnectionString(uri());
		String[] address = server.getHosts().get(0).split(":");
		try (FaultProxy proxy = FaultProxy.to(address[0], Integer.parseInt(address[1]));
				MongoClient client = MongoClients.create(proxy.connectionString())) {
			MongoTemplate proxied = new MongoTemplate(
					new SimpleMongoClientDatabaseFactory(client, this.template.getDb().getName()));
			proxied.setSessionSynchronization(SessionSynchronization.ALWAYS);
			try (DocumentLocksFixture cut = new DocumentLocksFixture("cut", proxied, new GenericApplicationContext())) {
				ForeignTransactionManager foreign = new ForeignTransactionManager();
				foreign.addListener(cut.transactions());
				LockTicket ticket = cut.documents().lock(Post.class, "p1", SELDOM_RENEWED).ticket();
				LockedDocument<Post> locked = cut.documents().resume(Post.class, ticket);
				new TransactionTemplate(foreign).executeWithoutResult((status) -> {
					proxy.on("update").when((command) -> command.containsKey("txnNumber")).cutBeforeReply().once();
					assertThatRuntimeException().isThrownBy(
							() -> cut.documents().save(locked, new Post("p1", "saved", locked.entity().version())));
					status.setRollbackOnly();
				});
				assertThat(locked.handle().isHeld()).isTrue();
				cut.documents().release(Post.class, ticket);
			}
		}
	}

	@Test
	void aTicketThatATransactionKeepsByOneClaimAndWritesByAnotherIsRenewedAfterIt() {
		DocumentLockOperations documents = this.here.documents();
		LockTicket ticket = documents.lock(Post.class, "p1", SELDOM_RENEWED).ticket();
		LockedDocument<Post> first = documents.resume(Post.class, ticket);
		this.transactions.executeWithoutResult((status) -> {
			documents.keepInTransaction(first);
			keep(documents.resume(Post.class, ticket), "two");
		});
		documents.release(Post.class, ticket);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> first.handle().renew());
	}

	@Test
	void aTicketThatATransactionKeepsByOneClaimIsNotRenewedBesideItByAnother() {
		DocumentLockOperations documents = this.here.documents();
		LockTicket ticket = documents.lock(Post.class, "p1", SELDOM_RENEWED).ticket();
		LockedDocument<Post> first = documents.resume(Post.class, ticket);
		LockedDocument<Post> second = documents.resume(Post.class, ticket);
		this.transactions.executeWithoutResult((status) -> {
			documents.keepInTransaction(first);
			first.handle().renew();
			second.handle().renew();
		});
	}

	@Test
	void whatWasSeenOfATransactionOfAnotherKindWhoseMongoPartFailedIsNotTakenForStored() {
		TransactionTemplate foreign = foreign();
		DocumentLockOperations documents = this.here.documents();
		this.template.save(new Note("n1", "draft"));
		documents.execute(Note.class, "n1", (how) -> how.settings(SELDOM_RENEWED), (outer) -> {
			AtomicReference<LockedDocument<Note>> nested = new AtomicReference<>();
			assertThatRuntimeException().isThrownBy(() -> foreign.executeWithoutResult((status) -> {
				documents.saveAndKeep(outer, new Note("n1", "one"));
				nested.set(documents.lock(Note.class, "n1"));
				killSession();
			}));
			assertThat(template().findById("n1", Note.class).text()).isEqualTo("draft");
			documents.saveAndKeep(nested.get(), new Note("n1", "one"));
			nested.get().close();
			return null;
		});
		assertThat(template().findById("n1", Note.class).text()).isEqualTo("one");
	}

	@Test
	void aPlainSavePassesOnceAnotherClaimOfTheTicketHasSaved() {
		DocumentLockOperations documents = this.here.documents();
		LockTicket ticket = documents.lock(Post.class, "p1", SELDOM_RENEWED).ticket();
		LockedDocument<Post> shown = documents.resume(Post.class, ticket);
		save(documents.resume(Post.class, ticket), "saved");
		assertThat(this.there.documents().find(Post.class, "p1")).isEmpty();
		plainSave("p1");
		assertThat(shown).isNotNull();
	}

	@Test
	void aPlainSavePassesOnceTheLockWasBrokenThatAnUnknownCommitLeft() {
		TransactionTemplate foreign = foreign();
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1", SELDOM_RENEWED);
		assertThatRuntimeException().isThrownBy(() -> foreign.executeWithoutResult((status) -> {
			save(locked, "never");
			killSession();
		}));
		assertThat(this.here.documents().breakLock(Post.class, "p1")).isPresent();
		plainSave("p1");
		assertThat(locked).isNotNull();
	}

	@Test
	void aPlainSavePassesOnceTheDocumentWasLockedAndSavedAfterACommitThatNobodyKnewOf() {
		TransactionTemplate foreign = foreign();
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1", SELDOM_RENEWED);
		assertThatRuntimeException().isThrownBy(() -> foreign.executeWithoutResult((status) -> {
			this.template.findById("p2", Post.class);
			afterCommit(() -> {
				throw new IllegalStateException("of the application");
			});
			save(locked, "saved");
		}));
		assertThat(text("p1")).isEqualTo("saved");
		save(this.here.documents().lock(Post.class, "p1", SELDOM_RENEWED), "again");
		plainSave("p1");
		assertThat(locked).isNotNull();
	}

	@Test
	void aPlainSavePassesOnceTheLockOfATicketThatWasResumedHereIsBroken() {
		DocumentLockOperations documents = this.here.documents();
		LockTicket ticket = documents.lock(Post.class, "p1", SELDOM_RENEWED).ticket();
		LockedDocument<Post> shown = documents.resume(Post.class, ticket);
		assertThat(documents.breakLock(Post.class, "p1")).isPresent();
		plainSave("p1");
		assertThat(shown).isNotNull();
	}

	@Test
	void aDocumentThatWasLockedBeforeAndClosedInATransactionOfAnotherKindIsReleasedByItsRollback() {
		TransactionTemplate foreign = foreign();
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1", SELDOM_RENEWED);
		foreign.executeWithoutResult((status) -> {
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
			this.here.documents().save(locked, locked.entity());
			status.setRollbackOnly();
		});
		locked.close();
		assertThat(this.there.documents().find(Stubborn.class, "x1")).isEmpty();
	}

	@Test
	void aTransactionThatBeginsWhileAnotherKeepsTheLockKeepsItToo() {
		LockedDocument<Post> witness = lockElsewhere("p3");
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1", OFTEN_RENEWED);
		CountDownLatch nested = new CountDownLatch(1);
		CountDownLatch begun = new CountDownLatch(1);
		CompletableFuture<Void> other = CompletableFuture
			.runAsync(() -> within(TransactionDefinition.PROPAGATION_REQUIRED)
				.executeWithoutResult((status) -> nestedIn(locked, (inner) -> {
					nested.countDown();
					reach(begun);
				})), (task) -> new Thread(task).start());
		reach(nested);
		this.transactions.executeWithoutResult((status) -> {
			this.template.findById("p2", Post.class);
			begun.countDown();
			other.join();
			awaitRenewals("p3");
			save(locked, "saved");
		});
		assertThat(text("p1")).isEqualTo("saved");
		witness.close();
	}

	private TransactionTemplate foreign() {
		this.template.setSessionSynchronization(SessionSynchronization.ALWAYS);
		ForeignTransactionManager foreign = new ForeignTransactionManager();
		foreign.addListener(this.here.transactions());
		return new TransactionTemplate(foreign);
	}

	private static void reach(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@SuppressWarnings("try") // closing is what the resource is for
	private void nestedIn(LockedDocument<Post> outer, Consumer<LockedDocument<Post>> work) {
		try (LockContext.Scope entered = LockContext.enter(outer.handle())) {
			this.here.documents().execute(Post.class, "p1", (how) -> {
			}, (nested) -> {
				work.accept(nested);
				return null;
			});
		}
	}

	private static void assertRefused(Runnable work) {
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> onAnotherThread(work))
			.havingCause()
			.isInstanceOf(IllegalStateException.class)
			.withMessageContaining("a transaction of another thread keeps it");
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

	@org.springframework.data.mongodb.core.mapping.Document("note")
	record Note(@Id String id, String text) {

	}

	record Numbered(@Id UUID id, String text) {

	}

}
