package io.mongolock.test.embedded;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import com.mongodb.client.MongoDatabase;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;

import static org.awaitility.Awaitility.await;

/**
 * One statement in the life of a lock, whose events on a change stream were recorded.
 *
 * @param name says what happens
 * @param statement a recorded one, or one for another holder
 */
record ChangeStreamStep(String name, BsonDocument statement) {

	private static final String T = "tttttttttttttttttttttttttttttttt";

	private static final String U = "uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu";

	private static final String V = "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv";

	/**
	 * All of them, in the order in which they happen.
	 */
	static List<ChangeStreamStep> all() {
		Map<String, BsonDocument> recorded = Recording.statements()
			.stream()
			.collect(Collectors.toMap((statement) -> statement.getString("name").getValue(), Function.identity()));
		Function<String, BsonDocument> named = (name) -> recorded.get(name).getDocument("command");
		BsonDocument claim = named.apply("acquire: no document");
		BsonDocument waiting = named.apply("acquire: held, waiting, joins the queue");
		BsonDocument fast = named.apply("fast claim: free");
		BsonDocument shared = named.apply("acquire: shared beside shared");
		BsonDocument release = named.apply("release: mine");
		return List.of(new ChangeStreamStep("claim: granted, new document", claim), //
				new ChangeStreamStep("claim: denied, nothing changes", of(U, claim)), //
				new ChangeStreamStep("claim: denied, enters the queue", of(U, waiting)), //
				new ChangeStreamStep("claim: denied, refreshes its place", of(U, waiting)), //
				new ChangeStreamStep("refresh a place in the queue",
						of(U, named.apply("refresh a place in the queue"))), //
				new ChangeStreamStep("renewal", named.apply("renew: mine")), //
				new ChangeStreamStep("release that finds nothing", of(V, release)), //
				new ChangeStreamStep("release", release), //
				new ChangeStreamStep("claim: granted from the queue", of(U, claim)), //
				new ChangeStreamStep("a second waiter enters", of(V, waiting)), //
				new ChangeStreamStep("leave the queue", of(V, named.apply("leave the queue"))), //
				new ChangeStreamStep("freed by force",
						BsonDocument.parse("{update: 'locks', updates: [{q: {_id: 'k'}, u: {$set: {holders: []}}}]}")), //
				new ChangeStreamStep("fast claim: granted", fast), //
				new ChangeStreamStep("fast claim: denied", of(U, fast)), //
				new ChangeStreamStep("release", release), //
				new ChangeStreamStep("claim: shared, one", shared), //
				new ChangeStreamStep("claim: shared, two", of(U, shared)), //
				new ChangeStreamStep("release of one of two", release), //
				new ChangeStreamStep("release of the other", of(U, release)), //
				new ChangeStreamStep("fast claim: granted, lingers", named.apply("fast claim: lingers")), //
				new ChangeStreamStep("claim: denied, enters the queue, recalls", of(U, waiting)), //
				new ChangeStreamStep("a second waiter enters, recalled before", of(V, waiting)), //
				new ChangeStreamStep("release after the recall", release), //
				new ChangeStreamStep("claim: granted from the queue, lingers", of(U, named.apply("acquire: lingers"))), //
				new ChangeStreamStep("claim: denied, refreshes its place, recalls the next", of(V, waiting)), //
				new ChangeStreamStep("release", of(U, release)), //
				new ChangeStreamStep("the document is deleted",
						BsonDocument.parse("{delete: 'locks', deletes: [{q: {_id: 'k'}, limit: 1}]}")), //
				new ChangeStreamStep("collection dropped", BsonDocument.parse("{drop: 'locks'}")));
	}

	void run(ServerUnderTest server) {
		// Two claims in one millisecond would be one change
		server.awaitNextMillisecond(server.now());
		server.client().getDatabase("rec").runCommand(this.statement);
	}

	private static BsonDocument of(String token, BsonDocument statement) {
		return BsonDocument.parse(statement.toJson().replace(T, token));
	}

	/**
	 * An open change stream of all that happens.
	 */
	static final class Events {

		private final MongoDatabase database;

		private long id;

		private final List<BsonValue> unread = new ArrayList<>();

		private Events(MongoDatabase database, long id) {
			this.database = database;
			this.id = id;
		}

		static Events open(ServerUnderTest server) {
			MongoDatabase database = server.client().getDatabase("rec");
			database.getCollection("locks").drop();
			database.createCollection("locks");
			BsonDocument reply = database.runCommand(
					BsonDocument.parse("{aggregate: 'locks', pipeline: [{$changeStream: {}}], cursor: {}}"),
					BsonDocument.class);
			return new Events(database, reply.getDocument("cursor").getInt64("id").getValue());
		}

		boolean isOpen() {
			return this.id != 0;
		}

		BsonArray read(int count) {
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

		/**
		 * The events until nothing happens any more.
		 */
		BsonArray readAll() {
			BsonArray events = new BsonArray();
			BsonArray batch;
			do {
				batch = isOpen() ? more(1_000) : new BsonArray();
				events.addAll(batch);
			}
			while (!batch.isEmpty());
			return events;
		}

		BsonArray more(int millis) {
			return more(getMore().append("maxTimeMS", new BsonInt32(millis)));
		}

		BsonArray more() {
			return more(getMore());
		}

		private BsonDocument getMore() {
			return new BsonDocument("getMore", new BsonInt64(this.id)).append("collection", new BsonString("locks"));
		}

		private BsonArray more(BsonDocument command) {
			BsonDocument cursor = this.database.runCommand(command, BsonDocument.class).getDocument("cursor");
			this.id = cursor.getInt64("id").getValue();
			BsonArray batch = cursor.getArray("nextBatch");
			batch.forEach(
					(event) -> List.of("_id", "clusterTime", "wallTime", "ns").forEach(event.asDocument()::remove));
			return batch;
		}

	}

}
