package io.mongolock.test.embedded;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.Sorts;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Replays what was recorded on a real server: the same statement on the same documents
 * must get the same answer and leave the same documents. Runs on the embedded server, or
 * on the one of {@code MONGO_LOCK_TEST_URI}.
 */
class RealServerReplayTests {

	/**
	 * What the embedded server answers differently, by case, and why that is no harm. A
	 * case that matches after all must leave this list.
	 */
	private static final Map<String, String> NOT_MATCHED = Map.of();

	private static final Set<String> OF_REPLICA_SETS = Set.of("$clusterTime", "operationTime", "electionId", "opTime");

	private static ServerUnderTest server;

	@BeforeAll
	static void startServer() {
		server = ServerUnderTest.start(() -> EmbeddedMongo.builder().upsertRace(UpsertRace.CLIENT_ERROR).start());
		System.out.println("Replaying the recorded statements on " + server.description());
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@TestFactory
	Stream<DynamicTest> answersAsRecorded() {
		return RecordedCase.read(server.isReplicaSet())
			.stream()
			.map((recorded) -> DynamicTest.dynamicTest(recorded.name(), () -> check(recorded)));
	}

	private void check(RecordedCase recorded) {
		List<String> differences = replay(recorded);
		if (server.isEmbedded() && NOT_MATCHED.containsKey(recorded.name())) {
			assertThat(differences).as("matches now: remove it from NOT_MATCHED").isNotEmpty();
		}
		else {
			assertThat(differences).isEmpty();
		}
	}

	private List<String> replay(RecordedCase recorded) {
		MongoDatabase database = server.client().getDatabase("rec");
		MongoCollection<BsonDocument> locks = database.getCollection("locks", BsonDocument.class);
		locks.drop();
		database.createCollection("locks");
		if (recorded.ttlIndexBefore()) {
			locks.createIndex(Indexes.ascending("touchedAt"),
					new IndexOptions().name("ttl").expireAfter(604800L, TimeUnit.SECONDS));
		}
		long now = server.now();
		recorded.before(now).forEach(locks::insertOne);
		List<String> differences = run(database, recorded, now);
		BsonArray after = locks.find().sort(Sorts.ascending("_id")).into(new BsonArray());
		return Stream
			.concat(differences.stream(),
					RelativeTimes.differences(recorded.after(), after, now).stream().map((text) -> "after" + text))
			.toList();
	}

	private List<String> run(MongoDatabase database, RecordedCase recorded, long now) {
		BsonDocument reply;
		try {
			reply = database.runCommand(recorded.command(), BsonDocument.class);
		}
		catch (MongoCommandException ex) {
			if (!recorded.fails()) {
				return List.of("recorded a reply but was refused: " + ex.getMessage());
			}
			BsonDocument error = new BsonDocument("code", new BsonInt32(ex.getErrorCode()))
				.append("codeName", new BsonString(ex.getErrorCodeName()))
				.append("writeErrors", recorded.error().get("writeErrors"));
			return RelativeTimes.differences(recorded.error(), error, now);
		}
		if (recorded.fails()) {
			return List.of("recorded " + recorded.error() + " but was answered " + reply);
		}
		return RelativeTimes.differences(sorted(recorded.reply()), sorted(comparable(reply)), now);
	}

	/**
	 * The order of fields in a reply means nothing, in a document it does.
	 */
	private static BsonDocument sorted(BsonDocument reply) {
		BsonDocument sorted = new BsonDocument();
		reply.keySet().stream().sorted().forEach((name) -> {
			BsonValue value = reply.get(name);
			boolean structure = value.isDocument() && !name.equals("value");
			sorted.append(name, structure ? sorted(value.asDocument()) : value);
		});
		return sorted;
	}

	private static BsonDocument comparable(BsonDocument reply) {
		BsonDocument comparable = new BsonDocument();
		reply.forEach((name, value) -> {
			if (name.equals("writeErrors")) {
				comparable.append(name, new BsonArray(
						value.asArray().stream().map((error) -> only(error.asDocument(), "index", "code")).toList()));
			}
			else if (name.equals("writeConcernError")) {
				comparable.append(name, only(value.asDocument(), "code", "codeName"));
			}
			else if (!OF_REPLICA_SETS.contains(name)) {
				comparable.append(name, value);
			}
		});
		return comparable;
	}

	private static BsonDocument only(BsonDocument document, String... names) {
		BsonDocument result = new BsonDocument();
		for (String name : names) {
			result.append(name, document.get(name));
		}
		return result;
	}

}
