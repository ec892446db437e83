package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.bson.Document;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.store.AbstractLockStoreContractTests;
import io.mongolock.store.Claim;
import io.mongolock.store.Claims;
import io.mongolock.store.HiddenPlaces;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockFilter;
import io.mongolock.store.LockStore;
import io.mongolock.store.RenewalAnswer;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The contract on a MongoDB server, and what only a collection can show.
 */
abstract class AbstractMongoLockStoreContractTests extends AbstractLockStoreContractTests {

	private final String collection = "locks_" + Long.toHexString(System.nanoTime());

	private MongoLockStore store;

	abstract MongoClient client();

	@BeforeEach
	void emptyStore() {
		this.store = store("");
	}

	final MongoLockStore store(String prefix) {
		return new MongoLockStore(TestTemplates.template(client()), this.collection, prefix);
	}

	final MongoCollection<Document> documents() {
		return client().getDatabase(TestTemplates.DATABASE).getCollection(this.collection);
	}

	@Override
	public LockStore store() {
		return this.store;
	}

	@Override
	public void delete(String key) {
		documents().deleteOne(new Document("_id", key));
	}

	@Test
	void storesOnOneCollectionSeeOnlyKeysOfTheirPrefix() {
		List<MongoLockStore> stores = Stream.of("", "a:", "b:", "\uD7FF", "🔒").map(this::store).toList();
		for (MongoLockStore store : stores) {
			Claim claim = Claims.on("key");
			assertThat(store.acquire(claim, TIMEOUT).grantTo(claim.id().leaseToken())).isPresent();
		}
		for (MongoLockStore store : stores.subList(1, stores.size())) {
			assertThat(store.list(10, TIMEOUT)).extracting(StoredLock::key).containsExactly("key");
			assertThat(store.find("key", TIMEOUT)).get().extracting(StoredLock::key).isEqualTo("key");
		}
		assertThat(stores.get(0).list(10, TIMEOUT)).extracting(StoredLock::key)
			.containsExactlyInAnyOrder("a:key", "b:key", "key", "\uD7FFkey", "🔒key");
	}

	@Test
	void thePrefixCountsForTheLengthOfAKey() {
		MongoLockStore store = store("1234");
		Claim claim = Claims.on("k".repeat(1020));
		assertThat(store.acquire(claim, TIMEOUT).grantTo(claim.id().leaseToken())).isPresent();
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> store.acquire(Claims.on("k".repeat(1021)), TIMEOUT))
			.withMessageContaining("1025")
			.withMessageContaining("1234");
	}

	@Test
	void theDocumentIsTheOneOfTheDesign() {
		Claim holder = Claims.on("key");
		grant(holder);
		Claim waiter = Claims.waiting(Claims.on("key"));
		deny(waiter);
		Document document = documents().find(new Document("_id", "key")).first();
		assertThat(document.keySet()).containsOnly("_id", "holders", "queue", "fence", "touchedAt");
		assertThat(document.getList("holders", Document.class).get(0).keySet()).containsExactly("token", "fence",
				"limit", "owner", "acquiredAt", "renewedAt", "ttl");
		assertThat(document.getList("queue", Document.class).get(0).keySet()).containsExactly("token", "limit", "owner",
				"renewedAt", "ttl");
		assertThat(document.getDate("touchedAt")).isNotNull();
		assertThat(document.getLong("fence")).isNotNull();
	}

	@Test
	void fieldsOfOthersStay() {
		documents().insertOne(new Document("_id", "key").append("note", "mine"));
		grant(Claims.on("key"));
		assertThat(documents().find(new Document("_id", "key")).first()).containsEntry("note", "mine");
	}

	@ParameterizedTest
	@ValueSource(strings = { "{holders: 'x'}", "{holders: {}}", "{holders: [], fence: 'x'}", "{holders: [], queue: 1}",
			"{holders: ['x'], fence: 1}" })
	void aClaimOnAForeignDocumentFailsOrTakesItOverButNeverGuesses(String foreign) {
		documents().insertOne(Document.parse(foreign).append("_id", "key"));
		Claim claim = Claims.on("key");
		try {
			StoredHolder granted = grant(claim);
			assertThat(find("key").holders()).containsExactly(granted);
		}
		catch (LockStoreException ex) {
			assertThat(ex.getOutcome()).isEqualTo(Outcome.REFUSED);
			assertThat(ex).hasMessageContaining("'key'");
			assertThat(documents().find().first()).isEqualTo(Document.parse(foreign).append("_id", "key"));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "{}", "{holders: 'x'}", "{holders: [1], fence: 1}", "{holders: [{}], fence: 1}",
			"{holders: [], fence: 'x'}", "{holders: [], fence: 1, queue: [{token: 1}]}" })
	void aForeignDocumentIsRefusedByNameWhenLookedAt(String foreign) {
		documents().insertOne(Document.parse(foreign).append("_id", "key"));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> find("key"))
			.withMessageContaining("'key'")
			.withMessageContaining("not a lock of this library")
			.satisfies((ex) -> assertThat(ex.getOutcome()).isEqualTo(Outcome.REFUSED));
	}

	@Test
	void aDeniedClaimOnAForeignHolderIsRefused() {
		grant(Claims.on("key"));
		documents().updateOne(new Document(), Document.parse("{$set: {'holders.0.token': 1}}"));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> ask(Claims.on("key")))
			.withMessageContaining("'token' should be a string, but is int32")
			.satisfies((ex) -> assertThat(ex.getOutcome()).isEqualTo(Outcome.REFUSED));
	}

	@Test
	void aGrantBesideAForeignHolderIsUnknownSoThatItIsCleanedUp() {
		grant(Claims.shared("key"));
		documents().updateOne(new Document(), Document.parse("{$set: {'holders.0.token': 1}}"));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> ask(Claims.shared("key")))
			.satisfies((ex) -> assertThat(ex.getOutcome()).isEqualTo(Outcome.UNKNOWN));
	}

	@Test
	void oneBadDocumentDoesNotStopTheRenewalOfOthers() {
		Claim claim = Claims.on("key");
		grant(claim);
		Claim bad = Claims.on("bad");
		documents().insertOne(Document
			.parse("{_id: 'bad', holders: [{token: '" + bad.id().leaseToken() + "'}], touchedAt: 1, renewedAt: 1}"));
		assertThat(store().renewAll(List.of(bad.id(), claim.id()), TIMEOUT).found()).isBetween(1, 2);
	}

	@Test
	void aRefusedWriteIsAFailureAndNoMissingLease() {
		Claim claim = Claims.on("key");
		grant(claim);
		Claim other = Claims.on("other");
		grant(other);
		Claim gone = Claims.on("gone");
		documents().updateOne(new Document("_id", "other"), Document.parse("{$set: {open: true}}"));
		List<ThrowingCallable> requests = List.of(() -> store().renew(claim.id(), TIMEOUT),
				() -> store().expireAll(Map.of(claim.id(), Duration.ofSeconds(9)), TIMEOUT),
				() -> store().release(claim.id(), TIMEOUT), () -> store().releaseAll(List.of(claim.id()), TIMEOUT));
		validate("{open: {$exists: true}}");
		// A write that changes nothing, for example in the same millisecond, is not
		// validated
		elapse(shortTtl().dividedBy(10));
		try {
			for (ThrowingCallable request : requests) {
				assertThatExceptionOfType(LockStoreException.class).isThrownBy(request)
					.withMessageContaining("the request was refused: error 121: '")
					.withMessageContaining("Document failed validation'")
					.satisfies((ex) -> assertThat(ex.getOutcome()).isEqualTo(Outcome.REFUSED));
			}
			RenewalAnswer answer = store().renewAll(List.of(gone.id(), claim.id(), other.id()), TIMEOUT);
			assertThat(answer.failed()).containsExactly(claim.id());
			assertThat(answer.found()).isOne();
			assertThat(answer.failure()).hasMessageContaining("the request was refused: error 121: '");
		}
		finally {
			validate("{}");
		}
		assertThat(store().renew(claim.id(), TIMEOUT)).isTrue();
	}

	private void validate(String validator) {
		client().getDatabase(documents().getNamespace().getDatabaseName())
			.runCommand(new Document("collMod", documents().getNamespace().getCollectionName()).append("validator",
					Document.parse(validator)));
	}

	@Test
	void aLookAtManyLocksShowsNoWholeQueue() {
		grant(Claims.on("key"));
		for (int i = 0; i < 2 * HiddenPlaces.SHOWN; i++) {
			ask(Claims.waiting(Claims.on("key")));
		}
		assertThat(store().findAll(List.of("key"), TIMEOUT)).singleElement()
			.satisfies((lock) -> assertThat(lock.queue()).hasSize(HiddenPlaces.SHOWN));
	}

	@Test
	void oneBadDocumentDoesNotHideOthersFromALook() {
		grant(Claims.on("key"));
		documents().insertOne(Document.parse("{_id: 'bad', holders: {}}"));
		assertThat(store().findAll(List.of("bad", "key"), TIMEOUT)).extracting(StoredLock::key).containsExactly("key");
	}

	@ParameterizedTest
	@ValueSource(strings = { "{holders: {}}", "{holders: [], fence: 1, queue: 1}",
			"{holders: [], fence: 1, queue: [{token: 'x', renewedAt: 'x', ttl: 1}]}" })
	void oneBadDocumentDoesNotHideOthersFromOneWhoWaits(String foreign) {
		grant(Claims.on("key"));
		Claim waiting = Claims.waiting(Claims.on("key"));
		ask(waiting);
		Claim bad = Claims.on("bad");
		documents().insertOne(Document.parse(foreign).append("_id", "bad"));
		List<LeaseId> claims = List.of(bad.id(), waiting.id());
		assertThat(store().lookAll(claims, TIMEOUT)).extracting(StoredLock::key).containsExactly("key");
		assertThat(store().refreshAll(claims, TIMEOUT)).extracting(StoredLock::key).containsExactly("key");
	}

	@Test
	void whenALockIsWrittenInALaterFormatThenEachClaimIsRefusedByName() {
		Document later = Document.parse("{holders: [{format: 2, limit: 0, ttl: 0, "
				+ "renewedAt: {$date: '9999-12-31T00:00:00Z'}}], fence: 1, later: 'what this version does not know'}");
		documents().insertOne(new Document(later).append("_id", "key"));
		Claim exclusive = Claims.on("key");
		for (Claim claim : List.of(exclusive, Claims.first(exclusive), Claims.shared("key"),
				Claims.waiting(Claims.on("key")))) {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> ask(claim))
				.withMessageContaining("in format 2, and this version knows only format 1. Update mongo-lock")
				.satisfies((ex) -> assertThat(ex.getOutcome()).isEqualTo(Outcome.REFUSED));
		}
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> store().find("key", TIMEOUT))
			.withMessageContaining("in format 2");
		assertThat(store().list(10, TIMEOUT)).isEmpty();
		assertThat(store().renew(exclusive.id(), TIMEOUT)).isFalse();
		assertThat(release(exclusive)).isFalse();
		assertThat(documents().find().first()).containsAllEntriesOf(later);
	}

	@Test
	void badDocumentsDoNotHideOthersFromAListAndTakeNoPlaceInIt() {
		for (int i = 0; i < 3; i++) {
			documents()
				.insertOne(Document.parse("{holders: [1, {owner: {host: 1}}], fence: 1}").append("_id", "bad" + i));
			grant(Claims.on("key" + i));
		}
		documents()
			.insertOne(Document.parse("{_id: 'odd', fence: 1, holders: [{token: 't', fence: 1, owner: {pid: {}}, "
					+ "acquiredAt: {$date: '2024-01-01T00:00:00Z'}, expiresAt: {$date: '2100-01-01T00:00:00Z'}}]}"));
		assertThat(store().list(3, TIMEOUT)).extracting(StoredLock::key).containsExactly("key0", "key1", "key2");
		assertThat(store().list("bad", "", 3, TIMEOUT)).isEmpty();
		assertThat(store().list(new LockFilter("odd", "shop", Duration.ZERO), "", 3, 100, TIMEOUT).locks())
			.as("though the server cannot describe its owner")
			.isEmpty();
		LockFilter ours = new LockFilter("", Claims.OWNER.instance(), Duration.ZERO);
		assertThat(store().list(ours, "", 3, 100, TIMEOUT).locks()).as("though the server can describe no owner 1")
			.extracting(StoredLock::key)
			.containsExactly("key0", "key1", "key2");
	}

	@Test
	void aReleaseOnAForeignDocumentIsRefused() {
		documents().insertOne(Document.parse("{_id: 'key', holders: 'x'}"));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> release(Claims.on("key")))
			.withMessageContaining("release lock 'key'")
			.satisfies((ex) -> assertThat(ex.getOutcome()).isEqualTo(Outcome.REFUSED));
	}

}
