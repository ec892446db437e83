package io.mongolock.test.embedded;

import java.util.List;

import com.mongodb.ReadConcern;
import com.mongodb.WriteConcern;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.Updates;
import de.bwaldvogel.mongo.exception.MongoServerError;
import org.bson.BsonTimestamp;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.mongolock.test.proxy.FaultProxy;
import io.mongolock.test.server.ImpatientClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for an embedded server that is a replica set.
 */
class ReplicaSetTests {

	private EmbeddedMongo server;

	private MongoClient client;

	private MongoCollection<Document> locks;

	@BeforeEach
	void start() {
		this.server = EmbeddedMongo.builder().replicaSet().start();
		this.client = MongoClients.create(this.server.connectionString() + "/?replicaSet=embedded");
		this.locks = this.client.getDatabase("test").getCollection("locks");
	}

	@AfterEach
	void stop() {
		this.client.close();
		this.server.close();
	}

	@Test
	void theDriverFindsItsPrimaryAndWritesWithItsDefaults() {
		this.locks.insertOne(new Document("_id", "k"));
		assertThat(this.locks.withReadConcern(ReadConcern.LINEARIZABLE).find(Filters.eq("k")).first())
			.isEqualTo(new Document("_id", "k"));
		Document hello = this.client.getDatabase("admin").runCommand(new Document("hello", 1));
		assertThat(hello).containsEntry("setName", "embedded")
			.containsEntry("isWritablePrimary", true)
			.containsEntry("hosts", List.of("127.0.0.1:" + this.server.port()))
			.containsKeys("operationTime", "$clusterTime");
	}

	@Test
	void aCausallyConsistentSessionMayBeUsed() {
		try (ClientSession causal = this.client.startSession()) {
			this.locks.insertOne(causal, new Document("_id", "k"));
			assertThat(this.locks.find(causal).first()).isEqualTo(new Document("_id", "k"));
		}
	}

	@Test
	void aWriteWhoseAnswerWasLostIsRunOnce() {
		try (FaultProxy proxy = FaultProxy.to("127.0.0.1", this.server.port());
				MongoClient other = ImpatientClient.of(proxy.connectionString())) {
			MongoCollection<Document> collection = other.getDatabase("test").getCollection("locks");
			for (String command : List.of("insert", "update", "findAndModify", "delete")) {
				proxy.on(command).cutBeforeReply().once();
			}
			collection.insertOne(new Document("_id", "k"));
			assertThat(collection.updateOne(Filters.eq("k"), Updates.inc("n", 1)).getModifiedCount()).isEqualTo(1);
			assertThat(collection.findOneAndUpdate(Filters.eq("k"), Updates.inc("n", 1))).containsEntry("n", 1);
			assertThat(this.locks.find().first()).containsEntry("n", 2);
			assertThat(collection.deleteOne(Filters.eq("k")).getDeletedCount()).isEqualTo(1);
		}
	}

	// Read in the sources of 4.4 to 8.2: what is stored for a second attempt is the
	// document
	@Test
	void aProjectionIsNotAppliedToWhatASecondAttemptIsAnswered() {
		FindOneAndUpdateOptions options = new FindOneAndUpdateOptions().upsert(true)
			.returnDocument(ReturnDocument.AFTER)
			.projection(Document.parse("{now: '$$NOW', _id: 1}"));
		try (FaultProxy proxy = FaultProxy.to("127.0.0.1", this.server.port());
				MongoClient other = ImpatientClient.of(proxy.connectionString())) {
			MongoCollection<Document> collection = other.getDatabase("test").getCollection("locks");
			for (int n = 1; n <= 2; n++) {
				proxy.on("findAndModify").cutBeforeReply().once();
				assertThat(collection.findOneAndUpdate(Filters.eq("k"), Updates.inc("n", 1), options))
					.isEqualTo(new Document("_id", "k").append("n", n));
			}
			assertThat(collection.findOneAndUpdate(Filters.eq("k"), Updates.inc("n", 1), options))
				.containsOnlyKeys("_id", "now");
		}
	}

	@Test
	void aWriteThatWroteNothingRunsAfreshAndAnOldOneNotAtAll() {
		Session writes = new Session(new Transactions());
		assertThat(run(writes, 5, "first", false)).isEqualTo("first");
		assertThat(run(writes, 5, "second", true)).isEqualTo("second");
		assertThat(run(writes, 5, "third", true)).isEqualTo("second");
		assertThat(run(writes, 6, "fourth", true)).isEqualTo("fourth");
		assertThatExceptionOfType(MongoServerError.class).isThrownBy(() -> run(writes, 5, "fifth", true))
			.satisfies((error) -> assertThat(error.getCodeName()).isEqualTo("TransactionTooOld"));
	}

	private static Object run(Session writes, long number, String reply, boolean wrote) {
		return writes.write(number, () -> new WriteReply(new de.bwaldvogel.mongo.bson.Document("is", reply), wrote))
			.get("is");
	}

	@Test
	void theClustersTimeRisesWithEachWrite() {
		Object before = this.client.getDatabase("test").runCommand(new Document("ping", 1)).get("operationTime");
		assertThat(this.client.getDatabase("test").runCommand(new Document("ping", 1)).get("operationTime"))
			.isEqualTo(before);
		this.locks.insertOne(new Document("_id", "k"));
		this.locks.updateOne(Filters.eq("k"), List.of(Updates.set("t", "$$CLUSTER_TIME")));
		assertThat((BsonTimestamp) this.locks.find().first().get("t")).isGreaterThan((BsonTimestamp) before);
	}

	@Test
	void aWriteConcernThatNoSetOfThisKindCanMeetIsTold() {
		assertThat(writeConcernError(new WriteConcern(3))).isEqualTo(100);
		assertThat(writeConcernError(new WriteConcern("elsewhere"))).isEqualTo(79);
		assertThat(this.locks.countDocuments()).isEqualTo(2);
	}

	private int writeConcernError(WriteConcern concern) {
		Document reply = this.client.getDatabase("test")
			.runCommand(new Document("insert", "locks").append("documents", List.of(new Document()))
				.append("writeConcern", concern.asDocument()));
		return reply.get("writeConcernError", Document.class).getInteger("code");
	}

}
