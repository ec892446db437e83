package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoNamespace;
import com.mongodb.MongoSocketReadException;
import com.mongodb.ReadPreference;
import com.mongodb.ServerAddress;
import com.mongodb.client.AggregateIterable;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.MongoDatabase;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.ArgumentMatchers;
import org.mockito.Mockito;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.mongodb.core.CollectionCallback;
import org.springframework.data.mongodb.core.DbCallback;
import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.LockClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willReturn;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

/**
 * Tests for {@link ChangeStreams} on servers that offer none, or not always.
 */
@ExtendWith(OutputCaptureExtension.class)
class ChangeStreamsTests {

	private final MongoOperations template = mock();

	private final MongoDatabase database = mock(Mockito.RETURNS_SELF);

	private final MongoCollection<Document> documents = mock();

	private final MongoCollection<BsonDocument> locks = mock(Mockito.RETURNS_SELF);

	private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);

	private final LockClock clock = new LockClock() {

		@Override
		public long nanoTime() {
			return ChangeStreamsTests.this.nanos.get();
		}

		@Override
		public long currentTimeMillis() {
			return 0;
		}

	};

	private ChangeStreams streams;

	@BeforeEach
	void wire() {
		given(this.documents.withDocumentClass(BsonDocument.class)).willReturn(this.locks);
		given(this.template.execute(anyString(), ArgumentMatchers.<CollectionCallback<Object>>any()))
			.willAnswer((call) -> call.<CollectionCallback<Object>>getArgument(1).doInCollection(this.documents));
		given(this.template.execute(ArgumentMatchers.<DbCallback<Object>>any()))
			.willAnswer((call) -> call.<DbCallback<Object>>getArgument(0).doInDB(this.database));
		given(this.locks.getNamespace()).willReturn(new MongoNamespace("shop.locks"));
		answerHello(new Document("setName", "rs"));
		this.streams = new ChangeStreams(new PrimaryCollection(this.template, "locks", this.clock),
				new LockStatements().releases(), Duration.ofSeconds(6), "they look", this.clock);
	}

	@Test
	void aShardedClusterIsTooLateToListenTo() {
		answerHello(new Document("msg", "isdbgrid"));
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(this::open);
		assertThat(this.streams.pause()).isPositive();
		then(this.locks).should(never()).aggregate(anyList());
	}

	@Test
	void aMissingPrivilegeIsSaidWithTheWayOut(CapturedOutput output) {
		failWith(failure(13, "Unauthorized"));
		assertThatExceptionOfType(MongoCommandException.class).isThrownBy(this::open);
		assertThat(this.streams.pause()).isPositive();
		assertThat(output).containsOnlyOnce("WARN")
			.contains("'locks'", "find and changeStream", "mongo-lock.notifications=off", "no, says the server");
	}

	@Test
	void theServerIsAskedAgainAfterAPauseThatGrowsToAMinute() {
		failWith(failure(13, "Unauthorized"));
		Duration longest = Duration.ofSeconds(1);
		for (int refusals = 1; refusals < 10; refusals++) {
			assertThatExceptionOfType(MongoCommandException.class).isThrownBy(this::open);
			assertThat(this.streams.pause()).isBetween(longest.dividedBy(2), longest);
			this.nanos.addAndGet(this.streams.pause().toNanos() - 1);
			assertThat(this.streams.pause()).isPositive();
			this.nanos.incrementAndGet();
			assertThat(this.streams.pause()).isZero();
			longest = (refusals < 6) ? longest.multipliedBy(2) : Duration.ofMinutes(1);
		}
	}

	@Test
	void theEndOfARowOfRefusalsIsLoggedAndTheNextRowBeginsAnew(CapturedOutput output) {
		failWith(failure(13, "Unauthorized"));
		assertThatExceptionOfType(MongoCommandException.class).isThrownBy(this::open);
		assertThatExceptionOfType(MongoCommandException.class).isThrownBy(this::open);
		assertThat(output).containsOnlyOnce("WARN").doesNotContain("INFO");
		work();
		open();
		open();
		assertThat(output).containsOnlyOnce("INFO").contains("no longer refuses");
		assertThat(this.streams.pause()).isZero();
		failWith(failure(13, "Unauthorized"));
		assertThatExceptionOfType(MongoCommandException.class).isThrownBy(this::open);
		assertThat(this.streams.pause()).isLessThanOrEqualTo(Duration.ofSeconds(1));
		assertThat(output.toString().split("WARN")).hasSize(3);
	}

	@Test
	void aServerThatIsShardedNoLongerIsListenedTo() {
		answerHello(new Document("msg", "isdbgrid"));
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(this::open);
		answerHello(new Document("setName", "rs"));
		work();
		this.nanos.addAndGet(Duration.ofMinutes(1).toNanos());
		open();
		assertThat(this.streams.pause()).isZero();
	}

	@Test
	void aServerWithoutChangeStreamsIsNothingToWarnOf(CapturedOutput output) {
		failWith(failure(40573, "Location40573"));
		assertThatExceptionOfType(MongoCommandException.class).isThrownBy(this::open);
		assertThat(this.streams.pause()).isPositive();
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	void aTransientFailureIsNoRefusal() {
		failWith(failure(189, "PrimarySteppedDown"));
		assertThatExceptionOfType(MongoCommandException.class).isThrownBy(this::open);
		failWith(new MongoSocketReadException("cut", new ServerAddress()));
		assertThatExceptionOfType(MongoSocketReadException.class).isThrownBy(this::open);
		assertThat(this.streams.pause()).isZero();
	}

	private void open() {
		this.streams.open();
	}

	private void answerHello(Document hello) {
		given(this.database.runCommand(any(Bson.class), any(ReadPreference.class), eq(BsonDocument.class)))
			.willReturn(BsonDocument.parse(hello.toJson()));
	}

	@SuppressWarnings("unchecked")
	private void work() {
		AggregateIterable<BsonDocument> events = mock(Mockito.RETURNS_SELF);
		given(events.cursor()).willReturn(mock(MongoCursor.class));
		willReturn(events).given(this.locks).aggregate(anyList());
	}

	private void failWith(RuntimeException failure) {
		willThrow(failure).given(this.locks).aggregate(anyList());
	}

	private static MongoCommandException failure(int code, String name) {
		return new MongoCommandException(new BsonDocument("ok", new BsonInt32(0)).append("code", new BsonInt32(code))
			.append("codeName", new BsonString(name))
			.append("errmsg", new BsonString("no, says the server")), new ServerAddress());
	}

}
