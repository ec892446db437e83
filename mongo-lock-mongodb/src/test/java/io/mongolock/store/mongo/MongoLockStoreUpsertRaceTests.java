package io.mongolock.store.mongo;

import java.time.Duration;

import com.mongodb.MongoCommandException;
import com.mongodb.ReadPreference;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;
import org.mockito.ArgumentMatchers;
import org.mockito.Mockito;
import org.mockito.stubbing.OngoingStubbing;
import org.springframework.data.mongodb.core.CollectionCallback;
import org.springframework.data.mongodb.core.DbCallback;
import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.LockOwner;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.store.Claim;
import io.mongolock.store.LeaseId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * Tests for {@link MongoLockStore} when MongoDB 4.4 answers an upsert race with an error.
 */
class MongoLockStoreUpsertRaceTests {

	private static final Claim CLAIM = Claim.of(new LeaseId("key", "token"), new LockOwner("", "", "", 1, ""),
			Duration.ofSeconds(30));

	private static final BsonDocument DENIED = BsonDocument.parse("{value: {now: {$date: 0}, holders: []}}");

	private final MongoOperations template = mock();

	private final MongoCollection<Document> documents = mock();

	private final MongoCollection<BsonDocument> locks = mock(Mockito.RETURNS_SELF);

	private final MongoDatabase database = mock(Mockito.RETURNS_SELF);

	private MongoLockStore store;

	@BeforeEach
	void wire() {
		given(this.documents.withDocumentClass(BsonDocument.class)).willReturn(this.locks);
		given(this.template.execute(ArgumentMatchers.<DbCallback<Object>>any())).willReturn(mock(MongoDatabase.class));
		given(this.template.execute(eq("locks"), ArgumentMatchers.<CollectionCallback<Object>>any()))
			.willAnswer((call) -> call.<CollectionCallback<Object>>getArgument(1).doInCollection(this.documents));
		given(this.template.execute(ArgumentMatchers.<DbCallback<Object>>any()))
			.willAnswer((call) -> call.<DbCallback<Object>>getArgument(0).doInDB(this.database));
		this.store = new MongoLockStore(this.template, "locks", "");
	}

	@Test
	void anUpsertRaceIsAskedAgainAtOnce() {
		losing(4).thenReturn(DENIED);
		assertThat(this.store.acquire(CLAIM, Duration.ofSeconds(3)).lock().holders()).isEmpty();
		verify(this.database, times(5)).runCommand(any(BsonDocument.class), eq(ReadPreference.primary()),
				eq(BsonDocument.class));
	}

	@Test
	void anUpsertRaceThatNeverEndsIsNotExecuted() {
		losing(5).thenReturn(DENIED);
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.store.acquire(CLAIM, Duration.ofSeconds(3)))
			.satisfies((ex) -> assertThat(ex.getOutcome()).isEqualTo(Outcome.NOT_EXECUTED));
	}

	@Test
	void aRepetitionTakesNoMoreThanTheRestOfTheTimeout() {
		losing(2).thenReturn(DENIED);
		this.store.acquire(CLAIM, Duration.ofSeconds(3));
		ArgumentCaptor<Long> timeouts = ArgumentCaptor.captor();
		verify(this.database, atLeastOnce()).withTimeout(timeouts.capture(), any());
		assertThat(timeouts.getAllValues()).isSortedAccordingTo((one, other) -> Long.compare(other, one))
			.allSatisfy((timeout) -> assertThat(timeout).isBetween(1L, 3000L));
	}

	@Test
	void anAnswerWithoutTimeAsksForALaterServer() {
		losing(0).thenReturn(BsonDocument.parse("{value: {holders: []}}"));
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.store.acquire(CLAIM, Duration.ofSeconds(3)))
			.withMessageContaining("4.4 or later")
			.satisfies((ex) -> assertThat(ex.getOutcome()).isEqualTo(Outcome.REFUSED));
		verify(this.database, times(1)).withTimeout(anyLong(), any());
	}

	private OngoingStubbing<BsonDocument> losing(int times) {
		OngoingStubbing<BsonDocument> stubbing = Mockito.when(this.database.runCommand(any(BsonDocument.class),
				eq(ReadPreference.primary()), eq(BsonDocument.class)));
		for (int i = 0; i < times; i++) {
			stubbing = stubbing.thenThrow(new MongoCommandException(
					BsonDocument.parse("{ok: 0, code: 11000, codeName: 'DuplicateKey', errmsg: 'E11000'}"),
					new ServerAddress()));
		}
		return stubbing;
	}

}
