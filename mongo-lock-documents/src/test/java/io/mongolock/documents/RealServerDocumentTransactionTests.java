package io.mongolock.documents;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import com.mongodb.ConnectionString;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.bson.Document;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.OptimisticLockingFailureException;
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

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockLostException;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LossReason;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.data.FencedWrites;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.test.proxy.FaultProxy;
import io.mongolock.test.proxy.Hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatRuntimeException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link DocumentLockOperations} inside transactions of a real replica set.
 */
class RealServerDocumentTransactionTests extends AbstractRealServerDocumentTests {

	@RepeatedTest(6)
	void aRenewalFailsNoTransactionThatIsAboutToSave() {
		LockedDocument<Post> witness = lockElsewhere("p3");
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1", OFTEN_RENEWED);
		this.transactions.executeWithoutResult((status) -> {
			this.template.findById("p2", Post.class);
			awaitRenewals("p3");
			save(locked, "saved");
		});
		assertThat(text("p1")).isEqualTo("saved");
		assertThat(this.here.client().held()).isOne();
		witness.close();
	}

	@Test
	void aLockIsTouchedBeforeItIsRenewedOrNotAtAll() {
		MongoTemplate outside = template();
		outside.setSessionSynchronization(SessionSynchronization.NEVER);
		MongoLockStore store = new MongoLockStore(outside, "locks", "");
		LockTemplate client = new LockTemplate(store, new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner("desk", "touching", "host", 1, "thread"), LockClock.system(), List.of()));
		FencedWrites writes = FencedWrites.of(this.template, store);
		try (LockHandle lock = client.acquire(LockRequest.builder("k").settings(SELDOM_RENEWED).build())) {
			assertThatExceptionOfType(DataAccessException.class)
				.isThrownBy(() -> this.transactions.executeWithoutResult((status) -> {
					this.template.findById("p1", Post.class);
					CompletableFuture.runAsync(lock::renew).join();
					writes.touch(lock);
				}))
				.withMessageContaining("WriteConflict");
			CompletableFuture<Void> renewed = this.transactions.execute((status) -> {
				writes.touch(lock);
				CompletableFuture<Void> renewing = CompletableFuture.runAsync(lock::renew);
				this.template.insert(new Post("p4", "written", null));
				return renewing;
			});
			assertThat(renewed).succeedsWithin(Duration.ofMinutes(1));
			assertThat(text("p4")).isEqualTo("written");
		}
		finally {
			client.stop(Duration.ofSeconds(5));
		}
	}

	@Test
	void aWriteThatWouldWaitForItsOwnSuspendedTransactionIsRefused() {
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1", SELDOM_RENEWED);
		for (int propagation : new int[] { TransactionDefinition.PROPAGATION_NOT_SUPPORTED,
				TransactionDefinition.PROPAGATION_REQUIRES_NEW }) {
			this.transactions.executeWithoutResult((status) -> assertThatIllegalStateException()
				.isThrownBy(() -> within(propagation).executeWithoutResult((inner) -> save(locked, "within")))
				.withMessageContaining("the suspended transaction around this code"));
		}
		save(locked, "saved");
		assertThat(text("p1")).isEqualTo("saved");
	}

	@Test
	void savesThatKeepTheLockAreCommittedOrRolledBackTogetherAndThenItIsRenewedAgain() {
		LockedDocument<Post> witness = lockElsewhere("p3");
		LockedDocument<Post> locked = lockElsewhere("p1");
		for (boolean rollback : new boolean[] { true, false }) {
			this.transactions.executeWithoutResult((status) -> {
				keep(locked, "one");
				awaitRenewals("p3");
				keep(locked, "two");
				assertThat(locked.entity().version()).isEqualTo(3);
				if (rollback) {
					status.setRollbackOnly();
				}
			});
			assertThat(text("p1")).isEqualTo((rollback) ? "draft" : "two");
			assertThat(locked.entity()).isEqualTo(new Post("p1", text("p1"), (rollback) ? 1L : 3L));
			awaitRenewals("p1");
		}
		assertThatIllegalStateException().isThrownBy(() -> this.transactions.executeWithoutResult((status) -> {
			keep(locked, "outer");
			CompletableFuture.runAsync(() -> assertThat(text("p1")).isEqualTo("two")).join();
			within(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
				.executeWithoutResult((inner) -> keep(locked, "within"));
		})).withMessageContaining("the suspended transaction around this code");
		awaitRenewals("p1");
		this.transactions.executeWithoutResult((status) -> {
			locked.delete();
			status.setRollbackOnly();
		});
		assertThat(locked.handle().isHeld()).isTrue();
		awaitRenewals("p1");
		this.transactions.executeWithoutResult((status) -> locked.delete());
		assertThat(template().findById("p1", Post.class)).isNull();
		assertThat(this.here.client().held()).isOne();
		witness.close();
	}

	@RepeatedTest(6)
	void aNewWaiterFailsNoTransactionThatIsAboutToSave() throws Exception {
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1");
		CompletableFuture<LockedDocument<Post>> other = this.transactions.execute((status) -> {
			this.template.findById("p2", Post.class);
			CompletableFuture<LockedDocument<Post>> waiting = CompletableFuture
				.supplyAsync(() -> this.there.documents().lock(Post.class, "p1", DocumentLocksFixture.WAITING));
			await().until(() -> this.there.documents()
				.find(Post.class, "p1")
				.filter((lock) -> lock.waiting() == 1)
				.isPresent());
			save(locked, "saved");
			return waiting;
		});
		try (LockedDocument<Post> next = other.get()) {
			assertThat(next.entity().text()).isEqualTo("saved");
		}
	}

	@Test
	void aTransactionThatOutlivesTheLeaseKeepsOthersAwayAndSaves() {
		LockedDocument<Post> locked = this.here.documents()
			.lock(Post.class, "p1", LockSettings.builder().ttl(Duration.ofSeconds(3)).build());
		LockSettings once = LockSettings.builder().waitTimeout(Duration.ZERO).ttl(Duration.ofSeconds(3)).build();
		this.transactions.executeWithoutResult((status) -> {
			this.template.findById("p2", Post.class);
			await().until(() -> this.there.documents().find(Post.class, "p1").isEmpty());
			assertThatRuntimeException().isThrownBy(() -> this.there.documents().lock(Post.class, "p1", once));
			save(locked, "saved");
		});
		assertThat(text("p1")).isEqualTo("saved");
	}

	@Test
	void aRollbackLeavesALockThatIsRenewedAgain() {
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1", OFTEN_RENEWED);
		this.transactions.executeWithoutResult((status) -> {
			save(locked, "rolled back");
			status.setRollbackOnly();
		});
		awaitRenewals("p1");
		assertThat(locked.handle().isHeld()).isTrue();
		save(locked, "saved");
		assertThat(text("p1")).isEqualTo("saved");
	}

	@Test
	void aConflictIsOneThatTheWholeTransactionMayBeDoneAgainAfter() {
		LockedDocument<Post> locked = lockElsewhere("p1");
		assertThatExceptionOfType(ConcurrencyFailureException.class)
			.isThrownBy(() -> this.transactions.executeWithoutResult((status) -> {
				this.template.findById("p2", Post.class);
				CompletableFuture.runAsync(locked.handle()::renew).join();
				save(locked, "too late");
			}))
			.withMessageContaining("Do the whole transaction again");
		this.transactions.executeWithoutResult((status) -> save(locked, "again"));
		assertThat(text("p1")).isEqualTo("again");
	}

	@Test
	void aTransactionThatIsNoneOfMongoDbsManagerIsRefusedInOnePlace() {
		DocumentLockOperations documents = this.here.documents();
		LockedDocument<Post> locked = documents.lock(Post.class, "p1", SELDOM_RENEWED);
		ForeignTransactionManager foreign = new ForeignTransactionManager();
		foreign.addListener(this.here.transactions());
		Runnable refused = () -> {
			for (ThrowingCallable call : List.<ThrowingCallable>of(() -> save(locked, "never"),
					() -> keep(locked, "never"), () -> locked.delete(), () -> documents.lock(Post.class, "p2"),
					() -> documents.tryLock(Post.class, "p2"))) {
				assertThatIllegalStateException().isThrownBy(call)
					.withMessageContaining(
							" here, because the template's statements are part of a transaction that document locks cannot follow");
			}
		};
		new TransactionTemplate(new MongoTransactionManager(this.template.getMongoDatabaseFactory()))
			.executeWithoutResult((unheard) -> refused.run());
		this.template.setSessionSynchronization(SessionSynchronization.ALWAYS);
		new TransactionTemplate(foreign).executeWithoutResult((joined) -> refused.run());
		this.template.setSessionSynchronization(SessionSynchronization.ON_ACTUAL_TRANSACTION);
		new TransactionTemplate(foreign).executeWithoutResult((beside) -> keep(locked, "outside of any"));
		assertThat(text("p1")).isEqualTo("outside of any");
		save(locked, "saved");
	}

	@Test
	void aRenewalOfTheTransactionWhoseAnswerIsLostIsOneThatTheWholeMayBeDoneAgainAfter() {
		try (FaultProxy proxy = proxy(); MongoClient client = MongoClients.create(proxy.connectionString())) {
			MongoTemplate throughProxy = new MongoTemplate(
					new SimpleMongoClientDatabaseFactory(client, this.template.getDb().getName()));
			DocumentLocksFixture cut = new DocumentLocksFixture("cut", throughProxy, new GenericApplicationContext());
			MongoTransactionManager manager = new MongoTransactionManager(throughProxy.getMongoDatabaseFactory());
			manager.addListener(cut.transactions());
			LockedDocument<Post> locked = cut.documents().lock(Post.class, "p1", SELDOM_RENEWED);
			for (String how : List.of("commits", "saves")) {
				proxy.on("update").when((command) -> command.containsKey("startTransaction")).cutBeforeReply().once();
				assertThatExceptionOfType(ConcurrencyFailureException.class)
					.isThrownBy(() -> new TransactionTemplate(manager).executeWithoutResult((status) -> {
						if (how.equals("saves")) {
							locked.save(new Post("p1", "lost", locked.entity().version()));
						}
					}))
					.withMessageContaining(
							"a commit of this transaction would keep that write. The connection failed (")
					.withMessageContaining("Do the whole transaction again");
			}
			new TransactionTemplate(manager)
				.executeWithoutResult((status) -> locked.save(new Post("p1", "again", locked.entity().version())));
			cut.close();
		}
		assertThat(text("p1")).isEqualTo("again");
	}

	@Test
	void aSaveWhoseAnswerIsLostIsUpToTheEndOfItsTransaction() {
		try (FaultProxy proxy = proxy(); MongoClient client = MongoClients.create(proxy.connectionString())) {
			MongoTemplate throughProxy = new MongoTemplate(
					new SimpleMongoClientDatabaseFactory(client, this.template.getDb().getName()));
			DocumentLocksFixture cut = new DocumentLocksFixture("cut", throughProxy, new GenericApplicationContext());
			MongoTransactionManager manager = new MongoTransactionManager(throughProxy.getMongoDatabaseFactory());
			manager.addListener(cut.transactions());
			for (boolean commit : new boolean[] { false, true }) {
				LockedDocument<Post> locked = cut.documents().lock(Post.class, "p1", SELDOM_RENEWED);
				new TransactionTemplate(manager).executeWithoutResult((status) -> {
					throughProxy.findById("p2", Post.class);
					proxy.on("update").when((command) -> command.containsKey("txnNumber")).cutBeforeReply().once();
					assertThatExceptionOfType(ConcurrencyFailureException.class)
						.isThrownBy(() -> locked.save(new Post("p1", "saved", locked.entity().version())));
					endBy(status, commit);
				});
				assertThat(locked.handle().isHeld()).isEqualTo(!commit);
				assertThat(this.there.documents().find(Post.class, "p1").isPresent()).isEqualTo(!commit);
				if (commit) {
					LockTicket ticket = locked.ticket();
					assertThatExceptionOfType(LockLostException.class)
						.isThrownBy(() -> cut.documents().resume(Post.class, "p1", ticket));
				}
				locked.close();
			}
			cut.close();
		}
	}

	@Test
	void whenServerHangsInATransactionThenTimeoutOfTheClientEndsIt() {
		try (FaultProxy proxy = proxy();
				MongoClient client = MongoClients.create(proxy.connectionString() + "&timeoutMS=3000")) {
			MongoTemplate throughProxy = new MongoTemplate(
					new SimpleMongoClientDatabaseFactory(client, this.template.getDb().getName()));
			DocumentLocksFixture hanging = new DocumentLocksFixture("hanging", throughProxy,
					new GenericApplicationContext());
			MongoTransactionManager manager = new MongoTransactionManager(throughProxy.getMongoDatabaseFactory());
			manager.addListener(hanging.transactions());
			LockedDocument<Post> locked = hanging.documents().lock(Post.class, "p1", SELDOM_RENEWED);
			proxy.on("update").when((command) -> command.containsKey("startTransaction")).dropRequest().once();
			assertThatExceptionOfType(ConcurrencyFailureException.class)
				.isThrownBy(
						() -> new TransactionTemplate(manager).executeWithoutResult((status) -> save(locked, "never")))
				.withMessageContaining("may have been written, and a commit of this transaction would keep that write")
				.withMessageContaining("Do the whole transaction again");
			locked.handle().assertHeld();
			assertThat(text("p1")).isEqualTo("draft");
			proxy.on("commitTransaction").dropReply().always();
			assertThatExceptionOfType(TransactionSystemException.class).isThrownBy(
					() -> new TransactionTemplate(manager).executeWithoutResult((status) -> save(locked, "unknown")));
			assertThatIllegalStateException().isThrownBy(() -> save(locked, "unknown"))
				.withMessageContaining("resume(");
			hanging.close();
		}
	}

	@Test
	void whenServerHangsInATransactionThenItsHolderIsNotifiedAndNothingIsWritten() {
		List<LossReason> lost = new CopyOnWriteArrayList<>();
		try (FaultProxy proxy = proxy(); MongoClient client = MongoClients.create(proxy.connectionString())) {
			MongoTemplate throughProxy = new MongoTemplate(
					new SimpleMongoClientDatabaseFactory(client, this.template.getDb().getName()));
			DocumentLocksFixture hanging = new DocumentLocksFixture("hanging", throughProxy,
					new GenericApplicationContext(), new LockListener() {

						@Override
						public void onLost(LockHandle handle, LossReason reason) {
							lost.add(reason);
						}

					});
			MongoTransactionManager manager = new MongoTransactionManager(throughProxy.getMongoDatabaseFactory());
			manager.addListener(hanging.transactions());
			LockedDocument<Post> locked = hanging.documents()
				.lock(Post.class, "p1", LockSettings.builder().ttl(Duration.ofSeconds(4)).build());
			Hold save = proxy.on("update").when((command) -> command.containsKey("startTransaction")).holdRequest();
			CompletableFuture<Void> saving = CompletableFuture.runAsync(
					() -> new TransactionTemplate(manager).executeWithoutResult((status) -> save(locked, "never")));
			save.awaitHeld();
			LockedDocument<Post> theirs = this.there.documents().lock(Post.class, "p1", DocumentLocksFixture.WAITING);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(locked.handle()::assertHeld);
			assertThat(saving).isNotDone();
			save.release();
			assertThat(saving).failsWithin(Duration.ofMinutes(1))
				.withThrowableThat()
				.withCauseInstanceOf(LockLostException.class)
				.withMessageContaining("Nothing was written");
			await().until(() -> lost.equals(List.of(LossReason.DEADLINE)));
			save(theirs, "theirs");
			hanging.close();
		}
		assertThat(text("p1")).isEqualTo("theirs");
	}

	private FaultProxy proxy() {
		String[] address = new ConnectionString(uri()).getHosts().get(0).split(":");
		return FaultProxy.to(address[0], Integer.parseInt(address[1]));
	}

	@Test
	void aRenewalOfTheTransactionThatTheServerRefusesIsExplainedAtTheCommit() {
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1", SELDOM_RENEWED);
		Document nothing = new Document("never", new Document("$exists", true));
		validate(nothing);
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.transactions.executeWithoutResult((status) -> {
			}))
			.withMessageContaining("Could not renew lock 'post:p1', because the request was refused")
			.withMessageContaining("The validator of the collection 'post' has to accept the writes of this library");
		validate(new Document());
		assertThat(locked.handle().isHeld()).isTrue();
		this.transactions.executeWithoutResult((status) -> save(locked, "saved"));
		assertThat(text("p1")).isEqualTo("saved");
	}

	private void validate(Document validator) {
		this.template.executeCommand(new Document("collMod", "post").append("validator", validator));
	}

	@Test
	void aLockIsRefusedInsideATransactionThatHasBegunToRead() {
		this.transactions.executeWithoutResult((status) -> {
			this.template.findById("p2", Post.class);
			assertThatIllegalStateException().isThrownBy(() -> this.here.documents().lock(Post.class, "p1"))
				.withMessageContaining("Lock all documents before the transaction that saves them");
		});
		this.transactions.executeWithoutResult((status) -> {
			LockedDocument<Post> first = this.here.documents().lock(Post.class, "p1");
			LockedDocument<Post> second = this.here.documents().lock(Post.class, "p2");
			save(first, "first");
			save(second, "second");
		});
		assertThat(text("p1")).isEqualTo("first");
		assertThat(text("p2")).isEqualTo("second");
	}

	@Test
	void aLockThatIsGoneWhenTheTransactionBeginsIsToldByTheSave() {
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1");
		this.there.documents().breakLock(Post.class, "p1");
		this.transactions.executeWithoutResult((status) -> {
			assertThat(locked.handle().isHeld()).isFalse();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> save(locked, "never"));
			status.setRollbackOnly();
		});
		assertThat(text("p1")).isEqualTo("draft");
	}

	@Test
	void aTransactionThatBeginsUnderALockThatIsGoneIsNotCommitted() {
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1");
		this.there.documents().breakLock(Post.class, "p1");
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.transactions.executeWithoutResult((status) -> write("p2", "under no lock")));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(locked::close);
		assertThat(text("p2")).isEqualTo("draft");
		this.transactions.executeWithoutResult((status) -> write("p2", "closed before"));
		assertThat(text("p2")).isEqualTo("closed before");
	}

	@Test
	void aDocumentThatWasResumedAndNotClosedIsKeptByNoTransactionThatDoesNotSaveIt() {
		LockTicket ticket = this.here.documents().lock(Post.class, "p1").ticket();
		this.here.documents().resume(Post.class, "p1", ticket);
		this.transactions.executeWithoutResult((status) -> {
			write("p2", "unrelated");
			CompletableFuture.runAsync(() -> this.there.documents().renew(Post.class, "p1", ticket)).join();
		});
		this.there.documents().release(Post.class, "p1", ticket);
		this.transactions.executeWithoutResult((status) -> write("p2", "after its end"));
		assertThat(text("p2")).isEqualTo("after its end");
	}

	@Test
	void neitherIsOneWithinATransactionThatKeepsALockThatIsGone() {
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1");
		TransactionTemplate within = new TransactionTemplate(
				Objects.requireNonNull(this.transactions.getTransactionManager()));
		within.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.transactions.executeWithoutResult((status) -> {
			within.executeWithoutResult((inner) -> write("p3", "under the lock"));
			save(locked, "saved");
		});
		assertThat(text("p3")).isEqualTo("under the lock");
		LockedDocument<Post> lost = this.here.documents().lock(Post.class, "p1");
		this.there.documents().breakLock(Post.class, "p1");
		this.transactions.executeWithoutResult((status) -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> within.executeWithoutResult((inner) -> write("p2", "under no lock")));
			status.setRollbackOnly();
		});
		assertThat(text("p2")).isEqualTo("draft");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lost::close);
	}

	@Test
	void aTransactionAfterTheSaveThatWasRefusedIsCommittedAlsoIfNobodyHasClosedTheDocument() {
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1");
		this.there.documents().breakLock(Post.class, "p1");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> save(locked, "never"));
		this.transactions.executeWithoutResult((status) -> write("p2", "afterwards"));
		assertThat(text("p2")).isEqualTo("afterwards");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> save(locked, "never"));
	}

	@Test
	void aGuardedDocumentMayBeSavedOnceMoreInTheTransactionThatSavedIt() {
		this.template.insert(new Guarded("g1", "draft", null));
		LockedDocument<Guarded> locked = this.here.documents().lock(Guarded.class, "g1");
		this.transactions.executeWithoutResult((status) -> {
			Guarded saved = locked.save(new Guarded("g1", "saved", locked.entity().version()));
			this.template.save(new Guarded("g1", "saved once more", saved.version()));
		});
		assertThat(this.template.findById("g1", Guarded.class).text()).isEqualTo("saved once more");
	}

	@Test
	void aCommitThatMongoDbHasRefusedLeavesNoLockToRunOut() {
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1");
		LockedDocument<Post> unwritten = this.here.documents().lock(Post.class, "p2");
		assertThatExceptionOfType(TransactionSystemException.class)
			.isThrownBy(() -> this.transactions.executeWithoutResult((status) -> {
				save(locked, "refused");
				killSession();
			}))
			.satisfies((ex) -> assertThat(ex.getSuppressed()).isEmpty());
		assertThat(text("p1")).isEqualTo("draft");
		assertThat(this.there.documents().find(Post.class, "p1")).isEmpty();
		assertThat(this.there.documents().find(Post.class, "p2")).isPresent();
		assertThat(this.here.client().held()).isOne();
		save(unwritten, "saved after it");
	}

	@Test
	void noTicketIsTakenOfWhatARollbackWouldLeaveToBeWrittenByAnother() {
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1", SELDOM_RENEWED);
		this.transactions.executeWithoutResult((status) -> {
			locked.saveAndKeep(new Post("p1", "rolled back", locked.entity().version()));
			assertThatIllegalStateException().isThrownBy(locked::ticket)
				.withMessageContaining("Take the ticket after the commit of that transaction");
			status.setRollbackOnly();
		});
		LockTicket ticket = locked.ticket();
		write("p1", "theirs");
		assertThatExceptionOfType(DocumentChangedException.class)
			.isThrownBy(() -> this.here.documents().resume(Post.class, "p1", ticket));
		assertThat(text("p1")).isEqualTo("theirs");
	}

	@Test
	void aTransactionThatOnlyLocksMayReturnATicket() {
		LockTicket inside = this.transactions
			.execute((status) -> this.here.documents().lock(Post.class, "p1", SELDOM_RENEWED).ticket());
		LockedDocument<Post> before = this.here.documents().lock(Post.class, "p2", SELDOM_RENEWED);
		LockTicket rolledBack = this.transactions.execute((status) -> {
			this.template.findById("p2", Post.class);
			status.setRollbackOnly();
			return before.ticket();
		});
		save(this.there.documents().resume(Post.class, "p1", inside), "saved");
		save(this.there.documents().resume(Post.class, "p2", rolledBack), "saved");
		assertThat(text("p1")).isEqualTo("saved");
		assertThat(text("p2")).isEqualTo("saved");
	}

	@Test
	void aRenewalThatIsAskedForInsideATransactionThatKeepsTheLockDoesNotWaitForIt() {
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1");
		LockedDocument<Post> resumed = this.here.documents()
			.resume(Post.class, "p3", this.here.documents().lock(Post.class, "p3").ticket());
		this.transactions.executeWithoutResult((status) -> {
			locked.handle().renew();
			save(locked, "saved");
		});
		this.transactions.executeWithoutResult((status) -> {
			keep(resumed, "draft");
			resumed.handle().renew();
		});
		resumed.handle().renew();
		assertThat(text("p1")).isEqualTo("saved");
	}

	@Test
	void aCallbackThatLocksAndDoesNotSaveLeavesLaterTransactionsOfItsThreadAlone() {
		DocumentLockOperations documents = this.here.documents();
		documents.execute(Post.class, "p1", (how) -> {
		}, LockedDocument::entity);
		for (String id : List.of("p2", "p1")) {
			this.transactions.executeWithoutResult((status) -> {
				try (LockedDocument<Post> locked = documents.lock(Post.class, id)) {
					save(locked, "saved");
				}
			});
		}
		assertThat(text("p1")).isEqualTo("saved");
		assertThat(text("p2")).isEqualTo("saved");
		this.transactions.executeWithoutResult((status) -> documents.execute(Post.class, "p1", (how) -> {
		}, (locked) -> {
			save(locked, "rolled back");
			status.setRollbackOnly();
			return null;
		}));
		this.transactions.executeWithoutResult((status) -> save(documents.lock(Post.class, "p2"), "once more"));
		assertThat(text("p2")).isEqualTo("once more");
	}

	// Each end of a transaction has both renewed at once, so that some are underway when
	// the next one begins
	@Test
	void theRenewalsOfSeveralLocksFailNoTransactionOfTheirThread() {
		LockedDocument<Post> first = this.here.documents().lock(Post.class, "p1");
		LockedDocument<Post> second = this.here.documents().lock(Post.class, "p2");
		for (int i = 0; i < 150; i++) {
			this.transactions.executeWithoutResult((status) -> write("p3", "under two locks"));
		}
		first.close();
		second.close();
		assertThat(text("p3")).isEqualTo("under two locks");
	}

	@Test
	void aNestedClaimSeesWhatItsTransactionHasWritten() {
		DocumentLockOperations documents = this.here.documents();
		documents.execute(Post.class, "p1", (how) -> {
		}, (outer) -> {
			this.transactions.executeWithoutResult((status) -> {
				keep(outer, "one");
				documents.execute(Post.class, "p1", (how) -> {
				}, (nested) -> nested
					.saveAndKeep(new Post("p1", nested.entity().text() + ", two", nested.entity().version())));
			});
			return null;
		});
		assertThat(text("p1")).isEqualTo("one, two");
	}

	@Test
	void aNestedClaimAfterTheSaveOfItsTransactionIsRefused() {
		DocumentLockOperations documents = this.here.documents();
		documents.execute(Post.class, "p1", (how) -> {
		}, (outer) -> {
			this.transactions.executeWithoutResult((status) -> {
				save(outer, "saved");
				assertThatIllegalStateException().isThrownBy(() -> documents.execute(Post.class, "p1", (how) -> {
				}, LockedDocument::entity)).withMessageContaining("has already read data, or keeps another lock");
			});
			return null;
		});
		assertThat(text("p1")).isEqualTo("saved");
	}

	@Test
	void aNestedClaimBesideTheSuspendedTransactionThatHasWrittenTheDocumentCannotWriteIt() {
		DocumentLockOperations documents = this.here.documents();
		documents.execute(Post.class, "p1", (how) -> how.settings(SELDOM_RENEWED), (outer) -> {
			this.transactions.executeWithoutResult((status) -> {
				keep(outer, "kept");
				within(TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
					.executeWithoutResult((none) -> documents.execute(Post.class, "p1", (how) -> {
					}, (nested) -> assertThatIllegalStateException().isThrownBy(() -> save(nested, "beside it"))
						.withMessageContaining("the suspended transaction around this code")));
			});
			return null;
		});
		assertThat(text("p1")).isEqualTo("kept");
	}

	@Test
	void aNestedClaimLeavesTheLockToTheTransactionThatKeepsIt() {
		DocumentLockOperations documents = this.here.documents();
		LockSettings brief = LockSettings.builder().ttl(Duration.ofSeconds(3)).build();
		documents.execute(Post.class, "p1", (how) -> how.settings(brief), (outer) -> {
			this.transactions.executeWithoutResult((status) -> {
				write("p2", "under the lock");
				documents.execute(Post.class, "p1", (how) -> {
				}, LockedDocument::entity);
				await().until(() -> outer.handle().remaining().isZero());
			});
			return null;
		});
		assertThat(text("p2")).isEqualTo("under the lock");
	}

	@Test
	void aRefusedSaveOfANestedClaimBeginsNoRenewalInTheTransactionThatKeepsTheLock() {
		DocumentLockOperations documents = this.here.documents();
		LockedDocument<Post> witness = lockElsewhere("p3");
		documents.execute(Post.class, "p1", (how) -> how.settings(OFTEN_RENEWED), (outer) -> {
			this.transactions.executeWithoutResult((status) -> {
				documents.execute(Post.class, "p1", (how) -> {
				}, (nested) -> {
					assertThatExceptionOfType(OptimisticLockingFailureException.class)
						.isThrownBy(() -> nested.save(new Post("p1", "never", 7L)));
					return null;
				});
				CompletableFuture.runAsync(() -> awaitRenewals("p3")).join();
				save(outer, "saved");
			});
			return null;
		});
		assertThat(text("p1")).isEqualTo("saved");
		witness.close();
	}

	@Test
	void aSavedDocumentCanBeLockedAgainAfterTheCommit() {
		DocumentLockOperations documents = this.here.documents();
		List<String> seen = new ArrayList<>();
		this.transactions.executeWithoutResult((status) -> {
			lockAfterCommit("p1", seen);
			try (LockedDocument<Post> locked = documents.lock(Post.class, "p1")) {
				save(locked, "locked inside");
			}
			lockAfterCommit("p1", seen);
		});
		try (LockedDocument<Post> locked = documents.lock(Post.class, "p1")) {
			this.transactions.executeWithoutResult((status) -> {
				lockAfterCommit("p1", seen);
				save(locked, "locked around");
				lockAfterCommit("p1", seen);
			});
		}
		documents.execute(Post.class, "p1", (how) -> {
		}, (locked) -> {
			this.transactions.executeWithoutResult((status) -> {
				lockAfterCommit("p1", seen);
				save(locked, "by a callback");
			});
			return null;
		});
		documents.execute(Post.class, "p1", (how) -> {
		}, (locked) -> {
			this.transactions.executeWithoutResult((status) -> {
				lockAfterCommit("p1", seen);
				keep(locked, "kept");
			});
			return null;
		});
		assertThat(seen).containsExactly("locked inside", "locked inside", "locked around", "locked around",
				"by a callback", "kept");
		assertThat(this.here.client().held()).isZero();
		save(this.here.documents().lock(Post.class, "p1"), "in the end");
		assertThat(text("p1")).isEqualTo("in the end");
	}

	// That is when Spring calls a @TransactionalEventListener
	@Test
	void aSavedDocumentCanBeLockedAndSavedAgainAtTheCompletion() {
		DocumentLocksFixture here = this.here;
		try (LockedDocument<Post> locked = here.documents().lock(Post.class, "p1")) {
			this.transactions.executeWithoutResult((status) -> {
				TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCompletion(int status) {
						save(here.documents().lock(Post.class, "p1"), "by a listener");
					}

				});
				save(locked, "saved");
			});
		}
		assertThat(text("p1")).isEqualTo("by a listener");
		assertThat(here.client().held()).isZero();
	}

	private void lockAfterCommit(String id, List<String> seen) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				RealServerDocumentTransactionTests.this.here.documents().execute(Post.class, id, (how) -> {
				}, (locked) -> seen.add(locked.entity().text()));
			}

		});
	}

	@Test
	void aLockThatASuspendedTransactionKeepsCannotBeBrokenWithinIt() {
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1", SELDOM_RENEWED);
		this.transactions.executeWithoutResult((status) -> {
			within(TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
				.executeWithoutResult((none) -> assertThatIllegalStateException()
					.isThrownBy(() -> this.here.documents().breakLock(Post.class, "p1"))
					.withMessageContaining("make this call before or after the transaction"));
			save(locked, "saved");
		});
		assertThat(text("p1")).isEqualTo("saved");
	}

	@Test
	void byItsTicketNothingIsDoneThatWouldWaitForTheTransactionOfItsThread() {
		DocumentLockOperations documents = this.here.documents();
		LockTicket ticket = documents.lock(Post.class, "p1", SELDOM_RENEWED).ticket();
		LockTicket other = documents.lock(Post.class, "p2", SELDOM_RENEWED).ticket();
		for (boolean keeping : new boolean[] { true, false }) {
			this.transactions.executeWithoutResult((status) -> {
				documents.renew(Post.class, "p1", ticket);
				LockedDocument<Post> resumed = documents.resume(Post.class, "p1", ticket);
				if (keeping) {
					keep(resumed, "kept");
				}
				else {
					save(resumed, "saved");
				}
				for (ThrowingCallable waiting : List.<ThrowingCallable>of(
						() -> documents.renew(Post.class, "p1", ticket),
						() -> documents.release(Post.class, "p1", ticket),
						() -> documents.breakLock(Post.class, "p1"))) {
					assertThatIllegalStateException().isThrownBy(waiting)
						.withMessageContaining("make this call before or after the transaction");
				}
				if (!keeping) {
					assertThatIllegalStateException()
						.isThrownBy(() -> documents.takeOver(Post.class, "p1", resumed.fence(), LockSettings.NONE))
						.withMessageContaining("make this call before or after the transaction");
				}
				within(TransactionDefinition.PROPAGATION_NOT_SUPPORTED).executeWithoutResult((none) -> {
					assertThatIllegalStateException().isThrownBy(() -> documents.renew(Post.class, "p1", ticket))
						.withMessageContaining("make this call before or after the transaction");
					documents.renew(Post.class, "p2", other);
				});
				documents.renew(Post.class, "p2", other);
				status.setRollbackOnly();
			});
		}
		assertThat(documents.release(Post.class, "p1", ticket)).isTrue();
	}

	@Test
	void insideATransactionOfAnotherKindNothingIsLockedOrWrittenThatIsUpToMongoDbsOwn() {
		DocumentLockOperations documents = this.here.documents();
		LockedDocument<Post> elsewhere = lockElsewhere("p3");
		this.transactions.executeWithoutResult((status) -> {
			LockedDocument<Post> inside = documents.lock(Post.class, "p1", SELDOM_RENEWED);
			inAnotherKind(true, () -> {
				for (ThrowingCallable refused : List.<ThrowingCallable>of(() -> save(inside, "never"),
						() -> keep(inside, "never"), () -> inside.delete(), () -> documents.lock(Post.class, "p2"))) {
					assertThatIllegalStateException().isThrownBy(refused)
						.withMessageContaining("or the transaction began around another manager's transaction")
						.withMessageContaining(
								"Do this outside of the transaction, or in a transaction of a MongoTransactionManager");
				}
			});
			save(inside, "saved");
		});
		assertThat(text("p1")).isEqualTo("saved");
		elsewhere.close();
	}

	@Test
	void aTransactionOfAnotherKindWithinOneThatOnlyReadsLeavesThatAlone() {
		ForeignTransactionManager foreign = new ForeignTransactionManager();
		foreign.addListener(this.here.transactions());
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1", OFTEN_RENEWED);
		TransactionTemplate reading = within(TransactionDefinition.PROPAGATION_REQUIRED);
		reading.setReadOnly(true);
		reading.executeWithoutResult((status) -> {
			this.template.findById("p2", Post.class);
			CompletableFuture.runAsync(() -> awaitRenewals("p1")).join();
			new TransactionTemplate(foreign).executeWithoutResult((inner) -> {
			});
			assertThat(this.template.findById("p2", Post.class)).isNotNull();
		});
		locked.close();
	}

	@Test
	void whenANestedClaimKeepsTheLockInATransactionOfItsOwnThenTheOuterOneStillKeepsIt() {
		DocumentLockOperations documents = this.here.documents();
		LockedDocument<Post> witness = lockElsewhere("p3");
		for (boolean commit : new boolean[] { false, true }) {
			this.transactions.executeWithoutResult(
					(status) -> documents.execute(Post.class, "p1", (how) -> how.settings(OFTEN_RENEWED), (outer) -> {
						within(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
							.executeWithoutResult((inner) -> documents.execute(Post.class, "p1", (how) -> {
							}, (nested) -> {
								keep(nested, "nested");
								endBy(inner, commit);
								return null;
							}));
						this.template.findById("p2", Post.class);
						CompletableFuture.runAsync(() -> awaitRenewals("p3")).join();
						save(outer, "saved " + commit);
						return null;
					}));
			assertThat(text("p1")).isEqualTo("saved " + commit);
		}
		witness.close();
	}

	@Test
	void anotherDatabaseIsLeftAlone() {
		String name = this.template.getDb().getName() + "-archive";
		try (MongoClient client = MongoClients.create(uri())) {
			MongoTemplate archive = new MongoTemplate(new SimpleMongoClientDatabaseFactory(client, name));
			archive.insert(new Post("p1", "archived", null));
			try (DocumentLocksFixture other = new DocumentLocksFixture("other", archive,
					new GenericApplicationContext())) {
				LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1", SELDOM_RENEWED);
				LockTicket ticket = other.documents().lock(Post.class, "p1", SELDOM_RENEWED).ticket();
				this.transactions.executeWithoutResult((status) -> {
					other.documents().renew(Post.class, "p1", ticket);
					assertThat(other.documents().breakLock(Post.class, "p1")).isPresent();
				});
				locked.close();
			}
			archive.getDb().drop();
		}
	}

	@Test
	void aPlainSaveIsRefusedInATransactionThatOutlivesTheLease() {
		LockedDocument<Post> locked = this.here.documents()
			.lock(Post.class, "p1", LockSettings.builder().ttl(Duration.ofSeconds(3)).build());
		this.transactions.executeWithoutResult((status) -> {
			await().until(() -> this.there.documents().find(Post.class, "p1").isEmpty());
			assertThatIllegalStateException().isThrownBy(() -> plainSave("p1"));
			save(locked, "saved");
		});
		assertThat(text("p1")).isEqualTo("saved");
	}

	@Test
	void aPlainSaveInTheTransactionThatSavedPassesWhateverElseWasClosed() {
		DocumentLockOperations documents = this.here.documents();
		documents.execute(Post.class, "p1", (how) -> how.settings(SELDOM_RENEWED), (outer) -> {
			documents.execute(Post.class, "p1", (how) -> {
			}, LockedDocument::entity);
			this.transactions.executeWithoutResult((status) -> {
				Post saved = outer.save(new Post("p1", "saved", outer.entity().version()));
				this.template.save(new Post("p1", "once more", saved.version()));
				within(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult(
						(inner) -> assertThatIllegalStateException().isThrownBy(() -> plainSave("p1")));
			});
			return null;
		});
		assertThat(text("p1")).isEqualTo("once more");
	}

	@Test
	void anotherThreadWritesNothingThatATransactionKeeps() {
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1", SELDOM_RENEWED);
		this.transactions.executeWithoutResult((status) -> {
			CompletableFuture
				.runAsync(() -> assertThatIllegalStateException().isThrownBy(() -> save(locked, "other"))
					.withMessageContaining("a transaction of another thread, which keeps the lock"))
				.join();
			save(locked, "saved");
		});
		assertThat(text("p1")).isEqualTo("saved");
	}

	@Test
	void aLockKeptByATransactionOfAnotherThreadStaysKeptWhenTheOneBeforeItEnds() throws Exception {
		LockedDocument<Post> witness = lockElsewhere("p3");
		LockedDocument<Post> locked = lockElsewhere("p1");
		CountDownLatch kept = new CountDownLatch(1);
		CountDownLatch over = new CountDownLatch(1);
		CompletableFuture<?>[] other = new CompletableFuture<?>[1];
		this.transactions.executeWithoutResult((status) -> {
			afterCommit(() -> {
				// A thread of its own: the pool may have but one
				other[0] = CompletableFuture.runAsync(() -> this.transactions.executeWithoutResult((next) -> {
					keep(locked, "kept");
					kept.countDown();
					reach(over);
					save(locked, "saved");
				}), (work) -> new Thread(work).start());
				reach(kept);
			});
			keep(locked, "kept");
		});
		try {
			awaitRenewals("p3");
		}
		finally {
			over.countDown();
		}
		other[0].get(30, TimeUnit.SECONDS);
		assertThat(text("p1")).isEqualTo("saved");
		witness.close();
	}

	private static void reach(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void aSaveAfterThatOfANestedClaimInTheTransactionSaysWhatMayHaveHappened() {
		DocumentLockOperations documents = this.here.documents();
		documents.execute(Post.class, "p1", (how) -> how.settings(SELDOM_RENEWED), (outer) -> {
			this.transactions.executeWithoutResult((status) -> {
				status.setRollbackOnly();
				documents.execute(Post.class, "p1", (how) -> {
				}, (nested) -> {
					save(nested, "nested");
					return null;
				});
				assertThatIllegalStateException().isThrownBy(() -> save(outer, "outer"))
					.withMessageContaining("was released by a write whose transaction has not ended yet");
			});
			return null;
		});
	}

	@Test
	void aTransactionWithinOneThatNobodyListensToWritesNothingInIt() {
		TransactionTemplate unheard = new TransactionTemplate(
				new MongoTransactionManager(this.template.getMongoDatabaseFactory()));
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1", SELDOM_RENEWED);
		unheard.executeWithoutResult((status) -> {
			this.template.findById("p2", Post.class);
			locked.handle().renew();
			inAnotherKind(true,
					() -> assertThatIllegalStateException()
						.isThrownBy(() -> this.here.documents().lock(Post.class, "p3"))
						.withMessageContaining("or the transaction began around another manager's transaction"));
			write("p2", "written");
		});
		assertThat(text("p2")).isEqualTo("written");
		locked.close();
	}

	@Test
	void aDocumentThatTheOuterTransactionClosedIsNotLockedInAnInnerOneOfAnotherKind() {
		this.transactions.executeWithoutResult((status) -> {
			this.here.documents().lock(Post.class, "p1", SELDOM_RENEWED).close();
			inAnotherKind(true,
					() -> assertThatIllegalStateException()
						.isThrownBy(() -> this.here.documents().lock(Post.class, "p1"))
						.withMessageContaining("or the transaction began around another manager's transaction"));
		});
	}

	@Test
	void aSaveInOneDatabaseLetsNoPlainSavePassInAnother() {
		String name = this.template.getDb().getName() + "-archive";
		try (MongoClient client = MongoClients.create(uri())) {
			GenericApplicationContext context = new GenericApplicationContext();
			MongoTemplate archive = new MongoTemplate(new SimpleMongoClientDatabaseFactory(client, name));
			DocumentLocksFixture[] main = new DocumentLocksFixture[1];
			DocumentLocksFixture.guardPlainSaves(context, archive, () -> main[0]);
			main[0] = new DocumentLocksFixture("main", this.template, context);
			archive.setApplicationContext(context);
			archive.insert(new Post("p1", "archived", null));
			try (DocumentLocksFixture other = new DocumentLocksFixture("other", archive, context)) {
				LockedDocument<Post> editor = CompletableFuture
					.supplyAsync(() -> other.documents().lock(Post.class, "p1", SELDOM_RENEWED))
					.join();
				LockedDocument<Post> locked = main[0].documents().lock(Post.class, "p1", SELDOM_RENEWED);
				this.transactions.executeWithoutResult((status) -> {
					locked.save(new Post("p1", "saved", locked.entity().version()));
					assertThatIllegalStateException()
						.isThrownBy(() -> archive.save(archive.findById("p1", Post.class)));
				});
				editor.close();
				main[0].client().stop(Duration.ofSeconds(5));
			}
			archive.getDb().drop();
		}
	}

	@Test
	void aResumedDocumentIsGuardedAsLongAsItsLeaseLasts() {
		LockTicket ticket = this.here.documents()
			.lock(Post.class, "p1", LockSettings.builder().ttl(Duration.ofSeconds(3)).build())
			.ticket();
		LockedDocument<Post> resumed = this.here.documents().resume(Post.class, "p1", ticket);
		await().until(() -> !resumed.handle().isHeld());
		assertThatIllegalStateException().isThrownBy(() -> plainSave("p1"));
		await().until(() -> this.here.documents().find(Post.class, "p1").isEmpty());
		await().untilAsserted(() -> plainSave("p1"));
	}

	private void inAnotherKind(boolean commit, Runnable work) {
		ForeignTransactionManager foreign = new ForeignTransactionManager();
		foreign.addListener(this.here.transactions());
		inAnotherKind(foreign, commit, work);
	}

	private static void inAnotherKind(ForeignTransactionManager foreign, boolean commit, Runnable work) {
		new TransactionTemplate(foreign).executeWithoutResult((status) -> {
			work.run();
			endBy(status, commit);
		});
	}

	private static void endBy(TransactionStatus status, boolean commit) {
		if (!commit) {
			status.setRollbackOnly();
		}
	}

	@Test
	void aLockOfATransactionThatWasGrantedAfterTheCommitBeforeIsItsOwn() {
		LockedDocument<Post> witness = lockElsewhere("p3");
		try (LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1")) {
			this.transactions.executeWithoutResult((status) -> {
				save(locked, "saved");
				afterCommit(0,
						() -> within(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult((next) -> {
							LockedDocument<Post> again = this.here.documents().lock(Post.class, "p1", OFTEN_RENEWED);
							this.template.findById("p2", Post.class);
							CompletableFuture.runAsync(() -> awaitRenewals("p3")).join();
							save(again, "saved again");
						}));
			});
		}
		assertThat(text("p1")).isEqualTo("saved again");
		witness.close();
	}

	@Test
	void whenATransactionThatKeptLocksHasCommittedThenASaveARenewalAndABreakSucceed() {
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1", SELDOM_RENEWED);
		LockTicket ticket = this.here.documents().lock(Post.class, "p2", SELDOM_RENEWED).ticket();
		LockedDocument<Post> resumed = this.here.documents().resume(Post.class, "p2", ticket);
		this.transactions.executeWithoutResult((status) -> {
			afterCommit(() -> {
				within(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
					.executeWithoutResult((next) -> save(locked, "saved"));
				within(TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
					.executeWithoutResult((none) -> this.here.documents().renew(Post.class, "p2", resumed.ticket()));
				this.here.documents().breakLock(Post.class, "p2");
			});
			keep(locked, "kept");
			keep(resumed, "kept");
		});
		assertThat(text("p1")).isEqualTo("saved");
		assertThat(this.here.documents().find(Post.class, "p2")).isEmpty();
	}

	@Test
	void aPlainSaveIsRefusedUntilTheTransactionIsOverThatReleasesTheLock() {
		for (boolean commit : new boolean[] { false, true }) {
			LockedDocument<Post> saved = this.here.documents().lock(Post.class, "p1", SELDOM_RENEWED);
			LockedDocument<Post> closed = this.here.documents().lock(Post.class, "p2", SELDOM_RENEWED);
			this.transactions.executeWithoutResult((status) -> {
				save(saved, "saved");
				closed.close();
				assertThatPlainSavesAreRefused();
				CompletableFuture.runAsync(this::assertThatPlainSavesAreRefused).join();
				endBy(status, commit);
			});
			saved.close();
			plainSave("p1");
			plainSave("p2");
		}
	}

	private void assertThatPlainSavesAreRefused() {
		for (String id : List.of("p1", "p2")) {
			if (id.equals("p2") || TransactionSynchronizationManager.getResourceMap().isEmpty()) {
				assertThatIllegalStateException().isThrownBy(() -> plainSave(id))
					.withMessageContaining("the surrounding locked call or transaction keeps the lock");
			}
		}
	}

}
