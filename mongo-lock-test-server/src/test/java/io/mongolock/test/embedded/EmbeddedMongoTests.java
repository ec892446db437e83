package io.mongolock.test.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.MongoWriteException;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.Updates;
import org.bson.BsonTimestamp;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link EmbeddedMongo} through the driver.
 */
class EmbeddedMongoTests {

	private static final Instant START = Instant.parse("2026-01-02T03:04:05.678Z");

	private static final AtomicReference<Instant> CLOCK = new AtomicReference<>(START);

	private static EmbeddedMongo server;

	private static MongoClient client;

	private MongoCollection<Document> locks;

	@BeforeAll
	static void startServer() {
		server = EmbeddedMongo.builder().clock(CLOCK::get).start();
		client = MongoClients.create(server.connectionString());
	}

	@AfterAll
	static void stopServer() {
		client.close();
		server.close();
	}

	@BeforeEach
	void emptyCollection() {
		CLOCK.set(START);
		client.getDatabase("test").drop();
		this.locks = client.getDatabase("test")
			.getCollection("locks")
			.withWriteConcern(WriteConcern.MAJORITY)
			.withReadPreference(ReadPreference.primary())
			.withTimeout(10, TimeUnit.SECONDS);
	}

	@Test
	void listensOnTheLoopbackAddressAndAFreePort() {
		assertThat(server.connectionString()).isEqualTo("mongodb://127.0.0.1:" + server.port());
		assertThat(server.port()).isPositive();
	}

	@Test
	void aTakenPortIsToldWithTheWayOut() throws IOException {
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			assertThatIllegalStateException()
				.isThrownBy(() -> EmbeddedMongo.builder().port(taken.getLocalPort()).start())
				.withMessageContaining("127.0.0.1:" + taken.getLocalPort())
				.withMessageContaining("choose another port");
		}
	}

	@Test
	void closeEndsConnectionsAndMayBeRepeated() {
		EmbeddedMongo other = EmbeddedMongo.start();
		try (MongoClient otherClient = MongoClients.create(other.connectionString())) {
			MongoCollection<Document> documents = otherClient.getDatabase("test").getCollection("a");
			documents.insertOne(new Document());
			other.close();
			other.close();
			// Patient until here, because a busy machine connects late
			MongoCollection<Document> hasty = documents.withTimeout(500, TimeUnit.MILLISECONDS);
			assertThatExceptionOfType(MongoException.class).isThrownBy(hasty::countDocuments);
			assertThatExceptionOfType(MongoTimeoutException.class).isThrownBy(hasty::countDocuments);
		}
	}

	@Test
	void serverTimeIsThatOfTheGivenClock() {
		this.locks.insertOne(new Document("_id", "k"));
		this.locks.updateOne(Filters.eq("k"), Updates.combine(Updates.currentDate("a"), Updates.set("x", 1)));
		this.locks.updateOne(Filters.eq("k"), List.of(Updates.set("b", "$$NOW")));
		CLOCK.set(START.plusSeconds(60));
		this.locks.updateOne(Filters.eq("k"), Updates.currentDate("c"));
		assertThat(this.locks.find().first()).isEqualTo(new Document("_id", "k").append("a", Date.from(START))
			.append("x", 1)
			.append("b", Date.from(START))
			.append("c", Date.from(START.plusSeconds(60))));
	}

	@Test
	void timestampsRiseEvenIfTheClockDoesNot() {
		this.locks.insertOne(new Document("_id", "k"));
		BsonTimestamp first = nextTimestamp();
		CLOCK.set(START.minusSeconds(60));
		assertThat(nextTimestamp()).isGreaterThan(first);
	}

	private BsonTimestamp nextTimestamp() {
		return this.locks.findOneAndUpdate(Filters.eq("k"), Updates.currentTimestamp("t"), after())
			.get("t", BsonTimestamp.class);
	}

	@Test
	void projectionBringsTheServersTimeAlong() {
		this.locks.insertOne(new Document("_id", "k").append("a", 1).append("b", 2));
		Document projection = new Document("now", "$$NOW").append("a", 1);
		Document expected = new Document("_id", "k").append("a", 1).append("now", Date.from(START));
		assertThat(this.locks.find(Filters.eq("k")).projection(projection).first()).isEqualTo(expected);
		assertThat(this.locks.findOneAndUpdate(Filters.eq("k"), List.of(Updates.set("b", 3)),
				after().projection(projection)))
			.isEqualTo(expected);
		assertThat(this.locks.find().projection(new Document("now", "$$NOW")).first())
			.isEqualTo(new Document("_id", "k").append("now", Date.from(START)));
	}

	@Test
	void projectionMayNotExcludeAndCompute() {
		this.locks.insertOne(new Document("_id", "k"));
		assertThatExceptionOfType(MongoCommandException.class)
			.isThrownBy(() -> this.locks.find().projection(new Document("now", "$$NOW").append("a", 0)).first())
			.satisfies((ex) -> assertThat(ex.getErrorCode()).isEqualTo(31254));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void bulksOfHundredsOfRenewals(boolean ordered) {
		this.locks.insertMany(IntStream.range(0, 500).mapToObj(EmbeddedMongoTests::lock).toList());
		CLOCK.set(START.plusSeconds(1));
		List<UpdateOneModel<Document>> renewals = IntStream.range(0, 600)
			.mapToObj(EmbeddedMongoTests::renewal)
			.toList();
		BulkWriteResult result = this.locks.bulkWrite(renewals, new BulkWriteOptions().ordered(ordered));
		assertThat(result.getMatchedCount()).isEqualTo(500);
		assertThat(result.getModifiedCount()).isEqualTo(500);
		assertThat(this.locks.countDocuments(Filters.eq("holders.renewedAt", Date.from(START.plusSeconds(1)))))
			.isEqualTo(500);
	}

	private static Document lock(int id) {
		return new Document("_id", "k" + id).append("holders", List.of(new Document("token", "other"),
				new Document("token", "t" + id).append("renewedAt", Date.from(START))));
	}

	private static UpdateOneModel<Document> renewal(int id) {
		return new UpdateOneModel<>(Filters.and(Filters.eq("k" + id), Filters.eq("holders.token", "t" + id)),
				Updates.combine(Updates.currentDate("holders.$.renewedAt"), Updates.currentDate("touchedAt")));
	}

	@Test
	void anOrderedBulkStopsAtTheFirstError() {
		Bson wrong = Updates.set("_id", "other");
		this.locks.insertOne(new Document("_id", "k"));
		List<UpdateOneModel<Document>> updates = List.of(new UpdateOneModel<>(Filters.eq("k"), wrong),
				new UpdateOneModel<>(Filters.eq("k"), Updates.set("a", 1)));
		assertThatExceptionOfType(MongoBulkWriteException.class).isThrownBy(() -> this.locks.bulkWrite(updates))
			.satisfies((ex) -> assertThat(ex.getWriteErrors()).hasSize(1));
		assertThat(this.locks.countDocuments(Filters.eq("a", 1))).isZero();
	}

	@Test
	void aDuplicateKeyIsKnownAsSuch() {
		this.locks.insertOne(new Document("_id", "k"));
		assertThatExceptionOfType(MongoWriteException.class)
			.isThrownBy(() -> this.locks.insertOne(new Document("_id", "k")))
			.satisfies((ex) -> assertThat(ex.getError().getCategory()).isEqualTo(ErrorCategory.DUPLICATE_KEY));
	}

	@Test
	void upsertsByPipelineStartFromTheFilter() {
		Document upserted = this.locks.findOneAndUpdate(
				Filters.and(Filters.eq("k"), Filters.eq("a.b", 1), Filters.gt("c", 5), Filters.eq("d", "x")),
				List.of(Updates.set("e", "$a.b")), after().upsert(true));
		assertThat(upserted).isEqualTo(Document.parse("{_id: 'k', a: {b: 1}, d: 'x', e: 1}"));
		assertThat(
				this.locks.updateOne(Filters.eq("n", 1), List.of(Updates.set("e", 1)), new UpdateOptions().upsert(true))
					.getUpsertedId())
			.isNotNull();
		assertThat(this.locks.findOneAndUpdate(Filters.eq("new"), Updates.inc("n", 1), after().upsert(true)))
			.isEqualTo(Document.parse("{_id: 'new', n: 1}"));
	}

	@Test
	void deletesAndCountsByExpression() {
		this.locks.insertMany(List.of(new Document("_id", 1).append("at", Date.from(START.minusSeconds(1))),
				new Document("_id", 2).append("at", Date.from(START.plusSeconds(1)))));
		Bson passed = Filters.expr(new Document("$lt", List.of("$at", "$$NOW")));
		assertThat(this.locks.find(passed).first()).containsEntry("_id", 1);
		assertThat(this.locks.updateMany(passed, List.of(Updates.set("x", 1))).getModifiedCount()).isEqualTo(1);
		assertThat(this.locks.findOneAndDelete(passed)).containsEntry("_id", 1);
		assertThat(this.locks.deleteMany(passed).getDeletedCount()).isZero();
		CLOCK.set(START.plusSeconds(2));
		assertThat(this.locks.deleteMany(passed).getDeletedCount()).isEqualTo(1);
	}

	@Test
	void cursorsBringBatchAfterBatch() {
		this.locks.insertMany(IntStream.range(0, 25).mapToObj((i) -> new Document("_id", i)).toList());
		assertThat(
				this.locks.find().sort(new Document("_id", -1)).skip(1).limit(21).batchSize(4).into(new ArrayList<>()))
			.hasSize(21)
			.first()
			.isEqualTo(new Document("_id", 23));
	}

	@Test
	void ttlIndexesAreListedAndDroppedOnePerCollection() {
		MongoCollection<Document> other = client.getDatabase("test").getCollection("other");
		createTtlIndex(this.locks);
		createTtlIndex(other);
		assertThat(this.locks.listIndexes().into(new ArrayList<>())).hasSize(2)
			.last()
			.satisfies(
					(index) -> assertThat(index).containsEntry("name", "ttl").containsEntry("expireAfterSeconds", 60L));
		this.locks.dropIndex("ttl");
		assertThat(this.locks.listIndexes()).hasSize(1);
		assertThat(other.listIndexes()).hasSize(2);
	}

	@Test
	void ttlMonitorDeletesWhatHasRunOut() {
		createTtlIndex(this.locks);
		this.locks.insertMany(List.of(new Document("_id", "old").append("touchedAt", Date.from(START.minusSeconds(60))),
				new Document("_id", "young").append("touchedAt", Date.from(START.minusSeconds(59))),
				new Document("_id", "list").append("touchedAt",
						List.of(Date.from(START), Date.from(START.minusSeconds(61)))),
				new Document("_id", "never"), new Document("_id", "text").append("touchedAt", "yesterday")));
		assertThat(server.runTtlMonitor()).isEqualTo(2);
		CLOCK.set(START.plus(Duration.ofSeconds(1)));
		assertThat(server.runTtlMonitor()).isEqualTo(1);
		assertThat(this.locks.distinct("_id", String.class)).containsExactlyInAnyOrder("never", "text");
	}

	private static void createTtlIndex(MongoCollection<Document> collection) {
		collection.createIndex(Indexes.ascending("touchedAt"),
				new IndexOptions().name("ttl").expireAfter(60L, TimeUnit.SECONDS));
	}

	@Test
	void aViewIsRefusedByName() {
		assertThatExceptionOfType(MongoCommandException.class)
			.isThrownBy(() -> client.getDatabase("test").createView("view", "locks", List.of()))
			.withMessageContaining("no collections with 'viewOn': use a real server");
	}

	@Test
	void aStandaloneServerSaysHowToHaveTransactions() {
		try (ClientSession session = client.startSession()) {
			session.startTransaction();
			MongoCollection<Document> collection = client.getDatabase("test").getCollection("locks");
			assertThatExceptionOfType(MongoCommandException.class)
				.isThrownBy(() -> collection.insertOne(session, new Document()))
				.withMessageContaining("builder().replicaSet()")
				.satisfies((ex) -> assertThat(ex.getErrorCode()).isEqualTo(20));
		}
	}

	private static FindOneAndUpdateOptions after() {
		return new FindOneAndUpdateOptions().returnDocument(ReturnDocument.AFTER);
	}

}
