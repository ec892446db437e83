package io.mongolock.test.embedded;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoDatabase;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Replays which events of a change stream each statement of the locks caused on a real
 * replica set, on an embedded one of each version, and on the real one of
 * {@code SuiteServer} if there is one.
 */
class ChangeStreamReplayTests {

	private static final String T = "tttttttttttttttttttttttttttttttt";

	private static final String U = "uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu";

	private static final String V = "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv";

	private static List<ServerUnderTest> servers;

	@BeforeAll
	static void startServers() {
		servers = ServerUnderTest.start(Recording.REPLICA_SET_4_4, Recording.REPLICA_SET_5_0);
	}

	@AfterAll
	static void stopServers() {
		servers.forEach(ServerUnderTest::close);
	}

	static List<ServerUnderTest> servers() {
		return servers;
	}

	/**
	 * The statements of the steps, in their order: recorded ones for other holders.
	 */
	private static List<BsonDocument> statements(Recording recording) {
		Map<String, BsonDocument> recorded = recording.cases()
			.stream()
			.collect(Collectors.toMap(RecordedCase::name, RecordedCase::command));
		BsonDocument claim = recorded.get("acquire: no document");
		BsonDocument waiting = recorded.get("acquire: held, waiting, joins the line");
		BsonDocument refresh = recorded.get("refresh a place in the line");
		BsonDocument renew = recorded.get("renew: mine");
		BsonDocument release = recorded.get("release: mine");
		BsonDocument leave = recorded.get("leave the line");
		BsonDocument fast = recorded.get("fast claim: free");
		BsonDocument shared = recorded.get("acquire: shared beside shared");
		BsonDocument free = BsonDocument
			.parse("{update: 'locks', updates: [{q: {_id: 'k'}, u: {$set: {holders: []}}}]}");
		BsonDocument delete = BsonDocument.parse("{delete: 'locks', deletes: [{q: {_id: 'k'}, limit: 1}]}");
		BsonDocument drop = BsonDocument.parse("{drop: 'locks'}");
		return List.of(claim, of(U, claim), of(U, waiting), of(U, waiting), of(U, refresh), renew, of(V, release),
				release, of(U, claim), of(V, waiting), of(V, leave), free, fast, of(U, fast), release, shared,
				of(U, shared), release, delete, drop);
	}

	private static BsonDocument of(String token, BsonDocument statement) {
		return BsonDocument.parse(statement.toJson().replace(T, token));
	}

	@ParameterizedTest(autoCloseArguments = false)
	@MethodSource("servers")
	void eachStatementCausesTheRecordedEvents(ServerUnderTest server) {
		assumeReplicaSet(server);
		BsonDocument recording = recording(server).changeStream();
		Iterator<BsonDocument> statements = statements(recording(server)).iterator();
		EventStream stream = open(server);
		for (BsonValue step : recording.getArray("steps")) {
			awaitNextMillisecond(server);
			stream.database().runCommand(statements.next());
			BsonArray events = step.asDocument().getArray("events");
			assertThat(RelativeTimes.differences(events, stream.read(events.size()), new RelativeTimes.Span(0, 0)))
				.as(step.asDocument().getString("step").getValue())
				.isEmpty();
		}
		assertThat(statements).isExhausted();
		assertThat(stream.id()).as("the cursor after an invalidate").isZero();
	}

	@ParameterizedTest(autoCloseArguments = false)
	@MethodSource("servers")
	void aStreamOnWhichNothingHappensAnswersEmptyInTime(ServerUnderTest server) {
		assumeReplicaSet(server);
		BsonArray recorded = recording(server).changeStream()
			.getDocument("getMore, nothing happened for 200 ms")
			.getArray("batch");
		EventStream stream = open(server);
		long start = System.nanoTime();
		assertThat(stream.more(200)).isEqualTo(recorded);
		assertThat(System.nanoTime() - start).isGreaterThan(150_000_000L);
	}

	@ParameterizedTest(autoCloseArguments = false)
	@MethodSource("servers")
	void aKilledCursorIsNotFound(ServerUnderTest server) {
		assumeReplicaSet(server);
		EventStream stream = open(server);
		stream.database().runCommand(new Document("killCursors", "locks").append("cursors", List.of(stream.id())));
		assertFails(recording(server).changeStream().getDocument("getMore after killCursors"), () -> stream.more(200));
	}

	@ParameterizedTest(autoCloseArguments = false)
	@MethodSource("servers")
	void aTokenThatIsNoneIsRefused(ServerUnderTest server) {
		assumeReplicaSet(server);
		assertFails(recording(server).changeStream().getDocument("resume after a token that is not one"),
				() -> open(server, BsonDocument.parse("{resumeAfter: {_data: 'nonsense'}}")));
	}

	private static void assertFails(BsonDocument recorded, Runnable command) {
		assertThatExceptionOfType(MongoCommandException.class).isThrownBy(command::run).satisfies((ex) -> {
			assertThat(ex.getErrorCode()).isEqualTo(recorded.getInt32("code").getValue());
			assertThat(ex.getErrorCodeName()).isEqualTo(recorded.getString("codeName").getValue());
			assertThat(ex.getErrorLabels()).isEmpty();
		});
	}

	private static void assumeReplicaSet(ServerUnderTest server) {
		Assumptions.assumeTrue(server.isEmbedded() || server.recording() != Recording.STANDALONE_4_4,
				"a standalone server has no change streams");
		Assumptions.assumeTrue(server.isEmbedded() || server.recording() != Recording.SHARDED_4_4,
				"the events were recorded on replica sets");
	}

	/**
	 * What an embedded server is compared with is not left to what it says of itself.
	 */
	private static Recording recording(ServerUnderTest server) {
		if (!server.isEmbedded()) {
			return server.recording();
		}
		return (servers.indexOf(server) == 0) ? Recording.REPLICA_SET_4_4 : Recording.REPLICA_SET_5_0;
	}

	/**
	 * Two claims in one millisecond would be one change.
	 */
	private static void awaitNextMillisecond(ServerUnderTest server) {
		long now = server.now();
		await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(() -> server.now() > now);
	}

	private static EventStream open(ServerUnderTest server) {
		return open(server, new BsonDocument());
	}

	private static EventStream open(ServerUnderTest server, BsonDocument options) {
		MongoDatabase database = server.client().getDatabase("rec");
		database.getCollection("locks").drop();
		database.createCollection("locks");
		BsonDocument stage = new BsonDocument("$changeStream", options);
		BsonDocument reply = database.runCommand(
				new BsonDocument("aggregate", new BsonString("locks")).append("pipeline", new BsonArray(List.of(stage)))
					.append("cursor", new BsonDocument()),
				BsonDocument.class);
		assertThat(reply.getDocument("cursor").getArray("firstBatch")).isEmpty();
		assertThat(reply.getDocument("cursor")).containsKey("postBatchResumeToken");
		return new EventStream(database, reply.getDocument("cursor").getInt64("id").getValue());
	}

	/**
	 * An open change stream.
	 */
	private static final class EventStream {

		private final MongoDatabase database;

		private long id;

		private final List<BsonValue> unread = new ArrayList<>();

		private EventStream(MongoDatabase database, long id) {
			this.database = database;
			this.id = id;
		}

		private MongoDatabase database() {
			return this.database;
		}

		private long id() {
			return this.id;
		}

		private BsonArray read(int count) {
			await().pollDelay(Duration.ZERO).until(() -> {
				if (this.unread.size() < count) {
					this.unread.addAll(more(1_000));
				}
				return this.unread.size() >= count;
			});
			BsonArray events = new BsonArray(List.copyOf(this.unread.subList(0, count)));
			this.unread.subList(0, count).clear();
			return events;
		}

		private BsonArray more(int millis) {
			BsonDocument reply = this.database.runCommand(
					new BsonDocument("getMore", new BsonInt64(this.id)).append("collection", new BsonString("locks"))
						.append("maxTimeMS", new BsonInt32(millis)),
					BsonDocument.class);
			this.id = reply.getDocument("cursor").getInt64("id").getValue();
			BsonArray batch = reply.getDocument("cursor").getArray("nextBatch");
			batch.forEach(
					(event) -> List.of("_id", "clusterTime", "wallTime", "ns").forEach(event.asDocument()::remove));
			return batch;
		}

	}

}
