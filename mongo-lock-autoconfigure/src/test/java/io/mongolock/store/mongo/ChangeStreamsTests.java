package io.mongolock.store.mongo;

import java.time.Duration;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoNamespace;
import com.mongodb.MongoSocketReadException;
import com.mongodb.ReadPreference;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoCollection;
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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

/**
 * Tests for {@link ChangeStreams} on servers that offer none.
 */
@ExtendWith(OutputCaptureExtension.class)
class ChangeStreamsTests {

	private final MongoOperations template = mock();

	private final MongoDatabase database = mock(Mockito.RETURNS_SELF);

	private final MongoCollection<Document> documents = mock();

	private final MongoCollection<BsonDocument> locks = mock(Mockito.RETURNS_SELF);

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
		this.streams = new ChangeStreams(new LockCollection(this.template, "locks"), Duration.ofSeconds(6));
	}

	@Test
	void aShardedClusterIsTooLateToListenTo() {
		answerHello(new Document("msg", "isdbgrid"));
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(this::open);
		assertThat(this.streams.areRefused()).isTrue();
		then(this.locks).should(never()).aggregate(anyList());
	}

	@Test
	void aMissingPrivilegeIsSaidWithTheWayOut(CapturedOutput output) {
		failWith(failure(13, "Unauthorized"));
		assertThatExceptionOfType(MongoCommandException.class).isThrownBy(this::open);
		assertThat(this.streams.areRefused()).isTrue();
		assertThat(output).containsOnlyOnce("WARN")
			.contains("'locks'", "find and changeStream", "mongo-lock.notifications=off", "no, says the server");
	}

	@Test
	void aServerWithoutChangeStreamsIsNothingToWarnOf(CapturedOutput output) {
		failWith(failure(40573, "Location40573"));
		assertThatExceptionOfType(MongoCommandException.class).isThrownBy(this::open);
		assertThat(this.streams.areRefused()).isTrue();
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	void aTransientFailureIsNoRefusal() {
		failWith(failure(189, "PrimarySteppedDown"));
		assertThatExceptionOfType(MongoCommandException.class).isThrownBy(this::open);
		failWith(new MongoSocketReadException("cut", new ServerAddress()));
		assertThatExceptionOfType(MongoSocketReadException.class).isThrownBy(this::open);
		assertThat(this.streams.areRefused()).isFalse();
	}

	private void open() {
		this.streams.open(new LockStatements().releases());
	}

	private void answerHello(Document hello) {
		given(this.database.runCommand(any(Bson.class), any(ReadPreference.class), eq(BsonDocument.class)))
			.willReturn(BsonDocument.parse(hello.toJson()));
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
