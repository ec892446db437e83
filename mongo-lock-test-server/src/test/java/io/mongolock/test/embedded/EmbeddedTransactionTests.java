package io.mongolock.test.embedded;

import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import com.mongodb.MongoCommandException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Updates;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import io.netty.channel.embedded.EmbeddedChannel;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for transactions that a driver sends to the embedded server. How each statement
 * is answered is recorded: {@link TransactionReplayTests}.
 */
class EmbeddedTransactionTests {

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.builder().replicaSet().start();

	@AutoClose
	private final MongoClient client = MongoClients.create(this.server.connectionString());

	private final MongoCollection<Document> accounts = this.client.getDatabase("test").getCollection("accounts");

	@Test
	void moneyThatIsTransferredAtTheSameTimeIsNeitherLostNorSeenTwice() throws Exception {
		for (int id = 0; id < 4; id++) {
			this.accounts.insertOne(new Document("_id", id).append("balance", 0));
		}
		ExecutorService threads = Executors.newCachedThreadPool();
		try {
			List<Future<?>> work = new ArrayList<>();
			for (int thread = 0; thread < 4; thread++) {
				int from = thread;
				work.add(threads.submit(() -> {
					for (int i = 0; i < 25; i++) {
						transfer(from, (from + 1 + i % 3) % 4);
						this.accounts.updateOne(Filters.eq("_id", from), Updates.inc("seen", 1));
						assertThat(sum()).isZero();
					}
				}));
			}
			for (Future<?> each : work) {
				each.get(1, TimeUnit.MINUTES);
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(this.accounts.find().map((account) -> account.getInteger("seen"))).containsOnly(25);
	}

	private void transfer(int from, int to) {
		try (ClientSession session = this.client.startSession()) {
			session.withTransaction(() -> {
				this.accounts.updateOne(session, Filters.eq("_id", from), Updates.inc("balance", -10));
				return this.accounts.updateOne(session, Filters.eq("_id", to), Updates.inc("balance", 10));
			});
		}
	}

	private int sum() {
		try (ClientSession session = this.client.startSession()) {
			return session.withTransaction(() -> this.accounts.find(session)
				.map((account) -> account.getInteger("balance"))
				.into(new ArrayList<>())
				.stream()
				.mapToInt(Integer::intValue)
				.sum());
		}
	}

	@Test
	void aClientThatIsGoneWritesNothingWhenItsTurnComes() {
		Transactions transactions = new Transactions();
		Transaction first = transaction(transactions);
		AtomicInteger tries = new AtomicInteger();
		EmbeddedChannel channel = new EmbeddedChannel();
		new PendingStatement(() -> {
			tries.incrementAndGet();
			throw new AwaitsTransaction(transactions);
		}, transactions, channel).start(0);
		transactions.abort(first);
		channel.runPendingTasks();
		assertThat(tries).hasValue(2);
		channel.close();
		transactions.abort(first);
		channel.runPendingTasks();
		assertThat(tries).hasValue(2);
	}

	@Test
	void anOpenTransactionEndsWithItsSession() {
		this.accounts.insertOne(new Document("_id", 1));
		try (ClientSession session = this.client.startSession()) {
			session.startTransaction();
			this.accounts.deleteOne(session, Filters.eq("_id", 1));
		}
		assertThat(this.accounts.updateOne(Filters.eq("_id", 1), Updates.set("there", true)).getModifiedCount())
			.isOne();
	}

	@Test
	void aDocumentThatATransactionHasWrittenIsNotExpired() {
		this.accounts.createIndex(new Document("at", 1), new IndexOptions().expireAfter(1L, TimeUnit.SECONDS));
		this.accounts.insertOne(new Document("_id", 1).append("at", new Date(0)));
		try (ClientSession session = this.client.startSession()) {
			session.startTransaction();
			this.accounts.updateOne(session, Filters.eq("_id", 1), Updates.unset("at"));
			assertThat(this.server.runTtlMonitor()).isZero();
			session.commitTransaction();
		}
		assertThat(this.accounts.countDocuments()).isOne();
	}

	@Test
	void aTransactionThatTakesTooLongIsAborted() {
		Transactions transactions = new Transactions();
		Session session = new Session(transactions);
		Transaction late = transaction(transactions);
		session.begin(1, () -> late);
		assertThat(session.abortIf(late)).isTrue();
		session.begin(2, () -> transaction(transactions));
		assertThat(session.abortIf(late)).isFalse();
		assertThat(transactions.isEmpty()).isFalse();
	}

	private static Transaction transaction(Transactions transactions) {
		return new Transaction(new de.bwaldvogel.mongo.bson.Document(), transactions, (name) -> {
			throw new IllegalStateException("reads nothing");
		}, new CursorRegistry(), new ServerState(null, UpsertRace.RETRY, null));
	}

	@Test
	void aCollectionCreatedInATransactionIsRefusedWithTheWayOut() {
		try (ClientSession session = this.client.startSession()) {
			session.startTransaction();
			assertThatExceptionOfType(MongoCommandException.class)
				.isThrownBy(() -> this.client.getDatabase("test").createCollection(session, "others"))
				.withMessageContaining("create the collection before it, or use a real replica set");
		}
	}

}
