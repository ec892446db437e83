package io.mongolock.documents.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;

import com.mongodb.MongoTimeoutException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Answers;
import org.springframework.data.mongodb.core.CollectionCallback;
import org.springframework.data.mongodb.core.DbCallback;
import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.LockClock;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.Claims;
import io.mongolock.store.GrantId;
import io.mongolock.store.HiddenPlaces;
import io.mongolock.store.LeaseId;
import io.mongolock.store.RenewalAnswer;
import io.mongolock.store.StoredLock;
import io.mongolock.store.StoredWaiter;
import io.mongolock.store.mongo.CommandLog;
import io.mongolock.store.mongo.RecordedCommands;
import io.mongolock.store.mongo.TestTemplates;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.spy;

/**
 * Tests for the commands that {@link DocumentLockStore} sends.
 */
class DocumentLockStoreCommandTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final Map<String, BsonDocument> RECORDED = RecordedCommands.read();

	private static final LeaseId LEASE = new LeaseId("locks:k", "tttttttttttttttttttttttttttttttt");

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.start();

	private final CommandLog log = new CommandLog();

	@AutoClose
	private final MongoClient client = this.log.connect(this.server.connectionString());

	private final DocumentLockStore store = new DocumentLockStore(TestTemplates.template(this.client), "lock", "queues",
			LockClock.system());

	@BeforeEach
	void insert() {
		this.client.getDatabase(TestTemplates.DATABASE)
			.getCollection("locks")
			.insertOne(new Document("_id", "k").append("now", "its own"));
		this.log.clear();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "a.b", "$lock", "_id" })
	void aFieldThatCannotHoldALockIsRefused(String field) {
		assertThatIllegalArgumentException().isThrownBy(
				() -> new DocumentLockStore(TestTemplates.template(this.client), field, "queues", LockClock.system()))
			.withMessageContaining("Locks cannot be kept in the field");
	}

	static Stream<String> claims() {
		return RECORDED.keySet()
			.stream()
			.filter((name) -> name.startsWith("document lock: ") && !name.contains("waiting")
					&& RECORDED.get(name).containsKey("findAndModify"));
	}

	@ParameterizedTest
	@MethodSource("claims")
	void aClaimIsTheStatementThatWasProvedOnARealServer(String name) {
		BsonDocument recorded = RECORDED.get(name);
		Claim claim = RecordedCommands.claim(recorded);
		this.store.register("locks", (name.contains("without a version")) ? null : "version");
		LeaseId id = new LeaseId("locks:k", claim.id().leaseToken());
		Supplier<ClaimAnswer> asked = () -> this.store
			.acquire(new Claim(id, claim.limit(), 0, null, claim.owner(), claim.ttl(), true, Duration.ZERO), TIMEOUT);
		if (name.contains("taken over")) {
			// Without transactions it is asked for once more
			this.store.atOnce(7L, asked);
		}
		else {
			asked.get();
		}
		List<BsonDocument> claims = this.log.all()
			.stream()
			.filter((command) -> command.containsKey("findAndModify") && !command.containsKey("startTransaction"))
			.toList();
		assertThat(claims).hasSize(1);
		assertThat(RecordedCommands.essence(claims.get(0))).isEqualTo(RecordedCommands.essence(recorded));
		assertThat(claims.get(0)).doesNotContainKeys("fields", "upsert");
		assertThat(claims.get(0).getDocument("writeConcern").getString("w").getValue()).isEqualTo("majority");
	}

	@Test
	void aGrantBringsTheWholeDocument() {
		ClaimAnswer answer = this.store.acquire(Claims.first(Claims.on("locks:k")), TIMEOUT);
		assertThat(answer.content()).isInstanceOfSatisfying(BsonDocument.class,
				(document) -> assertThat(document.getString("now").getValue()).isEqualTo("its own"));
	}

	@Test
	void aDenialThatChangesNothingAsksForTheTimeOfTheServer() {
		Claim holder = Claims.first(Claims.on("locks:k"));
		this.store.acquire(holder, TIMEOUT);
		this.log.clear();
		ClaimAnswer denied = this.store.acquire(Claims.first(Claims.on("locks:k")), TIMEOUT);
		assertThat(denied.lock().liveHolders()).hasSize(1);
		assertThat(this.log.all()).hasSize(2);
		assertThat(this.log.all().get(1).getDocument("projection"))
			.isEqualTo(BsonDocument.parse("{now: '$$NOW', lock: 1}"));
	}

	@Test
	void aTokenWhoseLeaseRanOutIsNoGrantToWhomSomebodyIsAhead() {
		Claim mine = Claims.on("locks:k", LEASE.leaseToken());
		this.store.acquire(Claims.first(mine), TIMEOUT);
		this.store.acquire(Claims.waiting(Claims.on("locks:k")), TIMEOUT);
		long past = System.currentTimeMillis() - 120_000;
		Document ranOut = new Document("lock.holders.0.renewedAt", new java.util.Date(past)).append("lock.touchedAt",
				new java.util.Date(past));
		this.client.getDatabase(TestTemplates.DATABASE)
			.getCollection("locks")
			.updateOne(new Document("_id", "k"), new Document("$set", ranOut));
		assertThat(this.store.acquire(mine, TIMEOUT).grantTo(LEASE.leaseToken())).isEmpty();
	}

	@Test
	void waitersStandInTheQueueCollectionAndLeaveTheDocumentAsItWas() {
		this.store.acquire(Claims.first(Claims.on("locks:k")), TIMEOUT);
		Document before = document();
		Claim first = Claims.waiting(Claims.on("locks:k"));
		Claim second = Claims.waiting(Claims.on("locks:k"));
		assertThat(queue(this.store.acquire(first, TIMEOUT))).containsExactly(first.id().leaseToken());
		this.log.clear();
		ClaimAnswer denied = this.store.acquire(second, TIMEOUT);
		assertThat(queue(denied)).containsExactly(first.id().leaseToken(), second.id().leaseToken());
		assertThat(denied.lock().liveHolders()).hasSize(1);
		assertThat(this.log.all().stream().filter((command) -> !command.containsKey("find")))
			.as("only the first in the queue asks for the document")
			.singleElement()
			.satisfies((command) -> {
				assertThat(command.getString("findAndModify").getValue()).isEqualTo("queues");
				assertThat(command.getDocument("query"))
					.isEqualTo(BsonDocument.parse("{_id: {collection: 'locks', id: 'k'}}"));
				assertThat(command.getDocument("writeConcern").getInt32("w").getValue()).isEqualTo(1);
			});
		assertThat(this.store.refreshAll(List.of(first.id()), TIMEOUT)).extracting(StoredLock::key)
			.containsExactly("locks:k");
		assertThat(this.store.find("locks:k", TIMEOUT).orElseThrow().queue()).hasSize(2);
		assertThat(this.store.findAll(List.of("locks:k"), TIMEOUT).get(0).queue()).hasSize(2);
		assertThat(this.store.leave(first.id(), TIMEOUT)).isTrue();
		assertThat(this.store.leaveAll(List.of(second.id()), TIMEOUT)).isOne();
		assertThat(this.store.find("locks:k", TIMEOUT).orElseThrow().queue()).isEmpty();
		assertThat(document()).isEqualTo(before);
	}

	@Test
	void waitersAreGrantedTheLockInOrderAndLeaveTheQueue() {
		Claim holder = Claims.first(Claims.on("locks:k"));
		this.store.acquire(holder, TIMEOUT);
		Claim first = Claims.waiting(Claims.on("locks:k"));
		Claim second = Claims.waiting(Claims.on("locks:k"));
		this.store.acquire(first, TIMEOUT);
		this.store.acquire(second, TIMEOUT);
		this.store.release(holder.id(), TIMEOUT);
		assertThat(this.store.acquire(second, TIMEOUT).grantTo(second.id().leaseToken())).isEmpty();
		Claim last = Claims.on("locks:k", second.id().leaseToken());
		assertThat(this.store.acquire(last, TIMEOUT).grantTo(second.id().leaseToken()))
			.as("the last request of a wait goes before nobody")
			.isEmpty();
		ClaimAnswer granted = this.store.acquire(first, TIMEOUT);
		assertThat(granted.grantTo(first.id().leaseToken())).isPresent();
		assertThat(granted.content()).isNotNull();
		assertThat(queue(granted)).containsExactly(second.id().leaseToken());
		this.store.release(first.id(), TIMEOUT);
		assertThat(this.store.acquire(last, TIMEOUT).grantTo(second.id().leaseToken())).isPresent();
		assertThat(this.store.find("locks:k", TIMEOUT).orElseThrow().queue()).isEmpty();
	}

	@Test
	void aWaiterWhosePlaceRanOutIsPassedOverAndAheadAgainOnItsReturn() {
		Claim away = away();
		Claim next = Claims.waiting(Claims.on("locks:k"));
		assertThat(queue(this.store.acquire(next, TIMEOUT))).containsExactly(next.id().leaseToken());
		assertThat(queue(this.store.acquire(away, TIMEOUT))).containsExactly(away.id().leaseToken(),
				next.id().leaseToken());
	}

	@Test
	void aPlaceIsRefreshedAndThenLookedAt() {
		Claim away = away();
		assertThat(this.store.lookAll(List.of(away.id()), TIMEOUT)).singleElement()
			.extracting(StoredLock::queue, InstanceOfAssertFactories.LIST)
			.isEmpty();
		assertThat(this.store.refreshAll(List.of(away.id()), TIMEOUT)).singleElement()
			.extracting(StoredLock::queue, InstanceOfAssertFactories.LIST)
			.hasSize(1);
	}

	@Test
	void aLookAtManyLocksShowsNoWholeQueueButToThoseWhoWaitTheirPlaces() {
		this.store.acquire(Claims.first(Claims.on("locks:k")), TIMEOUT);
		List<Claim> waiting = Stream
			.generate(() -> Claims.holding(Claims.waiting(Claims.on("locks:k")), new GrantId("locks:l", 1)))
			.limit(2 * HiddenPlaces.SHOWN)
			.toList();
		waiting.forEach((claim) -> this.store.acquire(claim, TIMEOUT));
		assertThat(this.store.findAll(List.of("locks:k"), TIMEOUT)).singleElement().satisfies((lock) -> {
			assertThat(lock.queue()).hasSize(HiddenPlaces.SHOWN);
			assertThat(lock.hidden().ahead()).isEqualTo(HiddenPlaces.SHOWN);
		});
		LeaseId last = waiting.get(waiting.size() - 2).id();
		assertThat(this.store.lookAll(List.of(last), TIMEOUT)).singleElement().satisfies((lock) -> {
			assertThat(lock.queue()).hasSize(HiddenPlaces.SHOWN + 1)
				.last()
				.extracting(StoredWaiter::leaseToken)
				.isEqualTo(last.leaseToken());
			assertThat(lock.hidden()).isEqualTo(new HiddenPlaces(HiddenPlaces.SHOWN - 2, 1, 1));
		});
		assertThat(this.store.find("locks:k", TIMEOUT).orElseThrow().queue()).hasSameSizeAs(waiting);
		this.store.register("locks", null);
		assertThat(this.store.findQueues(List.of("locks:k"), TIMEOUT)).singleElement()
			.satisfies((lock) -> assertThat(lock.queue()).hasSameSizeAs(waiting)
				.allSatisfy((waiter) -> assertThat(waiter.holds()).containsExactly(new GrantId("locks:l", 1))));
	}

	@Test
	@SuppressWarnings("unchecked")
	void aCollectionThatCannotBeReadHidesNoQueueOfTheOthersAndUnknownOnesAreNotAskedFor() {
		MongoCollection<BsonDocument> unreadable = mock(MongoCollection.class, Answers.RETURNS_SELF);
		given(unreadable.find(any(Bson.class))).willThrow(new MongoTimeoutException("no server"));
		MongoOperations template = spy(TestTemplates.template(this.client));
		willAnswer((call) -> call.getArgument(1, CollectionCallback.class).doInCollection(unreadable)).given(template)
			.execute(eq("unreadable"), any(CollectionCallback.class));
		DocumentLockStore some = new DocumentLockStore(template, "lock", "queues", LockClock.system());
		some.register("locks", null);
		some.register("unreadable", null);
		Claim claim = Claims.first(Claims.on("locks:k"));
		some.acquire(claim, TIMEOUT);
		this.log.clear();
		assertThat(some.findQueues(List.of("unreadable:k", "locks:k", "unknown:k", "no key", "locks:{$gt:1}"), TIMEOUT))
			.singleElement()
			.satisfies((lock) -> assertThat(lock.key()).isEqualTo("locks:k"));
		assertThat(this.log.all()).extracting((command) -> command.getString("find").getValue())
			.containsExactly("locks", "queues");
	}

	// Whose place ran out
	private Claim away() {
		this.store.acquire(Claims.first(Claims.on("locks:k")), TIMEOUT);
		Claim away = Claims.waiting(Claims.on("locks:k"));
		this.store.acquire(away, TIMEOUT);
		Date ranOut = Date.from(Instant.now().minus(Objects.requireNonNull(away.placeTtl()).multipliedBy(2)));
		this.client.getDatabase(TestTemplates.DATABASE)
			.getCollection("queues")
			.updateOne(new Document(), new Document("$set", new Document("queue.0.renewedAt", ranOut)));
		return away;
	}

	@Test
	void aFreeDocumentWithWaitersIsGrantedToANewcomerByOneStatement() {
		Claim holder = Claims.first(Claims.on("locks:k"));
		this.store.acquire(holder, TIMEOUT);
		this.store.acquire(Claims.waiting(Claims.on("locks:k")), TIMEOUT);
		this.store.release(holder.id(), TIMEOUT);
		this.log.clear();
		Claim newcomer = Claims.first(Claims.on("locks:k"));
		ClaimAnswer granted = this.store.acquire(newcomer, TIMEOUT);
		assertThat(granted.grantTo(newcomer.id().leaseToken())).isPresent();
		assertThat(granted.hasWaiters()).as("nobody looked").isTrue();
		this.log.only();
	}

	@Test
	void theGrantToTheOnlyWaiterSaysThatItHasNoWaiters() {
		Claim holder = Claims.first(Claims.on("locks:k"));
		this.store.acquire(holder, TIMEOUT);
		Claim mine = Claims.waiting(Claims.on("locks:k"));
		this.store.acquire(mine, TIMEOUT);
		this.store.release(holder.id(), TIMEOUT);
		ClaimAnswer granted = this.store.acquire(mine, TIMEOUT);
		assertThat(granted.grantTo(mine.id().leaseToken())).isPresent();
		assertThat(granted.hasWaiters()).as("the queue was looked at").isFalse();
	}

	@Test
	void aClaimThatWasGrantedWithoutAnAnswerBeginsItsLeaseAnewAlsoBehindOthers() {
		Claim mine = Claims.on("locks:k", LEASE.leaseToken());
		Date earlier = Date.from(Instant.now().minusSeconds(10));
		this.store.acquire(Claims.first(mine), TIMEOUT);
		this.client.getDatabase(TestTemplates.DATABASE)
			.getCollection("locks")
			.updateOne(new Document("_id", "k"),
					new Document("$set", new Document("lock.holders.0.renewedAt", earlier)));
		this.store.acquire(Claims.waiting(Claims.on("locks:k")), TIMEOUT);
		assertThat(this.store.acquire(Claims.waiting(mine), TIMEOUT).grantTo(LEASE.leaseToken()))
			.hasValueSatisfying((grant) -> assertThat(grant.renewedAt()).isAfter(earlier.toInstant().plusSeconds(5)));
	}

	@Test
	void aQueueThatIsNoneHidesNoOtherAndIsToldToWhomItConcerns() {
		Document broken = new Document("_id", new Document("collection", "locks").append("id", "k")).append("queue",
				"text");
		this.client.getDatabase(TestTemplates.DATABASE).getCollection("queues").insertOne(broken);
		this.store.acquire(Claims.first(Claims.on("locks:k")), TIMEOUT);
		assertThat(this.store.findAll(List.of("locks:k"), TIMEOUT)).singleElement()
			.extracting(StoredLock::queue, InstanceOfAssertFactories.LIST)
			.isEmpty();
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.store.acquire(Claims.waiting(Claims.on("locks:k")), TIMEOUT));
	}

	private static List<String> queue(ClaimAnswer answer) {
		return answer.lock().queue().stream().map(StoredWaiter::leaseToken).toList();
	}

	private Document document() {
		return this.client.getDatabase(TestTemplates.DATABASE).getCollection("locks").find().first();
	}

	@Test
	@SuppressWarnings("unchecked")
	void aClaimThatWasAnsweredIsUnknownIfTheTimeOfTheServerIs() {
		MongoCollection<BsonDocument> documents = mock(MongoCollection.class, Answers.RETURNS_SELF);
		given(documents.findOneAndUpdate(any(Bson.class), anyList(), any()))
			.willReturn(BsonDocument.parse("{_id: 'k', lock: {holders: [{token: '" + LEASE.leaseToken() + "'}]}}"));
		given(documents.find(any(Bson.class))).willThrow(new MongoTimeoutException("no server"));
		MongoOperations template = mock(MongoOperations.class);
		given(template.execute(any(DbCallback.class))).willReturn(mock(MongoDatabase.class));
		given(template.execute(any(String.class), any(CollectionCallback.class)))
			.willAnswer((call) -> call.getArgument(1, CollectionCallback.class).doInCollection(documents));
		given(template.execute(any(DbCallback.class))).willReturn(mock(MongoDatabase.class));
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> new DocumentLockStore(template, "lock", "queues", LockClock.system())
				.acquire(Claims.first(Claims.on("locks:k")), TIMEOUT))
			.satisfies((ex) -> assertThat(ex.getOutcome()).isEqualTo(Outcome.UNKNOWN))
			.withMessageContaining("It is unknown whether the request was executed, because ")
			.withMessageEndingWith("no server");
	}

	@Test
	void aDocumentThatIsNotThereIsNotCreated() {
		assertThatExceptionOfType(MissingDocumentException.class)
			.isThrownBy(() -> this.store.acquire(Claims.first(Claims.on("locks:none")), TIMEOUT));
		assertThat(this.store.find("locks:none", TIMEOUT)).isEmpty();
	}

	@Test
	void renewalAndReleaseAreTheStatementsThatWereProvedOnARealServer() {
		this.store.renew(LEASE, TIMEOUT);
		assertThat(sent().getArray("updates")).isEqualTo(recorded("renew").getArray("updates"));
		this.store.release(LEASE, TIMEOUT);
		assertThat(sent()).isEqualTo(recorded("release"));
		this.store.renewAll(List.of(LEASE, LEASE), TIMEOUT);
		assertThat(sent().getArray("updates")).hasSize(2).containsOnly(recorded("renew").getArray("updates").get(0));
	}

	@Test
	void aListIsFilteredAndSortedAsProvedOnARealServer() {
		this.store.list("locks", TIMEOUT);
		BsonDocument proved = RECORDED.get("document lock: all that are locked");
		BsonDocument sent = this.log.only();
		for (String part : new String[] { "filter", "sort", "collation", "projection" }) {
			assertThat(sent.get(part)).isEqualTo(proved.get(part));
		}
	}

	@Test
	void aListAsksForHardlyMoreThanItShowsAndForNoOtherCollection() {
		this.store.register("locks", null);
		this.store.register("others", null);
		this.store.list("locks:", "", 7, TIMEOUT);
		assertThat(this.log.only().getNumber("batchSize").intValue()).isEqualTo(100);
		this.log.clear();
		this.store.list("l", "locks:a", 250, TIMEOUT);
		assertThat(this.log.only().getNumber("batchSize").intValue()).isEqualTo(250);
		assertThat(this.log.only().getDocument("filter")).containsOnlyKeys("lock.holders.0", "$expr");
		this.log.clear();
		this.store.list("", "p:a", 1, TIMEOUT);
		this.store.list("", "", 0, TIMEOUT);
		assertThat(this.log.all()).isEmpty();
		assertThatIllegalArgumentException().isThrownBy(() -> this.store.list("locks:", "nonsense", 1, TIMEOUT))
			.withMessageContaining("'nonsense' is not a document's key. The form of a document's key is collection:id");
	}

	@Test
	void requestsForSeveralCollectionsAreOnePerCollection() {
		List<LeaseId> leases = List.of(LEASE, new LeaseId("others:1", "a"), new LeaseId("locks:j", "b"));
		assertThat(this.store.renewAll(leases, TIMEOUT).found()).isZero();
		assertThat(this.log.all()).extracting((command) -> command.getString("update").getValue())
			.containsExactlyInAnyOrder("locks", "others");
	}

	@Test
	void aRenewalThatOneCollectionRefusesSucceedsInTheOthers() {
		MongoDatabase database = this.client.getDatabase(TestTemplates.DATABASE);
		List<LeaseId> leases = Stream.of("locks", "others").map((collection) -> {
			database.getCollection(collection)
				.insertOne(Document.parse("{ _id: 'a', lock: { holders: [ { token: 't' } ] } }"));
			return new LeaseId(collection + ":a", "t");
		}).toList();
		Document validator = Document.parse("{ open: { $exists: true } }");
		for (String collection : List.of("locks", "others")) {
			database.runCommand(new Document("collMod", collection).append("validator", validator));
		}
		assertThat(this.store.renewAll(leases, TIMEOUT).failed()).containsExactlyInAnyOrderElementsOf(leases);
		database.runCommand(new Document("collMod", "locks").append("validator", new Document()));
		RenewalAnswer answer = this.store.renewAll(leases, TIMEOUT);
		assertThat(answer.failure()).hasMessageContaining("The validator of the collection 'others'");
		assertThat(answer.failed()).containsExactly(leases.get(1));
		assertThat(answer.found()).isOne();
	}

	@Test
	void collectionsThatOnlyTicketsNameAreNotKept() {
		this.store.register("locks", "version");
		for (int i = 0; i < 3; i++) {
			assertThat(this.store.renew(new LeaseId("made-up-" + i + ":1", "a"), TIMEOUT)).isFalse();
		}
		assertThat(this.store).extracting("collections", InstanceOfAssertFactories.MAP).containsOnlyKeys("locks");
	}

	@Test
	void twoVersionsInOneCollectionAreRefused() {
		this.store.register("locks", "version");
		this.store.register("locks", "version");
		assertThatIllegalArgumentException().isThrownBy(() -> this.store.register("locks", "v"))
			.withMessageContaining("keep their version in 'version', and others in 'v'");
	}

	private BsonDocument sent() {
		BsonDocument sent = RecordedCommands.essence(this.log.only());
		this.log.clear();
		return sent;
	}

	private static BsonDocument recorded(String name) {
		return RecordedCommands.essence(RECORDED.get("document lock: " + name)).append("ordered", BsonBoolean.TRUE);
	}

}
