package io.mongolock.documents;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.ApplicationListener;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.core.CollectionCallback;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.SimpleMongoClientDatabaseFactory;
import org.springframework.data.mongodb.core.mapping.event.AfterDeleteEvent;
import org.springframework.data.mongodb.core.mapping.event.AfterSaveEvent;
import org.springframework.data.mongodb.core.mapping.event.BeforeDeleteEvent;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockClock;
import io.mongolock.LockLostException;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockUnavailableException;
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

	private TransactionTemplate transactions;

	@AutoClose
	private final DocumentLocksFixture there = new DocumentLocksFixture("there", new MongoTemplate(this.client, "test"),
			new GenericApplicationContext());

	@BeforeEach
	void begin() {
		DocumentLocksFixture.guardPlainSaves(this.context, this.template, () -> this.here);
		this.here = new DocumentLocksFixture("here", this.template,
				new MongoTemplate(this.template.getMongoDatabaseFactory()), this.clock, this.context);
		MongoTransactionManager manager = new MongoTransactionManager(this.template.getMongoDatabaseFactory());
		manager.addListener(this.here.transactions());
		this.transactions = new TransactionTemplate(manager);
		this.template.setApplicationContext(this.context);
		this.template.insert(new Page("a", "draft", null));
		this.template.insert(new Page("b", "draft", null));
	}

	@Test
	void aPlainSaveIsRefusedWhileNobodyKnowsWhetherTheLockWasReleased() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", LONG);
		this.template.loses = Losing.REQUEST;
		assertThatExceptionOfType(DataAccessResourceFailureException.class)
			.isThrownBy(() -> locked.save(locked.entity().with("unknown")));
		assertThat(locked.handle().isHeld()).isFalse();
		assertThatIllegalStateException()
			.isThrownBy(() -> this.template.save(this.template.findById("a", Page.class).with("plain")));
	}

	@Test
	void aSaveThatAnInterruptEndsSaysSo() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", LONG);
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(DataAccessResourceFailureException.class)
			.isThrownBy(() -> locked.save(locked.entity().with("unknown")))
			.withMessageContaining("because the thread was interrupted")
			.withMessageNotContaining("MongoDB has not answered");
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void aPlainSavePassesIfTheWriteWithoutAnAnswerHasReleasedTheLock() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", LONG);
		this.template.loses = Losing.ANSWER;
		assertThatExceptionOfType(DataAccessResourceFailureException.class)
			.isThrownBy(() -> locked.save(locked.entity().with("saved")));
		Page stored = this.template.findById("a", Page.class);
		assertThat(stored.text()).isEqualTo("saved");
		this.template.save(stored.with("plain"));
		assertThat(this.template.findById("a", Page.class).text()).isEqualTo("plain");
	}

	@ParameterizedTest
	@MethodSource("writes")
	void aWriteWithoutAnAnswerClosesTheDocumentAndItsTicketSaysHowItStands(
			BiConsumer<DocumentLockOperations, LockedDocument<Page>> write) {
		DocumentLockOperations documents = this.here.documents();
		for (String lost : List.of(Losing.REQUEST, Losing.ANSWER)) {
			this.template.remove(new Query(), Page.class);
			this.template.insert(new Page("a", "draft", null));
			LockedDocument<Page> locked = documents.lock(Page.class, "a", LONG);
			this.template.loses = lost;
			assertThatExceptionOfType(DataAccessResourceFailureException.class)
				.isThrownBy(() -> write.accept(documents, locked));
			assertThat(locked.handle().isHeld()).isFalse();
			assertThatIllegalStateException().isThrownBy(() -> write.accept(documents, locked))
				.withMessageContaining(
						"may have been released by a write whose answer was lost. To find out, call resume(");
			locked.close();
			boolean released = this.there.documents().find(Page.class, "a").isEmpty();
			if (released) {
				assertThatExceptionOfType(LockLostException.class)
					.isThrownBy(() -> documents.resume(Page.class, "a", locked.ticket()));
			}
			else if (lost.equals(Losing.ANSWER)) {
				assertThatExceptionOfType(DocumentChangedException.class)
					.isThrownBy(() -> documents.resume(Page.class, "a", locked.ticket()))
					.satisfies((ex) -> assertThat(ex.getDocument(Page.class).text()).isEqualTo("written"));
			}
			else {
				LockedDocument<Page> resumed = documents.resume(Page.class, "a", locked.ticket());
				assertThat(resumed.entity()).isEqualTo(this.template.findById("a", Page.class));
				resumed.save(resumed.entity().with("saved"));
				assertThat(this.template.findById("a", Page.class).text()).isEqualTo("saved");
			}
			assertThat(this.here.client().held()).isZero();
		}
	}

	static Stream<BiConsumer<DocumentLockOperations, LockedDocument<Page>>> writes() {
		return Stream.of((documents, locked) -> locked.save(locked.entity().with("written")),
				(documents, locked) -> locked.saveAndKeep(locked.entity().with("written")),
				(documents, locked) -> locked.delete());
	}

	@ParameterizedTest
	@MethodSource("writes")
	void aRollbackSaysThatItWasNotMade(BiConsumer<DocumentLockOperations, LockedDocument<Page>> write) {
		DocumentLockOperations documents = this.here.documents();
		LockedDocument<Page> locked = documents.lock(Page.class, "a", LONG);
		for (String lost : List.of(Losing.REQUEST, Losing.CONNECTION)) {
			this.transactions.executeWithoutResult((status) -> {
				status.setRollbackOnly();
				this.template.loses = lost;
				assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> write.accept(documents, locked));
				assertThatIllegalStateException().isThrownBy(() -> write.accept(documents, locked))
					.withMessageContaining("an unanswered write of this transaction. Roll the transaction back");
			});
			locked.handle().assertHeld();
		}
		locked.save(locked.entity().with("saved"));
		assertThat(this.template.findById("a", Page.class).text()).isEqualTo("saved");
	}

	@Test
	void aConnectionThatFailsInATransactionThatIsCommittedAllTheSameLeavesTheLockToRunOut() {
		LockedDocument<Page> locked = CompletableFuture
			.supplyAsync(() -> this.here.documents().lock(Page.class, "a", LONG))
			.join();
		this.transactions.executeWithoutResult((status) -> {
			this.template.loses = Losing.CONNECTION;
			assertThatExceptionOfType(ConcurrencyFailureException.class).isThrownBy(() -> locked.save(locked.entity()));
		});
		assertThat(locked.handle().isHeld()).isFalse();
		assertThat(this.there.documents().find(Page.class, "a")).isPresent();
		assertThat(this.here.client().held()).isZero();
	}

	@Test
	void aCommitWithoutAnAnswerLeavesWhatItHasKeptToItsTicket() {
		MongoTransactionManager unsure = new MongoTransactionManager(this.template.getMongoDatabaseFactory()) {

			@Override
			protected void doCommit(MongoTransactionObject transaction) {
				throw new TransactionSystemException("no answer");
			}

		};
		unsure.addListener(this.here.transactions());
		DocumentLockOperations documents = this.here.documents();
		LockedDocument<Page> locked = CompletableFuture.supplyAsync(() -> documents.lock(Page.class, "b", LONG)).join();
		assertThatExceptionOfType(TransactionSystemException.class).isThrownBy(() -> new TransactionTemplate(unsure)
			.executeWithoutResult((status) -> locked.saveAndKeep(locked.entity().with("kept"))));
		assertThatIllegalStateException().isThrownBy(() -> locked.save(locked.entity()));
		assertThatExceptionOfType(DocumentChangedException.class)
			.isThrownBy(() -> documents.resume(Page.class, "b", locked.ticket()))
			.satisfies((ex) -> {
				assertThat(ex.getDocument(Page.class).text()).isEqualTo("kept");
				LockedDocument<Page> resumed = documents.resume(Page.class, "b", ex.getTicket());
				resumed.save(resumed.entity());
			});
	}

	@Test
	void whenTheLookAfterARefusedSaveFailsThenTheDocumentIsStillThereToBeSaved() {
		Query page = new Query(Criteria.where("id").is("a"));
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", LONG);
		this.template.updateFirst(page, new Update().set("text", "theirs").unset("lock.holders.0.limit"), Page.class);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> locked.save(locked.entity().with("mine")));
		this.template.updateFirst(page, Update.update("lock.holders.0.limit", 1), Page.class);
		locked.save(locked.reload().with("both"));
		assertThat(this.template.findById("a", Page.class).text()).isEqualTo("both");
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
		assertThatExceptionOfType(DataAccessResourceFailureException.class).isThrownBy(() -> locked.delete());
		this.here.documents().resume(Page.class, "a", locked.ticket()).delete();
		assertThat(events).containsExactly("before a", "before a", "after a");
	}

	@Test
	void aChangeByAListenerAfterTheSaveIsNotTakenForStored() {
		this.context.addApplicationListener((ApplicationListener<AfterSaveEvent<?>>) (event) -> {
			if (event.getDocument() != null) {
				event.getDocument().put("text", "for the index");
			}
		});
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", LONG);
		locked.saveAndKeep(locked.entity().with("kept"));
		locked.save(locked.entity().with("for the index"));
		assertThat(this.template.findById("a", Page.class).text()).isEqualTo("for the index");
	}

	@Test
	void aSaveThatKeepsALockWhichHadRunOutHoldsItAnew() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a", LONG);
		this.clock.ahead = Duration.ofHours(1);
		assertThat(locked.handle().isHeld()).isFalse();
		locked.saveAndKeep(locked.entity().with("kept"));
		assertThat(locked.handle().isHeld()).isTrue();
		assertThat(locked.handle().remaining()).isGreaterThan(Duration.ofMinutes(20));
		awaitRenewalBesideTheSave(locked);
		locked.close();
		assertThat(this.here.client().held()).isZero();
	}

	@Test
	void soDoesATransactionThatLastedLongerWithItsCommit() {
		for (boolean commit : new boolean[] { false, true }) {
			LockedDocument<Page> locked = elsewhere(
					() -> this.here.documents().lock(Page.class, (commit) ? "a" : "b", LONG));
			this.transactions.executeWithoutResult((status) -> {
				locked.saveAndKeep(locked.entity().with("one"));
				this.clock.ahead = this.clock.ahead.plusHours(1);
				assertThat(locked.handle().isHeld()).isFalse();
				locked.saveAndKeep(locked.entity().with("two"));
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

	@Test
	void anAttemptBehindAnotherOfThisJvmIsToldThatOtherThreadsWereAhead() throws Exception {
		CountDownLatch reached = new CountDownLatch(1);
		CountDownLatch answered = new CountDownLatch(1);
		CompletableFuture<Void> ahead = CompletableFuture.runAsync(() -> {
			this.late.at(reached, answered);
			this.here.documents().lock(Page.class, "a", LONG).close();
		});
		try {
			assertThat(reached.await(30, TimeUnit.SECONDS)).isTrue();
			LockSettings once = LockSettings.builder().waitTimeout(Duration.ZERO).build();
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.here.documents().lock(Page.class, "a", once))
				.withMessageContaining("other threads of this application were ahead");
		}
		finally {
			answered.countDown();
		}
		ahead.get(30, TimeUnit.SECONDS);
	}

	// That may come before the save returns
	private void awaitRenewalBesideTheSave(LockedDocument<Page> locked) {
		await().until(() -> this.late.updates.get() == 2);
		assertThat(locked.handle().isHeld()).isTrue();
	}

	// The transactions of a thread renew what it has locked, which takes a real server
	private static <T> LockedDocument<T> elsewhere(Supplier<LockedDocument<T>> lock) {
		return CompletableFuture.supplyAsync(lock).join();
	}

	record Page(@Id String id, String text, @Version @Nullable Long version) {

		Page with(String text) {
			return new Page(this.id, text, this.version);
		}

	}

	/**
	 * Loses a message of what the library writes.
	 */
	private static final class Losing extends BesideTransactions {

		static final String REQUEST = "request";

		static final String ANSWER = "answer";

		static final String CONNECTION = "connection";

		private @Nullable String loses;

		Losing(MongoClient client) {
			super(new SimpleMongoClientDatabaseFactory(client, "test"));
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
