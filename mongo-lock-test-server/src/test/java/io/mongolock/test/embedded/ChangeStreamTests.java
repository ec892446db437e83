package io.mongolock.test.embedded;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.client.ChangeStreamIterable;
import com.mongodb.client.MongoChangeStreamCursor;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Aggregates;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.Updates;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import com.mongodb.client.model.changestream.FullDocument;
import com.mongodb.client.model.changestream.OperationType;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for change streams of an embedded replica set through the driver.
 */
@Timeout(60)
class ChangeStreamTests {

	/**
	 * What frees a place: whole arrays among the updated fields, without the date that
	 * claims and renewals set.
	 */
	private static final Bson FREES_A_PLACE = Aggregates
		.match(Filters.or(Filters.in("operationType", "delete", "invalidate"),
				Filters.and(Filters.eq("operationType", "update"),
						Filters.exists("updateDescription.updatedFields.touchedAt", false),
						Filters.or(Filters.exists("updateDescription.updatedFields.holders"),
								Filters.exists("updateDescription.updatedFields.queue")))));

	private final List<String> commands = new CopyOnWriteArrayList<>();

	private EmbeddedMongo server;

	private MongoClient client;

	private MongoCollection<Document> locks;

	@BeforeEach
	void start() {
		this.server = EmbeddedMongo.builder().replicaSet().start();
		this.client = MongoClients.create(MongoClientSettings.builder()
			.applyConnectionString(new ConnectionString(this.server.connectionString()))
			.addCommandListener(new CommandListener() {

				@Override
				public void commandStarted(CommandStartedEvent event) {
					ChangeStreamTests.this.commands.add(event.getCommandName());
				}

			})
			.build());
		this.locks = this.client.getDatabase("test").getCollection("locks");
	}

	@AfterEach
	void stop() {
		this.client.close();
		this.server.close();
	}

	@Test
	void aWaitingCursorIsWokenByAnEvent() throws Exception {
		this.locks.insertOne(lock());
		try (MongoChangeStreamCursor<ChangeStreamDocument<Document>> cursor = watch()) {
			CompletableFuture<ChangeStreamDocument<Document>> next = CompletableFuture.supplyAsync(cursor::next);
			awaitCommands("getMore", 1);
			release();
			// The wait for an event is longer than this
			ChangeStreamDocument<Document> event = next.get(30, TimeUnit.SECONDS);
			assertThat(event.getOperationType()).isEqualTo(OperationType.UPDATE);
			assertThat(event.getDocumentKey()).isEqualTo(BsonDocument.parse("{_id: 'k'}"));
			assertThat(event.getNamespace()).isEqualTo(this.locks.getNamespace());
			assertThat(event.getClusterTime()).isNotNull();
			assertThat(event.getUpdateDescription().getUpdatedFields()).isEqualTo(BsonDocument.parse("{holders: []}"));
			assertThat(this.commands).containsOnlyOnce("getMore");
		}
	}

	@Test
	void eventsThatAreHeldBackAreShownLater() {
		this.locks.insertOne(lock());
		try (MongoChangeStreamCursor<ChangeStreamDocument<Document>> cursor = this.locks.watch()
			.maxAwaitTime(10, TimeUnit.MILLISECONDS)
			.cursor()) {
			this.server.holdChangeEvents();
			release();
			assertThat(cursor.tryNext()).isNull();
			this.server.showChangeEvents();
			assertThat(cursor.next().getOperationType()).isEqualTo(OperationType.UPDATE);
		}
	}

	@Test
	void theServerFiltersEvents() {
		try (MongoChangeStreamCursor<ChangeStreamDocument<Document>> cursor = this.locks
			.watch(List.of(FREES_A_PLACE, Aggregates.project(Projections.include("documentKey", "operationType"))))
			.cursor()) {
			this.locks.insertOne(lock());
			this.locks.updateOne(Filters.and(Filters.eq("k"), Filters.eq("holders.token", "t")),
					Updates.combine(Updates.currentDate("holders.$.renewedAt"), Updates.currentDate("touchedAt")));
			this.locks.updateOne(Filters.eq("k"),
					List.of(Updates.set("holders", List.of()), Updates.set("touchedAt", "$$NOW")));
			MongoCollection<Document> others = this.client.getDatabase("test").getCollection("others");
			others.insertOne(new Document("_id", "other"));
			others.deleteOne(Filters.eq("other"));
			this.locks.updateOne(Filters.eq("k"), Updates.set("queue", List.of()));
			this.locks.deleteOne(Filters.eq("k"));
			ChangeStreamDocument<Document> update = cursor.next();
			assertThat(update.getOperationType()).isEqualTo(OperationType.UPDATE);
			assertThat(update.getDocumentKey()).isEqualTo(BsonDocument.parse("{_id: 'k'}"));
			assertThat(update.getUpdateDescription()).isNull();
			assertThat(cursor.next().getOperationType()).isEqualTo(OperationType.DELETE);
		}
	}

	@Test
	void aCursorKilledBetweenTwoLooksIsOpenedAgainByTheDriverWithoutLoss() {
		this.locks.insertOne(lock());
		try (MongoChangeStreamCursor<ChangeStreamDocument<Document>> cursor = watch()) {
			release();
			kill(cursor);
			assertThat(cursor.next().getOperationType()).isEqualTo(OperationType.UPDATE);
			assertThat(this.commands).containsSubsequence("aggregate", "killCursors", "getMore", "aggregate");
		}
	}

	@Test
	void aCursorKilledWhileItIsWaitedForEndsTheStream() {
		this.locks.insertOne(lock());
		try (MongoChangeStreamCursor<ChangeStreamDocument<Document>> cursor = watch()) {
			CompletableFuture<ChangeStreamDocument<Document>> next = CompletableFuture.supplyAsync(cursor::next);
			awaitCommands("getMore", 1);
			kill(cursor);
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> next.get(30, TimeUnit.SECONDS))
				.havingCause()
				.isInstanceOfSatisfying(MongoException.class, (ex) -> {
					assertThat(ex.getCode()).isEqualTo(237);
					assertThat(ex.getErrorLabels()).isEmpty();
				});
		}
	}

	private void kill(MongoChangeStreamCursor<?> cursor) {
		Document reply = this.client.getDatabase("test")
			.runCommand(
					new Document("killCursors", "locks").append("cursors", List.of(cursor.getServerCursor().getId())));
		assertThat(reply.getList("cursorsKilled", Long.class)).hasSize(1);
	}

	@Test
	void aClosedCursorIsGoneOnTheServer() {
		MongoChangeStreamCursor<ChangeStreamDocument<Document>> cursor = watch();
		long id = cursor.getServerCursor().getId();
		cursor.close();
		assertThat(this.commands).containsOnlyOnce("killCursors");
		assertThatExceptionOfType(MongoCommandException.class)
			.isThrownBy(() -> this.client.getDatabase("test")
				.runCommand(new Document("getMore", id).append("collection", "locks")))
			.satisfies((ex) -> assertThat(ex.getErrorCode()).isEqualTo(43));
	}

	@Test
	void aStreamResumesAfterATokenOrAtATime() {
		BsonDocument token;
		try (MongoChangeStreamCursor<ChangeStreamDocument<Document>> cursor = watch()) {
			this.locks.insertOne(new Document("_id", 1));
			this.locks.insertOne(new Document("_id", 2));
			token = cursor.next().getResumeToken();
		}
		assertThat(firstKey(this.locks.watch().resumeAfter(token))).isEqualTo(2);
		assertThat(firstKey(this.locks.watch().startAfter(token))).isEqualTo(2);
		assertThat(firstKey(this.locks.watch().startAtOperationTime(new BsonTimestamp(1, 1)))).isEqualTo(1);
	}

	@Test
	void aStreamThatHasSeenNothingStillKnowsWhereItStands() {
		BsonDocument token;
		try (MongoChangeStreamCursor<ChangeStreamDocument<Document>> cursor = this.locks.watch()
			.maxAwaitTime(1, TimeUnit.MILLISECONDS)
			.cursor()) {
			assertThat(cursor.tryNext()).isNull();
			token = cursor.getResumeToken();
		}
		this.locks.insertOne(new Document("_id", 1));
		assertThat(firstKey(this.locks.watch().resumeAfter(token))).isEqualTo(1);
	}

	private static int firstKey(ChangeStreamIterable<Document> stream) {
		try (MongoChangeStreamCursor<ChangeStreamDocument<Document>> cursor = stream.cursor()) {
			return cursor.next().getDocumentKey().getInt32("_id").getValue();
		}
	}

	@Test
	void aDroppedCollectionEndsTheStream() {
		this.locks.insertOne(lock());
		List<OperationType> types = new ArrayList<>();
		BsonDocument token = null;
		try (MongoChangeStreamCursor<ChangeStreamDocument<Document>> cursor = watch()) {
			this.client.getDatabase("test").drop();
			while (cursor.hasNext()) {
				ChangeStreamDocument<Document> event = cursor.next();
				types.add(event.getOperationType());
				token = event.getResumeToken();
			}
		}
		assertThat(types).containsExactly(OperationType.DROP, OperationType.INVALIDATE);
		BsonDocument invalidate = token;
		assertThatExceptionOfType(MongoCommandException.class)
			.isThrownBy(() -> this.locks.watch().resumeAfter(invalidate).cursor())
			.satisfies((ex) -> assertThat(ex.getErrorCode()).isEqualTo(260));
		this.locks.insertOne(new Document("_id", 3));
		assertThat(firstKey(this.locks.watch().startAfter(invalidate))).isEqualTo(3);
	}

	@Test
	void anUpdateMayBringTheDocumentAsItIsNow() {
		this.locks.insertOne(lock());
		try (MongoChangeStreamCursor<ChangeStreamDocument<Document>> cursor = this.locks.watch()
			.fullDocument(FullDocument.UPDATE_LOOKUP)
			.cursor()) {
			release();
			this.locks.updateOne(Filters.eq("k"), Updates.set("x", 1));
			assertThat(cursor.next().getFullDocument()).containsEntry("holders", List.of()).containsEntry("x", 1);
		}
	}

	@Test
	void aPipelineMustLeaveTheTokenInPlace() {
		this.locks.insertOne(lock());
		try (MongoChangeStreamCursor<ChangeStreamDocument<Document>> cursor = this.locks
			.watch(List.of(Aggregates.project(Projections.excludeId())))
			.cursor()) {
			release();
			assertThatExceptionOfType(MongoException.class).isThrownBy(cursor::next)
				.satisfies((ex) -> assertThat(ex.getCode()).isEqualTo(280));
		}
	}

	@Test
	void streamsThatTheEmbeddedServerCannotOpenAreRefused() {
		assertRefused(this.client.getDatabase("test").watch(), 72);
		assertRefused(this.locks.watch(List.of(Aggregates.count())), 20);
		assertRefused(this.locks.watch().fullDocument(FullDocument.REQUIRED), 2);
		assertRefused(this.locks.watch().showExpandedEvents(true), 40415);
		assertRefused(this.locks.watch().resumeAfter(new BsonDocument("x", new BsonString("y"))), 40647);
	}

	@Test
	void aStandaloneServerHasNoStreams() {
		try (EmbeddedMongo standalone = EmbeddedMongo.start();
				MongoClient other = MongoClients.create(standalone.connectionString())) {
			assertRefused(other.getDatabase("test").getCollection("locks").watch(), 40573);
		}
	}

	private static void assertRefused(ChangeStreamIterable<Document> stream, int code) {
		assertThatExceptionOfType(MongoCommandException.class).isThrownBy(stream::cursor)
			.satisfies((ex) -> assertThat(ex.getErrorCode()).isEqualTo(code));
	}

	private MongoChangeStreamCursor<ChangeStreamDocument<Document>> watch() {
		return this.locks.watch().maxAwaitTime(1, TimeUnit.MINUTES).cursor();
	}

	private void awaitCommands(String name, int count) {
		await().atMost(Duration.ofSeconds(30))
			.until(() -> this.commands.stream().filter(name::equals).count() == count);
	}

	private void release() {
		this.locks.updateOne(Filters.eq("k"), Updates.pull("holders", new Document("token", "t")));
	}

	private static Document lock() {
		return new Document("_id", "k").append("holders", List.of(new Document("token", "t")))
			.append("queue", List.of(new Document("token", "u")));
	}

}
