package io.mongolock.test.embedded;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import com.mongodb.ClientSessionOptions;
import com.mongodb.MongoCommandException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.Sorts;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;

import io.mongolock.test.embedded.RelativeTimes.Span;

/**
 * A recorded statement, run once more on the documents it was recorded on.
 *
 * @param answer what came of it, as far as it is the same each time: {@code reply} or
 * {@code error}, and {@code after}
 * @param span when it ran
 */
record Replay(BsonDocument answer, Span span) {

	private static final Set<String> OF_REPLICA_SETS = Set.of("$clusterTime", "operationTime", "electionId", "opTime");

	/** Names of this server. */
	private static final Set<String> NAMES = Set.of("setName", "me", "primary", "version");

	private static final BsonString CURSOR = new BsonString("$$cursor");

	private static final BsonString NUMBER = new BsonString("$$number");

	private static final BsonString ANY = new BsonString("any");

	private static final ClientSessionOptions OPTIONS = ClientSessionOptions.builder()
		.causallyConsistent(false)
		.build();

	static Replay of(RecordedCase recorded, ServerUnderTest server) {
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
		server.awaitNextMillisecond(now);
		BsonDocument answer = run(server, database, recorded);
		Span span = new Span(now, server.now());
		return new Replay(answer.append("after", locks.find().sort(Sorts.ascending("_id")).into(new BsonArray())),
				span);
	}

	private static BsonDocument run(ServerUnderTest server, MongoDatabase database, RecordedCase recorded) {
		BsonDocument reply = new BsonDocument();
		// Of a retryable write, higher than any that the session may have had
		Map<BsonValue, BsonValue> names = new HashMap<>(Map.of(NUMBER, new BsonInt64(System.nanoTime())));
		try (ClientSession session = server.client().startSession(OPTIONS)) {
			for (BsonDocument command : recorded.commands()) {
				reply = database.runCommand(session, named(names, command).asDocument(), BsonDocument.class);
				if (reply.containsKey("cursor")) {
					names.put(CURSOR, reply.getDocument("cursor").get("id"));
				}
			}
			return new BsonDocument("reply", comparable(reply, recorded.keeps()));
		}
		catch (MongoCommandException ex) {
			return new BsonDocument("error", new BsonDocument("code", new BsonInt32(ex.getErrorCode()))
				.append("codeName", new BsonString(ex.getErrorCodeName())));
		}
	}

	/**
	 * Puts in what a statement only names, for example the cursor of an answer before it.
	 */
	static BsonValue named(Map<BsonValue, BsonValue> names, BsonValue value) {
		if (value instanceof BsonDocument document) {
			BsonDocument named = new BsonDocument();
			document.forEach((name, field) -> named.append(name, named(names, field)));
			return named;
		}
		if (value instanceof BsonArray array) {
			return new BsonArray(array.stream().map((each) -> named(names, each)).toList());
		}
		return names.getOrDefault(value, value);
	}

	/**
	 * Leaves out of a reply what differs from server to server.
	 */
	static BsonDocument comparable(BsonDocument reply, List<String> keeps) {
		BsonDocument comparable = new BsonDocument();
		reply.forEach((name, value) -> {
			if (!OF_REPLICA_SETS.contains(name) && (keeps.isEmpty() || keeps.contains(name))) {
				comparable.append(name, comparable(name, value));
			}
		});
		return comparable;
	}

	private static BsonValue comparable(String name, BsonValue value) {
		return switch (name) {
			case "writeErrors" -> new BsonArray(
					value.asArray().stream().map((error) -> only(error.asDocument(), "index", "code")).toList());
			case "writeConcernError" -> only(value.asDocument(), "code", "codeName");
			case "cursor" -> cursor(value.asDocument());
			// One reply for each shard, under its name
			case "raw" -> new BsonArray(List.copyOf(value.asDocument().values()));
			default -> NAMES.contains(name) ? ANY : value;
		};
	}

	private static BsonDocument cursor(BsonDocument cursor) {
		BsonDocument comparable = cursor.clone();
		if (cursor.getNumber("id").longValue() != 0) {
			comparable.put("id", ANY);
		}
		comparable.computeIfPresent("postBatchResumeToken", (name, token) -> ANY);
		for (String batch : new String[] { "firstBatch", "nextBatch" }) {
			comparable.getArray(batch, new BsonArray())
				.stream()
				.map(BsonValue::asDocument)
				.filter((each) -> each.get("_id") instanceof BsonDocument id && id.containsKey("_data"))
				.forEach((event) -> event.put("_id", ANY));
		}
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
	 * The differences from what was recorded.
	 */
	List<String> differences(BsonDocument recorded) {
		return RelativeTimes.differences(sorted(recorded), sorted(this.answer), this.span);
	}

	/**
	 * The order of fields in a reply means nothing, in a document it does.
	 */
	static BsonDocument sorted(BsonDocument reply) {
		BsonDocument sorted = new BsonDocument();
		reply.keySet().stream().sorted().forEach((name) -> {
			BsonValue value = reply.get(name);
			boolean structure = value.isDocument() && !name.equals("value");
			sorted.append(name, structure ? sorted(value.asDocument()) : value);
		});
		return sorted;
	}

}
