package io.mongolock.data;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoException;
import com.mongodb.WriteConcern;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.NonTransientDataAccessException;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.core.CollectionCallback;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.mapping.Field;
import org.springframework.data.mongodb.core.query.Collation;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.StaleFenceException;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.store.LeaseControl;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link FencedWrites} on a standalone server, which has no transactions: what
 * belongs to one is seen by what is sent.
 */
class FencedWritesTests {

	private static final Query ACCOUNT = Query.query(Criteria.where("id").is("a"));

	private EmbeddedMongo server;

	private MongoClient client;

	private MongoTemplate template;

	private LockTemplate locks;

	private MongoLockStore store;

	private FencedWrites fenced;

	private final SentUpdates updates = new SentUpdates();

	@BeforeEach
	void start() {
		this.server = EmbeddedMongo.start();
		this.client = MongoClients.create(MongoClientSettings.builder()
			.applyConnectionString(new ConnectionString(this.server.connectionString()))
			.addCommandListener(this.updates)
			.build());
		this.template = new MongoTemplate(this.client, "test");
		this.store = new MongoLockStore(this.template, "locks", "");
		this.locks = new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner("app", "1", "host", 1, ""), LockClock.system(), List.of()));
		this.fenced = FencedWrites.of(this.template, this.store);
		this.template.insert(new Account("a", 100));
	}

	@AfterEach
	void stop() {
		this.locks.stop(Duration.ofSeconds(1));
		this.client.close();
		this.server.close();
	}

	@Test
	void aHolderWritesAgainAndAgainAndItsFenceIsNoted() {
		try (LockHandle lock = this.locks.acquire(LockRequest.of("k"))) {
			assertThat(set(lock, 90)).isEqualTo(1);
			assertThat(set(lock, 80)).isEqualTo(1);
			assertThat(balance()).isEqualTo(80);
			assertThat(this.template.getCollection("account").find().first()).containsEntry("fence", lock.fence());
		}
	}

	@Test
	void aStaleHoldersWriteIsRefusedAndChangesNothing() {
		LockHandle stale = this.locks.acquire(LockRequest.of("k"));
		stale.close();
		try (LockHandle current = this.locks.acquire(LockRequest.of("k"))) {
			set(current, 70);
			assertThatExceptionOfType(StaleFenceException.class).isThrownBy(() -> set(stale, 0))
				.withMessageContaining("A later holder of lock 'k' has already written this Account")
				.satisfies((ex) -> assertThat(ex.getFence()).isEqualTo(stale.fence()));
			assertThat(balance()).isEqualTo(70);
		}
	}

	@Test
	void whenALaterHolderHasWrittenOneOfSeveralDocumentsThenAnotherIsWritten() {
		LockHandle stale = this.locks.acquire(LockRequest.of("k"));
		stale.close();
		try (LockHandle current = this.locks.acquire(LockRequest.of("k"))) {
			set(current, 70);
			this.template.insert(new Account("b", 50));
			assertThat(this.fenced.update(stale, new Query(), new Update().set("balance", 0), Account.class)
				.getMatchedCount()).isOne();
			assertThat(balance()).isEqualTo(70);
		}
	}

	@Test
	void aMissingDocumentIsNoStaleWrite() {
		try (LockHandle lock = this.locks.acquire(LockRequest.of("k"))) {
			Query missing = Query.query(Criteria.where("id").is("b"));
			assertThat(
					this.fenced.update(lock, missing, new Update().set("balance", 1), Account.class).getMatchedCount())
				.isZero();
		}
	}

	@Test
	void theCallersUpdateIsLeftAsItIsAndItsArrayFiltersAreKept() {
		this.template.getCollection("account").insertOne(Document.parse("{_id: 'l', lines: [{n: 1}, {n: 2}]}"));
		Update update = new Update().set("lines.$[two].paid", true).filterArray(Criteria.where("two.n").is(2));
		Document before = Document.parse(update.getUpdateObject().toJson());
		try (LockHandle lock = this.locks.acquire(LockRequest.of("k"))) {
			sending(() -> this.fenced.update(lock, Query.query(Criteria.where("id").is("l")), update, Account.class));
		}
		assertThat(update.getUpdateObject()).isEqualTo(before);
		assertThat(update.getArrayFilters()).hasSize(1);
		assertThat(sent("account", "arrayFilters")).isEqualTo(BsonArray.parse("[{'two.n': 2}]"));
	}

	@Test
	void namesVersionCollationSortAndHintAreAsTheTemplateHasThem() {
		this.template.insert(new Versioned("v", "a", null));
		Query query = Query.query(Criteria.where("text").is("a")).collation(Collation.of("de")).withHint("_id_");
		try (LockHandle lock = this.locks.acquire(LockRequest.of("k"))) {
			Update update = new Update().set("text", "b");
			this.fenced.update(lock, query, update, Versioned.class);
			assertThat(update.getUpdateObject()).doesNotContainKey("$inc");
			assertThat(sent("versioned", "q").asDocument()).containsKeys("t", "fence");
			assertThat(sent("versioned", "u").asDocument()).isEqualTo(BsonDocument
				.parse("{$set: {t: 'b', fence: {$numberLong: '%d'}}, $inc: {version: 1}}".formatted(lock.fence())));
			assertThat(sent("versioned", "collation").asDocument().getString("locale").getValue()).isEqualTo("de");
			assertThat(sent("versioned", "hint").asString().getValue()).isEqualTo("_id_");
		}
	}

	@Test
	void theMajorityConfirmsAGuardedWriteWhateverTheTemplateAsksForAsLongAsTheLockLasts() {
		this.template.setWriteConcern(WriteConcern.W1);
		try (LockHandle lock = this.locks.acquire(LockRequest.of("k"))) {
			set(lock, 90);
		}
		BsonDocument update = this.updates.last("account");
		assertThat(update.getDocument("writeConcern")).isEqualTo(WriteConcern.MAJORITY.asDocument());
		assertThat(update.getNumber("maxTimeMS").longValue()).isBetween(1000L, 24_000L);
	}

	@Test
	void whenAnswerIsLostThenItSaysThatTheDocumentMayHaveBeenWritten() {
		MongoTemplate losing = new MongoTemplate(this.client, "test") {

			@Override
			public <T> T execute(String collection, CollectionCallback<T> action) {
				super.execute(collection, action);
				throw new DataAccessResourceFailureException("lost");
			}

		};
		for (FencedWrites writes : List.of(FencedWrites.of(losing, this.store), FencedWrites.unguarded(losing))) {
			try (LockHandle lock = this.locks.acquire(LockRequest.of("k"))) {
				assertThatExceptionOfType(DataAccessResourceFailureException.class)
					.isThrownBy(() -> writes.update(lock, ACCOUNT, new Update().inc("balance", -10), Account.class))
					.withMessageMatching(
							"The Account may have been written, or may be written later, because MongoDB has not "
									+ "answered \\(the limit is \\d+ ms\\)\\. Read the document before you write it "
									+ "again")
					.withCauseInstanceOf(DataAccessResourceFailureException.class);
				assertThat(lock.isHeld()).isTrue();
			}
		}
		assertThat(balance()).isEqualTo(80);
	}

	@Test
	void whenLockIsOverThenAWriteStillHasASecond() {
		LockHandle lock = this.locks.acquire(LockRequest.of("k"));
		lock.close();
		set(lock, 90);
		assertThat(this.updates.last("account").getNumber("maxTimeMS").longValue()).isBetween(500L, 1000L);
	}

	@Test
	void anUpdateThatChangesTheFenceIsRefused() {
		try (LockHandle lock = this.locks.acquire(LockRequest.of("k"))) {
			for (Update update : List.of(new Update().unset("fence"), new Update().inc("fence", 1),
					Update.fromDocument(new Document("balance", 1)))) {
				// Switched off, too: what is refused later should not pass before
				for (FencedWrites writes : List.of(this.fenced, FencedWrites.unguarded(this.template))) {
					assertThatIllegalArgumentException()
						.isThrownBy(() -> writes.update(lock, ACCOUNT, update, Account.class))
						.withMessageContaining("'fence'");
				}
			}
			assertThatIllegalArgumentException()
				.isThrownBy(() -> this.fenced.update(lock, Query.query(Criteria.where("fence").is(1)),
						new Update().set("balance", 1), Account.class))
				.withMessageContaining("'fence'");
		}
	}

	@Test
	void aTouchOutsideOfATransactionIsRefused() {
		try (LockHandle lock = this.locks.acquire(LockRequest.of("k"))) {
			assertThatIllegalStateException().isThrownBy(() -> this.fenced.touch(lock))
				.withMessageContaining("there is no transaction on this thread");
		}
	}

	@Test
	void aTouchInATransactionOfSomethingElseIsRefusedAndSaysOfWhat() {
		StubTransactions transactions = new StubTransactions();
		try (LockHandle lock = this.locks.acquire(LockRequest.of("k"))) {
			assertThatIllegalStateException()
				.isThrownBy(() -> new TransactionTemplate(transactions).executeWithoutResult((status) -> {
					this.locks.acquire(LockRequest.of("bound to it by the library")).close();
					this.fenced.touch(lock);
				}))
				.withMessageContaining(
						"the transaction on this thread (of StubTransactions) is not a MongoDB transaction")
				.withMessageContaining("MongoTransactionManager");
		}
	}

	@Test
	void whenTheHandleIsNotOfLockOperationsThenATouchIsRefused() {
		LockHandle other = Mockito.mock();
		BDDMockito.given(other.key()).willReturn("k");
		assertThatIllegalArgumentException().isThrownBy(() -> touch(this.template, this.fenced, other))
			.withMessageContaining("Lock 'k' does not come from LockOperations");
	}

	@Test
	void aTouchGoesToTheDatabaseOfTheLocksInTheSessionOfTheTransaction() {
		MongoTemplate elsewhere = new MongoTemplate(this.client, "elsewhere");
		FencedWrites writes = FencedWrites.of(elsewhere, this.store);
		try (LockHandle lock = this.locks.acquire(LockRequest.of("k"))) {
			sending(() -> touch(elsewhere, writes, lock));
			BsonDocument touch = this.updates.last("locks");
			assertThat(touch.getString("$db").getValue()).isEqualTo("test");
			assertThat(touch.getString("update").getValue()).isEqualTo("locks");
			assertThat(touch.getBoolean("autocommit").getValue()).isFalse();
			assertThat(touch).doesNotContainKeys("writeConcern", "maxTimeMS");
		}
	}

	@Test
	void aTouchFindsNoLockThatIsGone() {
		LockHandle lock = this.locks.acquire(LockRequest.of("k"));
		try (ClientSession session = this.client.startSession()) {
			assertThat(this.store.touch(((LeaseControl) lock).lease(), session)).isTrue();
		}
		this.store.release(((LeaseControl) lock).lease(), Duration.ofSeconds(5));
		try (ClientSession session = this.client.startSession()) {
			assertThat(this.store.touch(((LeaseControl) lock).lease(), session)).isFalse();
		}
	}

	@Test
	void aTouchInATransactionOfAnotherClientIsRefused() {
		try (MongoClient other = MongoClients.create(this.server.connectionString());
				LockHandle lock = this.locks.acquire(LockRequest.of("k"))) {
			MongoTemplate foreign = new MongoTemplate(other, "test");
			assertThatIllegalStateException()
				.isThrownBy(() -> touch(foreign, FencedWrites.of(foreign, this.store), lock))
				.withMessageContaining("The lock collection test.locks cannot take part")
				.withMessageContaining("Use the same MongoClient");
		}
	}

	@Test
	void aGuardedWriteInATransactionIsPartOfIt() {
		try (LockHandle lock = this.locks.acquire(LockRequest.of("k"))) {
			transactions(this.template).executeWithoutResult((status) -> {
				sending(() -> set(lock, 90));
				status.setRollbackOnly();
			});
		}
		assertThat(this.updates.last("account").getBoolean("autocommit").getValue()).isFalse();
		assertThat(this.updates.last("account")).doesNotContainKey("writeConcern");
	}

	@Test
	void unguardedWritesLeaveFencesAlone() {
		FencedWrites unguarded = FencedWrites.unguarded(this.template);
		LockHandle stale = this.locks.acquire(LockRequest.of("k"));
		stale.close();
		try (LockHandle current = this.locks.acquire(LockRequest.of("k"))) {
			set(current, 70);
			unguarded.update(stale, ACCOUNT, new Update().set("balance", 60), Account.class);
			assertThat(this.updates.last("account")).containsKey("maxTimeMS");
			unguarded.touch(stale);
			assertThat(balance()).isEqualTo(60);
			assertThat(this.template.getCollection("account").find().first()).containsEntry("fence", current.fence());
		}
	}

	private static void touch(MongoTemplate template, FencedWrites writes, LockHandle lock) {
		transactions(template).executeWithoutResult((status) -> {
			// the embedded server knows no commit
			status.setRollbackOnly();
			writes.touch(lock);
		});
	}

	private static TransactionTemplate transactions(MongoTemplate template) {
		return new TransactionTemplate(new MongoTransactionManager(template.getMongoDatabaseFactory()));
	}

	// Whatever the embedded server does not know
	private static void sending(Runnable statement) {
		try {
			statement.run();
		}
		catch (NonTransientDataAccessException ex) {
			assertThat(ex).hasRootCauseInstanceOf(MongoException.class);
		}
	}

	private BsonValue sent(String collection, String part) {
		return this.updates.last(collection).getArray("updates").get(0).asDocument().get(part);
	}

	private long set(LockHandle lock, int balance) {
		return this.fenced.update(lock, ACCOUNT, new Update().set("balance", balance), Account.class).getMatchedCount();
	}

	private int balance() {
		return this.template.findOne(ACCOUNT, Account.class).balance();
	}

	private record Account(@Id String id, int balance) {

	}

	private record Versioned(@Id String id, @Field("t") String text, @Version Long version) {

	}

	private static final class SentUpdates implements CommandListener {

		private final List<BsonDocument> commands = new CopyOnWriteArrayList<>();

		@Override
		public void commandStarted(CommandStartedEvent event) {
			if (event.getCommandName().equals("update")) {
				this.commands.add(event.getCommand().clone());
			}
		}

		private BsonDocument last(String collection) {
			return this.commands.stream()
				.filter((command) -> command.getString("update").getValue().equals(collection))
				.reduce((earlier, later) -> later)
				.orElseThrow();
		}

	}

	private static final class StubTransactions extends AbstractPlatformTransactionManager {

		@Override
		protected Object doGetTransaction() {
			return this;
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			TransactionSynchronizationManager.bindResource(this, "connection");
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
		}

		@Override
		protected void doCleanupAfterCompletion(Object transaction) {
			TransactionSynchronizationManager.unbindResource(this);
		}

	}

}
