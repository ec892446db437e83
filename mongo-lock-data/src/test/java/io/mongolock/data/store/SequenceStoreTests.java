package io.mongolock.data.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoNodeIsRecoveringException;
import com.mongodb.MongoNotPrimaryException;
import com.mongodb.MongoSocketException;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import org.assertj.core.api.ThrowableAssert;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.conversions.Bson;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mockito.ArgumentMatchers;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.data.mongodb.core.DbCallback;
import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.data.SequenceSettings;
import io.mongolock.data.Sequences;
import io.mongolock.store.mongo.CommandLog;
import io.mongolock.store.mongo.RecordedCommands;
import io.mongolock.store.mongo.TestTemplates;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.proxy.FaultProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link SequenceStore}: what it sends, and what it makes of failures.
 */
@Timeout(60)
class SequenceStoreTests {

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.start();

	@AutoClose
	private final FaultProxy proxy = FaultProxy.to("127.0.0.1", this.server.port());

	private final CommandLog log = new CommandLog();

	@AutoClose
	private final MongoClient client = this.log.connect(this.server.connectionString());

	@Test
	void theStatementsAreThoseThatWereProvedOnARealServer() {
		SequenceStore store = store(this.client, "", Duration.ofSeconds(5));
		for (String first : new String[] { "sequence: first", "sequence: next block" }) {
			store.take("invoice", 50);
			assertThat(sent()).isEqualTo(recorded(first));
		}
		store.raise("invoice", 1000);
		assertThat(sent()).isEqualTo(recorded("sequence: raise to at least"));
	}

	@Test
	void theMajorityConfirmsInTimeAndTheValueIsALongFromTheStart() {
		store(this.client, "app:", Duration.ofSeconds(5)).take("invoice", 1);
		BsonDocument command = this.log.only();
		assertThat(command.getDocument("writeConcern")).isEqualTo(BsonDocument.parse("{w: 'majority'}"));
		assertThat(command.getDocument("query")).isEqualTo(BsonDocument.parse("{_id: 'app:invoice'}"));
		assertThat(command.getNumber("maxTimeMS").longValue()).isBetween(1L, 5000L);
		assertThat(command.getDocument("update").getDocument("$inc").get("value")).isEqualTo(new BsonInt64(1));
	}

	@Test
	void aLostAnswerIsAGapAndOtherNumbersAreTaken() {
		try (MongoClient behind = TestTemplates.impatient(this.proxy.connectionString() + "&retryWrites=false")) {
			SequenceStore store = store(behind, "", Duration.ofSeconds(20));
			assertThat(store.take("invoice", 10)).isEqualTo(10);
			this.proxy.on("findAndModify").cutBeforeReply().once();
			assertThat(store.take("invoice", 10)).isEqualTo(30);
		}
	}

	@Test
	void aServerThatStepsDownIsAskedAgain() {
		for (RuntimeException failure : List.of(
				new MongoNotPrimaryException(BsonDocument.parse("{ok: 0, code: 10107}"), new ServerAddress()),
				new MongoNodeIsRecoveringException(BsonDocument.parse("{ok: 0, code: 91}"), new ServerAddress()),
				new MongoSocketException("it is gone", new ServerAddress()))) {
			assertThat(failingOnce(failure).take("invoice", 10)).as(failure.toString()).isEqualTo(10);
		}
	}

	@Test
	void aCallThatWaitsForTheBlockOfAnotherThreadFailsAfterTheTimeoutOfTheStore() throws Exception {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		SequenceStore store = Mockito.mock();
		BDDMockito.given(store.timeout()).willReturn(Duration.ofMillis(10));
		BDDMockito.given(store.take("invoice", 50)).willAnswer((call) -> {
			asked.countDown();
			goOn.await();
			return 50L;
		});
		Sequences sequences = Sequences.of(store, Map.of("invoice", new SequenceSettings(50, 1)));
		CompletableFuture<Long> first = CompletableFuture.supplyAsync(() -> sequences.next("invoice"));
		asked.await();
		assertThatExceptionOfType(DataAccessResourceFailureException.class).isThrownBy(() -> sequences.next("invoice"))
			.withMessageContaining("another thread has waited 10 ms for MongoDB");
		goOn.countDown();
		assertThat(first.join()).isOne();
	}

	@Test
	void aSilentServerIsToldInTimeWithTheNameAndThatAskingAgainIsSafe() {
		try (MongoClient behind = TestTemplates.impatient(this.proxy.connectionString())) {
			SequenceStore store = store(behind, "", Duration.ofMillis(300));
			this.proxy.on("findAndModify").dropReply().always();
			assertThatExceptionOfType(DataAccessResourceFailureException.class)
				.isThrownBy(() -> store.take("invoice", 10))
				.withMessageContaining("Could not take 10 numbers of sequence 'invoice' within 300 ms")
				.withMessageContaining("they leave a gap. It is safe to ask again")
				.withCauseInstanceOf(RuntimeException.class);
		}
	}

	@Test
	void theFailureOfAnUnsentRequestSaysThatAskingAgainIsSafe() {
		try (MongoClient nowhere = TestTemplates
			.impatient("mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=50&connectTimeoutMS=50")) {
			assertThatExceptionOfType(DataAccessResourceFailureException.class)
				.isThrownBy(() -> store(nowhere, "", Duration.ofMillis(300)).take("invoice", 10))
				.withMessageContaining("(collection 'sequences')")
				.withMessageEndingWith(". It is safe to ask again")
				.satisfies((ex) -> assertThat(ex).message().doesNotContain("gap"));
		}
	}

	@Test
	void aRefusalNamesTheCollectionOnce() {
		MongoCommandException refused = new MongoCommandException(
				BsonDocument.parse("{ok: 0, code: 13, codeName: 'Unauthorized', errmsg: 'not authorized'}"),
				new ServerAddress());
		assertThat(failing(refused)).isInstanceOf(DataAccessResourceFailureException.class)
			.hasMessageNotContaining("gap")
			.message()
			.containsOnlyOnce("'sequences'");
	}

	@Test
	void theEndOfTheNumbersIsSaidAsMongoDbSaysIt() {
		MongoCommandException end = new MongoCommandException(
				BsonDocument.parse("{ok: 0, code: 2, codeName: 'BadValue', errmsg: 'Failed to apply $inc'}"),
				new ServerAddress());
		assertThat(failing(end)).isInstanceOf(DataIntegrityViolationException.class)
			.hasMessageContaining("Nothing was changed")
			.hasMessageContaining("MongoDB says: ")
			.hasMessageContaining("Failed to apply $inc");
	}

	private static Throwable failing(RuntimeException failure) {
		return ThrowableAssert.catchThrowable(() -> failingOnce(failure).take("invoice", 10));
	}

	@SuppressWarnings("unchecked")
	private static SequenceStore failingOnce(RuntimeException failure) {
		MongoCollection<BsonDocument> documents = Mockito.mock(MongoCollection.class, Mockito.RETURNS_SELF);
		BDDMockito.given(documents.withDocumentClass(BsonDocument.class)).willReturn(documents);
		BDDMockito.willThrow(failure)
			.willReturn(BsonDocument.parse("{value: 10}"))
			.given(documents)
			.findOneAndUpdate(ArgumentMatchers.any(Bson.class), ArgumentMatchers.any(Bson.class),
					ArgumentMatchers.any());
		MongoOperations template = Mockito.mock();
		BDDMockito.given(template.execute(ArgumentMatchers.anyString(), ArgumentMatchers.any())).willReturn(documents);
		BDDMockito.given(template.execute(ArgumentMatchers.<DbCallback<Object>>any()))
			.willReturn(Mockito.mock(MongoDatabase.class));
		return new SequenceStore(template, "sequences", "", Duration.ofSeconds(20));
	}

	private BsonDocument sent() {
		BsonDocument sent = RecordedCommands.essence(this.log.only());
		this.log.clear();
		return sent;
	}

	private static BsonDocument recorded(String name) {
		return RecordedCommands.essence(RecordedCommands.read().get(name));
	}

	private static SequenceStore store(MongoClient client, String prefix, Duration timeout) {
		return new SequenceStore(TestTemplates.template(client), "sequences", prefix, timeout);
	}

}
