package io.mongolock.mongodb;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoException;
import com.mongodb.MongoSocketReadException;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.ApplicationListener;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.SessionSynchronization;
import org.springframework.data.mongodb.core.CollectionCallback;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.mapping.event.AfterDeleteEvent;
import org.springframework.data.mongodb.core.mapping.event.AfterSaveEvent;
import org.springframework.data.mongodb.core.mapping.event.BeforeDeleteEvent;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockClock;
import io.mongolock.LockLostException;
import io.mongolock.LockSettings;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for writes of locked documents whose answer is lost, comes late, or comes after
 * the deadline.
 */
class UnansweredDocumentWritesTests {

	private static final LockSettings LONG = LockSettings.builder().ttl(Duration.ofMinutes(30)).build();

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.start();

	private final Late late = new Late();

	@AutoClose
	private final MongoClient client = MongoClients.create(MongoClientSettings.builder()
		.applyConnectionString(new ConnectionString(this.server.connectionString()))
		.addCommandListener(this.late)
		.build());

	private final Losing template = new Losing(this.client);

	private final Ahead clock = new Ahead();

	private final GenericApplicationContext context = new GenericApplicationContext();

	@AutoClose
	private DocumentLocksFixture here;

	@AutoClose
	private final DocumentLocksFixture there = new DocumentLocksFixture("there", new MongoTemplate(this.client, "test"),
			new GenericApplicationContext());

	@BeforeEach
	void begin() {
		DocumentLocksFixture.guardPlainSaves(this.context, this.template, () -> this.here);
		this.here = new DocumentLocksFixture("here", this.template,
				new MongoTemplate(this.template.getMongoDatabaseFactory()), this.clock, this.context);
		this.template.setApplicationContext(this.context);
		this.template.setSessionSynchronization(SessionSynchronization.NEVER);
		this.template.insert(new Page("a", "draft", null));
		this.template.insert(new Page("b", "draft", null));
	}

	@Test
	void aPlainSaveIsRefusedWhileNobodyKnowsWhetherTheLockWasReleased() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", LONG);
		this.template.loses = Losing.REQUEST;
		assertThatExceptionOfType(DataAccessResourceFailureException.class)
			.isThrownBy(() -> this.here.documents().save(locked, new Page("a", "unknown", null)));
		assertThat(locked.handle().isHeld()).isFalse();
		assertThatIllegalStateException().isThrownBy(() -> this.template.save(new Page("a", "plain", null)));
	}

	@ParameterizedTest
	@MethodSource
	void whatMayHaveReleasedTheLockLeavesNobodyWhoHoldsIt(
			BiConsumer<DocumentLockOperations, LockedDocument<Page>> releasing) {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", LONG);
		LockedDocument<Page> resumed = this.here.documents()
			.resume(Page.class, this.here.documents().lock(Page.class, "b", LONG).ticket());
		for (LockedDocument<Page> one : List.of(locked, resumed)) {
			this.template.loses = Losing.ANSWER;
			assertThatExceptionOfType(DataAccessResourceFailureException.class)
				.isThrownBy(() -> releasing.accept(this.here.documents(), one));
			assertThat(one.handle().isHeld()).isFalse();
			assertThat(one.handle().remaining()).isZero();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> one.handle().assertHeld())
				.withMessageContaining("may have been released, by a write whose answer was lost");
		}
	}

	static Stream<BiConsumer<DocumentLockOperations, LockedDocument<Page>>> whatMayHaveReleasedTheLockLeavesNobodyWhoHoldsIt() {
		return Stream.of((documents, locked) -> documents.save(locked, locked.entity()),
				(documents, locked) -> documents.update(locked, new Update().set("text", "saved")),
				DocumentLockOperations::delete);
	}

	@Test
	void whatHasNotReleasedTheLockAfterAllIsMadeAgainOrReleased() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", LONG);
		this.template.loses = Losing.REQUEST;
		assertThatExceptionOfType(DataAccessResourceFailureException.class)
			.isThrownBy(() -> this.here.documents().save(locked, new Page("a", "saved", null)));
		assertThat(locked.handle().isHeld()).isFalse();
		assertThat(this.there.documents().tryLock(Page.class, "a")).isEmpty();
		this.template.loses = Losing.REQUEST;
		assertThatExceptionOfType(DataAccessResourceFailureException.class)
			.isThrownBy(() -> this.here.documents().delete(locked));
		locked.close();
		assertThat(this.there.documents().tryLock(Page.class, "a")).isPresent();
	}

	@Test
	void aSaveAfterItEndsTheDoubtOfWhatCannotBeExecutedLate() {
		this.template.insert(new Sheet("a", "draft", null));
		this.template.insert(new Sheet("b", "draft", null));
		DocumentLockOperations documents = this.here.documents();
		LockedDocument<Sheet> locked = documents.lock(Sheet.class, "a", LONG);
		LockedDocument<Sheet> resumed = documents.resume(Sheet.class, documents.lock(Sheet.class, "b", LONG).ticket());
		for (LockedDocument<Sheet> one : List.of(locked, resumed)) {
			saveWithoutAnAnswer(one);
			documents.saveAndKeep(one, new Sheet(one.entity().id(), "kept", one.entity().version()));
			one.handle().assertHeld();
			this.template.loses = Losing.REQUEST;
			assertThatExceptionOfType(DataAccessResourceFailureException.class)
				.isThrownBy(() -> documents.update(one, new Update().set("text", "late")));
			documents.saveAndKeep(one, new Sheet(one.entity().id(), "kept", one.entity().version()));
			assertThat(one.handle().isHeld()).as("an update finds any version").isFalse();
		}
	}

	@Test
	void soDoesTheSaveOfAnotherClaimOfTheSameLockAndOneThatIsCommitted() {
		this.template.insert(new Sheet("a", "draft", null));
		DocumentLockOperations documents = this.here.documents();
		documents.execute(Sheet.class, "a", (how) -> how.settings(LONG), (outer) -> {
			documents.execute(Sheet.class, "a", (how) -> {
			}, (nested) -> {
				saveWithoutAnAnswer(nested);
				return null;
			});
			documents.saveAndKeep(outer, new Sheet("a", "kept", outer.entity().version()));
			outer.handle().assertHeld();
			saveWithoutAnAnswer(outer);
			new TransactionTemplate(new MongoTransactionManager(this.template.getMongoDatabaseFactory()))
				.executeWithoutResult((status) -> documents.saveAndKeep(outer,
						new Sheet("a", "committed", outer.entity().version())));
			outer.handle().assertHeld();
			return null;
		});
	}

	@Test
	void aDoubtThatARollbackEndedHasTheNextSaveWriteNoMoreThanItChanges() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", LONG);
		saveInRollbackWithoutAnAnswer(locked);
		this.template.updateFirst(new Query(), Update.update("more", "by another"), Page.class);
		this.here.documents().save(locked, new Page("a", "saved", null));
		assertThat(this.template.findById("a", Page.class)).isEqualTo(new Page("a", "saved", "by another"));
	}

	@Test
	void aRollbackOfAnotherTransactionThanItsOwnEndsNoDoubt() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", LONG);
		new TransactionTemplate(new MongoTransactionManager(this.template.getMongoDatabaseFactory()))
			.executeWithoutResult((status) -> new TransactionTemplate(new ForeignTransactionManager())
				.executeWithoutResult((inner) -> {
					inner.setRollbackOnly();
					saveWithoutAnAnswer(locked);
				}));
		assertThat(locked.handle().isHeld()).isFalse();
	}

	@Test
	void aCommitEndsNoDoubtThatAroseAfterWhatItHasRenewed() {
		this.template.insert(new Sheet("a", "draft", null));
		this.template.insert(new Sheet("b", "draft", null));
		DocumentLockOperations documents = this.here.documents();
		LockedDocument<Sheet> locked = documents.lock(Sheet.class, "a", LONG);
		LockedDocument<Sheet> resumed = documents.resume(Sheet.class, documents.lock(Sheet.class, "b", LONG).ticket());
		for (LockedDocument<Sheet> one : List.of(locked, resumed)) {
			new TransactionTemplate(new MongoTransactionManager(this.template.getMongoDatabaseFactory()))
				.executeWithoutResult((status) -> {
					documents.saveAndKeep(one, new Sheet(one.entity().id(), "kept", one.entity().version()));
					saveWithoutAnAnswer(one);
				});
			assertThat(one.handle().isHeld()).isFalse();
		}
	}

	@Test
	void aSaveOfADocumentWithoutAVersionEndsNoDoubt() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", LONG);
		saveWithoutAnAnswer(locked);
		this.here.documents().saveAndKeep(locked, new Page("a", "kept", null));
		assertThat(locked.handle().isHeld()).isFalse();
		locked.close();
		assertThat(this.there.documents().tryLock(Page.class, "a")).isPresent();
	}

	@Test
	void aRollbackEndsTheDoubtThatItsTransactionBegan() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", LONG);
		LockedDocument<Page> resumed = this.here.documents()
			.resume(Page.class, this.here.documents().lock(Page.class, "b", LONG).ticket());
		for (LockedDocument<Page> one : List.of(locked, resumed)) {
			saveInRollbackWithoutAnAnswer(one);
			one.handle().assertHeld();
			saveWithoutAnAnswer(one);
			saveInRollbackWithoutAnAnswer(one);
			assertThat(one.handle().isHeld()).as("that of a write before it stays").isFalse();
		}
	}

	@Test
	void aConnectionThatFailsInATransactionLeavesADoubtUnlessThatIsRolledBack() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", LONG);
		for (boolean commit : new boolean[] { false, true }) {
			new TransactionTemplate(new MongoTransactionManager(this.template.getMongoDatabaseFactory()))
				.executeWithoutResult((status) -> {
					this.template.loses = Losing.CONNECTION;
					assertThatExceptionOfType(ConcurrencyFailureException.class)
						.isThrownBy(() -> this.here.documents().save(locked, locked.entity()));
					assertThat(locked.handle().isHeld()).isFalse();
					if (!commit) {
						status.setRollbackOnly();
					}
				});
			assertThat(locked.handle().isHeld()).isEqualTo(!commit);
		}
	}

	@Test
	void aRollbackLeavesTheDoubtThatBeganOutsideOfItsTransaction() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", LONG);
		MongoTransactionManager transactions = new MongoTransactionManager(this.template.getMongoDatabaseFactory());
		TransactionTemplate outside = new TransactionTemplate(transactions);
		outside.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
		new TransactionTemplate(transactions).executeWithoutResult((status) -> {
			status.setRollbackOnly();
			saveWithoutAnAnswer(locked);
			outside.executeWithoutResult((none) -> saveWithoutAnAnswer(locked));
		});
		assertThat(locked.handle().isHeld()).isFalse();
	}

	@Test
	void aRollbackLeavesTheDoubtOfAnotherClaimOfTheSameLock() {
		DocumentLockOperations documents = this.here.documents();
		documents.execute(Page.class, "a", (how) -> {
		}, (outer) -> documents.execute(Page.class, "a", (how) -> {
		}, (nested) -> {
			saveWithoutAnAnswer(outer);
			saveInRollbackWithoutAnAnswer(nested);
			assertThat(nested.handle().isHeld()).isFalse();
			return null;
		}));
	}

	@Test
	void aRollbackEndsTheDoubtAlsoAfterASaveThatWasToKeepTheLock() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", LONG);
		this.template.loses = Losing.REQUEST;
		assertThatExceptionOfType(DataAccessResourceFailureException.class)
			.isThrownBy(() -> this.here.documents().saveAndKeep(locked, locked.entity()));
		saveInRollbackWithoutAnAnswer(locked);
		locked.handle().assertHeld();
	}

	private <T> void saveWithoutAnAnswer(LockedDocument<T> locked) {
		this.template.loses = Losing.REQUEST;
		assertThatExceptionOfType(DataAccessResourceFailureException.class)
			.isThrownBy(() -> this.here.documents().save(locked, locked.entity()));
		assertThat(locked.handle().isHeld()).isFalse();
	}

	private void saveInRollbackWithoutAnAnswer(LockedDocument<Page> locked) {
		new TransactionTemplate(new MongoTransactionManager(this.template.getMongoDatabaseFactory()))
			.executeWithoutResult((status) -> {
				status.setRollbackOnly();
				saveWithoutAnAnswer(locked);
			});
	}

	@Test
	void nobodyWorksWithinALockThatMayHaveBeenReleased() {
		DocumentLockOperations documents = this.here.documents();
		documents.execute(Page.class, "a", (how) -> {
		}, (locked) -> {
			this.template.loses = Losing.REQUEST;
			assertThatExceptionOfType(DataAccessResourceFailureException.class)
				.isThrownBy(() -> documents.save(locked, locked.entity()));
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> documents.execute(Page.class, "a", (how) -> {
				}, LockedDocument::entity));
			return null;
		});
	}

	@Test
	void aSaveThatKeepsTheLockLeavesItHeldAlsoWithoutAnAnswer() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", LONG);
		this.template.loses = Losing.ANSWER;
		assertThatExceptionOfType(DataAccessResourceFailureException.class)
			.isThrownBy(() -> this.here.documents().saveAndKeep(locked, new Page("a", "kept", null)));
		assertThat(locked.handle().isHeld()).isTrue();
		locked.handle().assertHeld();
	}

	@Test
	void whatWasStoredWithoutAnAnswerIsTakenBackByTheNextSave() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", LONG);
		this.template.loses = Losing.ANSWER;
		assertThatExceptionOfType(DataAccessResourceFailureException.class)
			.isThrownBy(() -> this.here.documents().saveAndKeep(locked, new Page("a", "kept", "new")));
		this.here.documents().saveAndKeep(locked, new Page("a", "draft", null));
		assertThat(this.template.findById("a", Page.class)).isEqualTo(new Page("a", "draft", null));
		MongoTransactionManager unsure = new MongoTransactionManager(this.template.getMongoDatabaseFactory()) {

			@Override
			protected void doCommit(MongoTransactionObject transaction) {
				throw new TransactionSystemException("no answer");
			}

		};
		LockedDocument<Page> other = this.here.documents().lock(Page.class, "b", LONG);
		assertThatExceptionOfType(TransactionSystemException.class).isThrownBy(() -> new TransactionTemplate(unsure)
			.executeWithoutResult((status) -> this.here.documents().saveAndKeep(other, new Page("b", "kept", "new"))));
		this.here.documents().save(other, new Page("b", "draft", null));
		assertThat(this.template.findById("b", Page.class)).isEqualTo(new Page("b", "draft", null));
	}

	@Test
	void anUpdateThatMayHaveBeenMadeLeavesAloneWhatNobodyMaps() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", LONG);
		this.template.updateFirst(new Query(), new Update().set("views", 5).set("of.by", "mine"), Page.class);
		this.template.loses = Losing.REQUEST;
		assertThatExceptionOfType(DataAccessResourceFailureException.class).isThrownBy(() -> this.here.documents()
			.update(locked, new Update().set("views", 6).set("of.by", "other").set("text", "changed")));
		this.here.documents().save(locked, new Page("a", "saved", null));
		assertThat(this.template.findById("a", Document.class, "page")).containsEntry("views", 5)
			.containsEntry("text", "saved")
			.containsEntry("of", new Document("by", "mine"));
	}

	@Test
	void aDeletionIsPublishedWhenItIsMade() {
		List<String> events = new ArrayList<>();
		this.context.addApplicationListener((ApplicationListener<BeforeDeleteEvent<?>>) (event) -> events
			.add("before " + event.getSource().get("_id")));
		this.context.addApplicationListener((ApplicationListener<AfterDeleteEvent<?>>) (event) -> events
			.add("after " + event.getSource().get("_id")));
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", LONG);
		this.template.loses = Losing.REQUEST;
		assertThatExceptionOfType(DataAccessResourceFailureException.class)
			.isThrownBy(() -> this.here.documents().delete(locked));
		this.here.documents().delete(locked);
		assertThat(events).containsExactly("before a", "before a", "after a");
	}

	@Test
	void whoIsInDoubtOfTheVersionGoesOnByTheTicket() {
		this.template.insert(new Sheet("a", "draft", null));
		DocumentLockOperations documents = this.here.documents();
		LockedDocument<Sheet> locked = documents.lock(Sheet.class, "a", LONG);
		this.template.loses = Losing.ANSWER;
		assertThatExceptionOfType(DataAccessResourceFailureException.class)
			.isThrownBy(() -> documents.saveAndKeep(locked, new Sheet("a", "kept", 1L)));
		assertThatExceptionOfType(OptimisticLockingFailureException.class)
			.isThrownBy(() -> documents.saveAndKeep(locked, new Sheet("a", "again", 1L)))
			.withMessageContaining("may be what has raised it: see what is stored, and go on, by resume(");
		assertThat(locked.handle().isHeld()).isTrue();
		LockedDocument<Sheet> resumed = documents.resume(Sheet.class, locked.ticket());
		assertThat(resumed.entity()).isEqualTo(new Sheet("a", "kept", 2L));
		assertThat(documents.save(resumed, new Sheet("a", "again", 2L)).version()).isEqualTo(3);
	}

	@Test
	void aRefusalThatFollowsNoDoubtSpeaksOfNone() {
		this.template.insert(new Sheet("a", "draft", null));
		LockedDocument<Sheet> locked = this.here.documents().lock(Sheet.class, "a", LONG);
		for (int i = 0; i < 2; i++) {
			assertThatExceptionOfType(OptimisticLockingFailureException.class)
				.isThrownBy(() -> this.here.documents().saveAndKeep(locked, new Sheet("a", "kept", 7L)))
				.withMessageNotContaining("answer was lost");
		}
	}

	@Test
	void whatACallbackMakesOfTheDocumentThatWasSavedIsNotTakenForStored() {
		this.context.addApplicationListener((ApplicationListener<AfterSaveEvent<?>>) (event) -> {
			if (event.getDocument() != null) {
				event.getDocument().put("text", "for the index");
			}
		});
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", LONG);
		this.here.documents().saveAndKeep(locked, new Page("a", "kept", null));
		this.here.documents().save(locked, new Page("a", "for the index", null));
		assertThat(this.template.findById("a", Page.class).text()).isEqualTo("for the index");
	}

	@Test
	void aSaveThatKeepsALockWhichHadRunOutHoldsItAnew() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", LONG);
		this.clock.ahead = Duration.ofHours(1);
		assertThat(locked.handle().isHeld()).isFalse();
		this.here.documents().saveAndKeep(locked, new Page("a", "kept", null));
		assertThat(locked.handle().isHeld()).isTrue();
		assertThat(locked.handle().remaining()).isGreaterThan(Duration.ofMinutes(20));
		awaitRenewalBesideTheSave(locked);
		locked.close();
		assertThat(this.here.client().held()).isZero();
	}

	@Test
	void soDoesATransactionThatLastedLongerWithItsCommit() {
		for (boolean commit : new boolean[] { false, true }) {
			LockedDocument<Page> locked = this.here.documents().lock(Page.class, (commit) ? "a" : "b", LONG);
			new TransactionTemplate(new MongoTransactionManager(this.template.getMongoDatabaseFactory()))
				.executeWithoutResult((status) -> {
					this.here.documents().saveAndKeep(locked, new Page(locked.entity().id(), "one", null));
					this.clock.ahead = this.clock.ahead.plusHours(1);
					assertThat(locked.handle().isHeld()).isFalse();
					this.here.documents().saveAndKeep(locked, new Page(locked.entity().id(), "two", null));
					assertThat(locked.handle().isHeld()).as("before the commit").isFalse();
					if (!commit) {
						status.setRollbackOnly();
					}
				});
			assertThat(locked.handle().isHeld()).isEqualTo(commit);
		}
	}

	@Test
	void aReleaseThatTakesLongHoldsUpNoSaveAndNoLockOfOthers() throws Exception {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", LONG);
		CountDownLatch reached = new CountDownLatch(1);
		CountDownLatch answered = new CountDownLatch(1);
		CompletableFuture<Void> close = CompletableFuture.runAsync(() -> {
			this.late.at(reached, answered);
			locked.close();
		});
		try {
			assertThat(reached.await(30, TimeUnit.SECONDS)).isTrue();
			CompletableFuture<Void> others = CompletableFuture.runAsync(() -> {
				this.template.save(new Page("c", "plain", null));
				this.here.documents().lock(Page.class, "b").close();
			}, (work) -> new Thread(work).start());
			assertThat(others).succeedsWithin(Duration.ofSeconds(30));
			assertThat(close).isNotDone();
		}
		finally {
			answered.countDown();
		}
		close.get(30, TimeUnit.SECONDS);
	}

	// That may come before the save returns
	private void awaitRenewalBesideTheSave(LockedDocument<Page> locked) {
		await().until(() -> this.late.updates.get() == 2);
		assertThat(locked.handle().isHeld()).isTrue();
	}

	record Page(@Id String id, String text, @Nullable String more) {

	}

	record Sheet(@Id String id, String text, @Version @Nullable Long version) {

	}

	/**
	 * Loses a message of what the library writes.
	 */
	private static final class Losing extends MongoTemplate {

		static final String REQUEST = "request";

		static final String ANSWER = "answer";

		static final String CONNECTION = "connection";

		private @Nullable String loses;

		Losing(MongoClient client) {
			super(client, "test");
		}

		@Override
		public <T> T execute(String collection, CollectionCallback<T> action) {
			String lost = this.loses;
			this.loses = null;
			if (REQUEST.equals(lost)) {
				throw new DataAccessResourceFailureException(lost);
			}
			if (CONNECTION.equals(lost)) {
				MongoException failure = new MongoSocketReadException(lost, new ServerAddress(),
						new IllegalStateException());
				failure.addLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL);
				throw new DataAccessResourceFailureException(lost, failure);
			}
			T answer = super.execute(collection, action);
			if (ANSWER.equals(lost)) {
				throw new DataAccessResourceFailureException(lost);
			}
			return answer;
		}

	}

	/**
	 * Holds up the next command of a thread.
	 */
	private static final class Late implements CommandListener {

		private final AtomicInteger updates = new AtomicInteger();

		private volatile @Nullable Thread thread;

		private @Nullable CountDownLatch reached;

		private @Nullable CountDownLatch answered;

		void at(CountDownLatch reached, CountDownLatch answered) {
			this.reached = reached;
			this.answered = answered;
			this.thread = Thread.currentThread();
		}

		@Override
		public void commandStarted(CommandStartedEvent event) {
			if (event.getCommandName().equals("update")) {
				this.updates.incrementAndGet();
			}
			if (this.thread == Thread.currentThread()) {
				this.thread = null;
				this.reached.countDown();
				try {
					this.answered.await();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			}
		}

	}

	/**
	 * Runs ahead of that of the server.
	 */
	private static final class Ahead implements LockClock {

		private volatile Duration ahead = Duration.ZERO;

		@Override
		public long nanoTime() {
			return LockClock.system().nanoTime() + this.ahead.toNanos();
		}

		@Override
		public long currentTimeMillis() {
			return LockClock.system().currentTimeMillis() + this.ahead.toMillis();
		}

	}

}
