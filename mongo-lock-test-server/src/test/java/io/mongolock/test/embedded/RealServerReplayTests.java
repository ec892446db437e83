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
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import io.mongolock.test.embedded.RelativeTimes.Span;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Replays what was recorded on a real server: the same statement on the same documents
 * must get the same answer and leave the same documents. Runs on embedded servers of each
 * kind, and on the real one of {@code SuiteServer} if there is one.
 */
class RealServerReplayTests {

	/**
	 * What the embedded server answers differently, by recording and case, and why that
	 * is no harm. A case that matches after all must leave this list.
	 */
	private static final Map<Recording, Map<String, String>> NOT_MATCHED = Map.of(Recording.SHARDED_4_4,
			Map.of("TTL index", "only a mongos answers with one reply per shard", //
					"TTL index again, same", "only a mongos answers with one reply per shard", //
					"collMod of the TTL", "only a mongos answers with one reply per shard"));

	private static final Set<String> OF_REPLICA_SETS = Set.of("$clusterTime", "operationTime", "electionId", "opTime");

	private static List<ServerUnderTest> servers;

	@BeforeAll
	static void startServers() {
		servers = ServerUnderTest.start(Recording.values());
	}

	@AfterAll
	static void stopServers() {
		servers.forEach(ServerUnderTest::close);
	}

	@TestFactory
	Stream<DynamicContainer> answersAsRecorded() {
		return servers.stream().map((server) -> {
			System.out.println("Replaying the recorded statements on " + server.description());
			// what an embedded server is compared with is not left to what it says of
			// itself
			Recording recording = server.isEmbedded() ? Recording.values()[servers.indexOf(server)]
					: server.recording();
			return DynamicContainer.dynamicContainer(recording.file(), recording.cases()
				.stream()
				.map((recorded) -> DynamicTest.dynamicTest(recorded.name(), () -> check(server, recording, recorded))));
		});
	}

	@Test
	void eachKindOfServerHasAllCasesRecorded() {
		assertThat(Recording.values()).allSatisfy((recording) -> assertThat(recording.cases()).hasSize(126)
			.extracting(RecordedCase::name)
			.doesNotHaveDuplicates());
	}

	private void check(ServerUnderTest server, Recording recording, RecordedCase recorded) {
		List<String> differences = replay(server, recorded);
		if (server.isEmbedded() && NOT_MATCHED.getOrDefault(recording, Map.of()).containsKey(recorded.name())) {
			assertThat(differences).as("matches now: remove it from NOT_MATCHED").isNotEmpty();
		}
		else {
			assertThat(differences).isEmpty();
		}
	}

	private List<String> replay(ServerUnderTest server, RecordedCase recorded) {
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
		awaitNextMillisecond(server, now);
		Answer answer = run(database, recorded.command());
		Span span = new Span(now, server.now());
		List<String> differences = differences(recorded, answer, span);
		BsonArray after = locks.find().sort(Sorts.ascending("_id")).into(new BsonArray());
		return Stream
			.concat(differences.stream(),
					RelativeTimes.differences(recorded.after(), after, span).stream().map((text) -> "after" + text))
			.toList();
	}

	// In the same one, a time that is set to now is not modified
	private static void awaitNextMillisecond(ServerUnderTest server, long now) {
		while (server.now() <= now) {
			Thread.onSpinWait();
		}
	}

	private static Answer run(MongoDatabase database, BsonDocument command) {
		try {
			return new Answer(database.runCommand(command, BsonDocument.class), null);
		}
		catch (MongoCommandException ex) {
			return new Answer(null, ex);
		}
	}

	private static List<String> differences(RecordedCase recorded, Answer answer, Span span) {
		MongoCommandException error = answer.error();
		if (recorded.fails() != (error != null)) {
			return List.of("recorded " + recorded.json() + " but was answered " + answer);
		}
		if (error != null) {
			BsonDocument found = new BsonDocument("code", new BsonInt32(error.getErrorCode()))
				.append("codeName", new BsonString(error.getErrorCodeName()))
				.append("writeErrors", recorded.error().get("writeErrors"));
			return RelativeTimes.differences(recorded.error(), found, span);
		}
		return RelativeTimes.differences(sorted(recorded.reply()), sorted(comparable(recorded.reply(), answer.reply())),
				span);
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

	/**
	 * Leave out of a reply what was not recorded because it differs from server to
	 * server.
	 */
	private static BsonDocument comparable(BsonDocument recorded, BsonDocument reply) {
		BsonDocument comparable = new BsonDocument();
		reply.forEach((name, value) -> {
			if (name.equals("writeErrors")) {
				comparable.append(name, new BsonArray(
						value.asArray().stream().map((error) -> only(error.asDocument(), "index", "code")).toList()));
			}
			else if (name.equals("writeConcernError")) {
				comparable.append(name, only(value.asDocument(), "code", "codeName"));
			}
			else if (name.equals("cursor") && !recorded.getDocument("cursor").containsKey("ns")) {
				BsonDocument cursor = value.asDocument().clone();
				cursor.remove("ns");
				comparable.append(name, cursor);
			}
			else if (name.equals("raw") && recorded.containsKey("raw")) {
				// one reply for each shard, under its name
				BsonDocument raw = new BsonDocument();
				value.asDocument()
					.values()
					.forEach((shard) -> raw.append(recorded.getDocument("raw").getFirstKey(), shard));
				comparable.append(name, raw);
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

	/**
	 * What a command was answered: one or the other.
	 *
	 * @param reply the reply
	 * @param error the error
	 */
	private record Answer(BsonDocument reply, MongoCommandException error) {
	}

}
