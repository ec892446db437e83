package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import org.awaitility.Awaitility;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.dao.DataAccessException;
import org.springframework.data.mongodb.SessionSynchronization;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

import io.mongolock.LockStoreException;
import io.mongolock.store.Claim;
import io.mongolock.store.Claims;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoreServers;
import io.mongolock.store.StoreSubscription;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.proxy.FaultProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the commands that {@link MongoLockStore} sends.
 */
class MongoLockStoreCommandTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final Map<String, BsonDocument> RECORDED = RecordedCommands.read();

	private static final LeaseId LEASE = new LeaseId("k", "tttttttttttttttttttttttttttttttt");

	private static EmbeddedMongo server;

	private final CommandLog log = new CommandLog();

	private MongoClient client;

	private MongoLockStore store;

	@BeforeAll
	static void start() {
		server = EmbeddedMongo.start();
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	@BeforeEach
	void connect() {
		connect(server.connectionString());
	}

	@AfterEach
	void disconnect() {
		this.client.close();
	}

	static Stream<String> claims() {
		return RECORDED.keySet()
			.stream()
			.filter((name) -> name.startsWith("fast claim")
					|| name.startsWith("acquire") && !name.startsWith("acquire without upsert"));
	}

	@Test
	void allKindsOfClaimsWereRecorded() {
		assertThat(claims().map((name) -> RecordedCommands.claim(RECORDED.get(name)))).hasSizeGreaterThan(30)
			.anyMatch((claim) -> claim.first() && claim.reserve() == 0)
			.anyMatch((claim) -> claim.first() && claim.reserve() == 64)
			.anyMatch(Claim::waiting)
			.anyMatch((claim) -> claim.first() && !claim.linger().isZero())
			.anyMatch((claim) -> !claim.first() && !claim.linger().isZero())
			.anyMatch((claim) -> claim.reserve() == 64)
			.anyMatch((claim) -> claim.limit() == 3)
			.anyMatch((claim) -> claim.limit() == Integer.MAX_VALUE && claim.waiting())
			.anyMatch((claim) -> claim.id().leaseToken().equals("$$NOW"));
	}

	@Test
	void whenOneLockIsListedThenTheServerSendsAHundredAtMost() {
		for (String key : List.of("a", "b", "c")) {
			this.store.acquire(Claims.on(key), TIMEOUT);
		}
		this.log.clear();
		assertThat(this.store.list("", "", 1, TIMEOUT)).hasSize(1);
		assertThat(this.log.all().get(0).getNumber("batchSize").intValue()).isEqualTo(100);
		assertThat(this.log.all()).noneMatch((command) -> command.containsKey("getMore"));
	}

	@ParameterizedTest
	@MethodSource("claims")
	void aClaimIsTheStatementThatWasProvedOnARealServer(String name) {
		BsonDocument recorded = RECORDED.get(name);
		this.store.acquire(RecordedCommands.claim(recorded), TIMEOUT);
		assertThat(sent()).isEqualTo(RecordedCommands.essence(recorded));
		assertThat(this.log.only().getDocument("fields")).isEqualTo(answerTo(RecordedCommands.claim(recorded)));
	}

	// Of the queue what the token is shown, but for a claim that only a free lock is
	// granted
	private static BsonDocument answerTo(Claim claim) {
		boolean fast = claim.first() && claim.limit() == 1;
		String recorded = RECORDED.get("claim as the store sends it: " + ((fast) ? "fast, held" : "held"))
			.getDocument("fields")
			.toJson();
		return BsonDocument.parse(recorded.replace(LEASE.leaseToken(), claim.id().leaseToken()));
	}

	@Test
	void aFirstClaimThatAHolderDeniesIsOneCommandAndOneThatOnlyWaitersMayDenyAreTwo() {
		Claim holder = Claims.on("k");
		this.store.acquire(holder, TIMEOUT);
		this.store.acquire(Claims.waiting(Claims.on("k")), TIMEOUT);
		this.log.clear();
		this.store.acquire(Claims.first(Claims.on("k")), TIMEOUT);
		assertThat(this.log.all()).hasSize(1);
		this.store.release(holder.id(), TIMEOUT);
		this.log.clear();
		this.store.acquire(Claims.first(Claims.on("k")), TIMEOUT);
		assertThat(this.log.all()).hasSize(2);
	}

	@Test
	void aFirstClaimDeniedByAnExpiredEntryIsDecidedByTheGeneralOne() {
		long now = System.currentTimeMillis();
		this.client.getDatabase(TestTemplates.DATABASE)
			.getCollection("locks")
			.insertOne(new Document("_id", "k")
				.append("holders", List.of(dead(now - 120_000, 60_000), dead(now - 5_000, 1_000)))
				.append("queue", List.of()));
		this.log.clear();
		Claim claim = Claims.first(Claims.on("k"));
		assertThat(this.store.acquire(claim, TIMEOUT).grantTo(claim.id().leaseToken())).isPresent();
		assertThat(this.log.all()).hasSize(2);
		assertThat(this.log.all().get(0).toJson()).doesNotContain("$let");
		assertThat(this.log.all().get(1).toJson()).contains("$let");
	}

	@Test
	void renewalReleaseAndLeavingAreTheStatementsThatWereProvedOnARealServer() {
		this.store.renew(LEASE, TIMEOUT);
		assertThat(sent().getArray("updates")).isEqualTo(recorded("renew: mine").getArray("updates"));
		this.log.clear();
		this.store.release(LEASE, TIMEOUT);
		assertThat(sent()).isEqualTo(RecordedCommands.essence(RECORDED.get("release and say who waits: nobody waits")));
		assertThat(this.log.only()).doesNotContainKey("txnNumber")
			.containsEntry("fields", BsonDocument.parse("{previous: 0, queue: {$slice: 1}}"));
		this.log.clear();
		this.store.leave(LEASE, TIMEOUT);
		assertThat(sent().getArray("updates")).isEqualTo(recorded("leave the queue").getArray("updates"));
	}

	@Test
	void theRestOfAMinimumHoldIsThatStatementWithOneFieldMore() {
		this.store.expireAll(Map.of(LEASE, Duration.ofSeconds(7)), TIMEOUT);
		BsonDocument proved = recorded("minimum hold: taken over before").getArray("updates").get(0).asDocument();
		proved.getDocument("u").getDocument("$set").append("holders.$.kept", BsonBoolean.TRUE);
		assertThat(sent().getArray("updates")).containsExactly(proved);
		assertThat(concern(this.log.only())).isEqualTo("majority");
	}

	@Test
	void manyRenewalsAreOneUnorderedCommandOfTheStatementForOne() {
		this.store.renewAll(List.of(LEASE, LEASE), TIMEOUT);
		BsonDocument sent = sent();
		BsonValue one = recorded("renew: mine").getArray("updates").get(0);
		assertThat(sent.getBoolean("ordered").getValue()).isFalse();
		assertThat(sent.getArray("updates")).containsExactly(one, one);
	}

	@Test
	void placesAreRefreshedWithOneUnorderedCommandOfTheStatementForOne() {
		this.store.refreshAll(List.of(LEASE, LEASE), TIMEOUT);
		assertThat(commands()).containsExactly("update", "find");
		BsonDocument sent = this.log.all().get(0);
		BsonValue one = recorded("refresh a place in the queue").getArray("updates").get(0);
		assertThat(sent.getBoolean("ordered").getValue()).isFalse();
		assertThat(sent.getArray("updates")).containsExactly(one, one);
	}

	@Test
	void onePlaceIsRefreshedAndLookedAtWithOneCommand() {
		this.store.refreshAll(List.of(new LeaseId("k", "t".repeat(32))), TIMEOUT);
		assertThat(sent())
			.isEqualTo(RecordedCommands.essence(RECORDED.get("refresh a place in the queue and look: gone")));
		assertThat(this.log.only()).doesNotContainKey("txnNumber");
	}

	@Test
	void placesAreLookedAtWithOneReadOfThePrimaryEachByItsToken() {
		connect(server.connectionString() + "/?readPreference=secondary");
		this.store.lookAll(List.of(new LeaseId("a:3", "t".repeat(32)), new LeaseId("none", "v".repeat(32)),
				new LeaseId("a:1", "w".repeat(32))), TIMEOUT);
		BsonDocument recorded = RECORDED.get("look at places in several queues, one lock is not there");
		assertThat(this.log.only()).containsEntry("filter", recorded.get("filter"))
			.containsEntry("projection", recorded.get("projection"))
			.doesNotContainKeys("readConcern", "$readPreference");
	}

	@Test
	void manyLocksAreSeenWithOneReadOfThePrimary() {
		connect(server.connectionString() + "/?readPreference=secondary");
		this.store.findAll(List.of("a", "b"), TIMEOUT);
		assertThat(this.log.only().getDocument("filter")).isEqualTo(BsonDocument.parse("{_id: {$in: ['a', 'b']}}"));
		assertThat(this.log.only()).doesNotContainKeys("readConcern", "$readPreference");
	}

	@Test
	void writesWaitForTheMajorityExceptWhereARollbackOnlyLapses() {
		connect(server.connectionString() + "/?w=1&journal=false&readPreference=secondaryPreferred");
		this.store.acquire(Claims.on("k"), TIMEOUT);
		this.store.renew(LEASE, TIMEOUT);
		this.store.releaseGrant(LEASE, 1, TIMEOUT);
		assertThat(this.log.all()).hasSize(3)
			.allSatisfy((command) -> assertThat(concern(command)).isEqualTo("majority"));
		this.log.clear();
		this.store.release(LEASE, TIMEOUT);
		this.store.leave(LEASE, TIMEOUT);
		this.store.refreshAll(List.of(LEASE), TIMEOUT);
		assertThat(this.log.all()).hasSize(3).allSatisfy((command) -> assertThat(concern(command)).isEqualTo("1"));
	}

	@Test
	void releasesAreConfirmedByAStatementThatFindsNothingAndWaitsForTheMajority() {
		try (EmbeddedMongo set = EmbeddedMongo.builder().replicaSet().start()) {
			connect(set.connectionString() + "/?w=1&journal=false");
			this.store.confirmReleases(TIMEOUT);
			assertThat(commands()).containsExactly("hello", "update");
			this.store.confirmReleases(TIMEOUT);
			assertThat(commands()).containsExactly("hello", "update", "update");
			BsonDocument last = this.log.all().get(2);
			assertThat(RecordedCommands.essence(last))
				.isEqualTo(RecordedCommands.essence(RECORDED.get("confirm all releases")));
			assertThat(concern(last)).isEqualTo("majority");
			assertThat(last).doesNotContainKey("txnNumber");
		}
	}

	@Test
	void streamsAndConfirmationsAskOnceWhatKindOfServerItIs() {
		try (EmbeddedMongo set = EmbeddedMongo.builder().replicaSet().start()) {
			connect(set.connectionString());
			try (StoreSubscription watch = this.store.watchReleases(new RecordingReleaseListener())) {
				Awaitility.await().until(watch::isLive);
				this.store.confirmReleases(TIMEOUT);
			}
			assertThat(commands()).containsOnlyOnce("hello").contains("update");
		}
	}

	@Test
	void anAnswerThatIsLostSaysNothingOfTheServersAndItsTimeIsThatOfBothRequests() {
		try (EmbeddedMongo set = EmbeddedMongo.builder().replicaSet().start();
				FaultProxy between = FaultProxy.to("127.0.0.1", set.port())) {
			connect(between.connectionString());
			// The driver's monitor has no such limit
			between.on("hello").when((hello) -> hello.containsKey("maxTimeMS")).cut().once();
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.store.confirmReleases(TIMEOUT));
			this.log.clear();
			between.on("hello")
				.when((hello) -> hello.containsKey("maxTimeMS"))
				.delayReply(Duration.ofMillis(100))
				.once();
			this.store.confirmReleases(TIMEOUT);
			assertThat(commands()).containsExactly("hello", "update");
			assertThat(this.log.all().get(1).getNumber("maxTimeMS").longValue())
				.isLessThanOrEqualTo(TIMEOUT.toMillis() - 100);
		}
	}

	@Test
	void noReleaseIsConfirmedWhereNobodyWaitsForEvents() {
		this.store.confirmReleases(TIMEOUT);
		this.store.confirmReleases(TIMEOUT);
		assertThat(commands()).as("of a standalone server").containsExactly("hello");
		this.log.clear();
		new MongoLockStore(TestTemplates.template(this.client), "locks", "", StoreServers.UNKNOWN, Notifications.OFF)
			.confirmReleases(TIMEOUT);
		assertThat(commands()).as("without notifications").isEmpty();
	}

	@Test
	void readsAskThePrimaryForOneBatch() {
		connect(server.connectionString() + "/?readPreference=secondary");
		this.store.find("k", TIMEOUT);
		assertThat(this.log.only().getString("find").getValue()).isEqualTo("locks");
		assertThat(this.log.only().getDocument("filter")).isEqualTo(new BsonDocument("_id", new BsonString("k")));
		assertThat(this.log.only()).doesNotContainKeys("readConcern", "$readPreference");
	}

	@Test
	void theServerKeepsNoImageOfAClaimSinceTheDriverNumbersNone() {
		try (EmbeddedMongo set = EmbeddedMongo.builder().replicaSet().start()) {
			connect(set.connectionString());
			this.store.acquire(Claims.first(Claims.on("k")), TIMEOUT);
			assertThat(this.log.only()).doesNotContainKeys("txnNumber").containsKey("maxTimeMS");
		}
	}

	@Test
	void storedKeysBeginWithThePrefix() {
		MongoLockStore store = new MongoLockStore(TestTemplates.template(this.client), "locks", "app:");
		store.renew(LEASE, TIMEOUT);
		assertThat(sent().getArray("updates").get(0).asDocument().getDocument("q").getString("_id").getValue())
			.isEqualTo("app:k");
	}

	@Test
	void noCommandJoinsATransactionOfTheCaller() {
		inTransaction(() -> {
			this.store.acquire(Claims.on("k"), TIMEOUT);
			this.store.renew(LEASE, TIMEOUT);
			this.store.release(LEASE, TIMEOUT);
			this.store.list(1, TIMEOUT);
			assertThat(TransactionSynchronizationManager.getSynchronizations()).isEmpty();
		});
		assertThat(this.log.all()).hasSize(4)
			.allSatisfy(
					(command) -> assertThat(command).doesNotContainKeys("txnNumber", "startTransaction", "autocommit"));
	}

	@Test
	void aTemplateThatDoesJoinShowsThatThereIsATransactionToJoin() {
		MongoTemplate joining = TestTemplates.template(this.client);
		joining.setSessionSynchronization(SessionSynchronization.ALWAYS);
		inTransaction(() -> assertThatExceptionOfType(DataAccessException.class)
			.isThrownBy(() -> joining.insert(new Document("_id", "k"), "locks")));
	}

	private static Document dead(long renewedAt, long ttl) {
		return new Document("token", "t" + renewedAt).append("fence", 1L)
			.append("limit", 2)
			.append("acquiredAt", new Date(renewedAt))
			.append("renewedAt", new Date(renewedAt))
			.append("ttl", ttl);
	}

	private static void inTransaction(Runnable work) {
		TransactionSynchronizationManager.initSynchronization();
		TransactionSynchronizationManager.setActualTransactionActive(true);
		try {
			work.run();
		}
		finally {
			// A session that joined is bound to the thread until the end
			TransactionSynchronizationUtils.triggerBeforeCompletion();
			TransactionSynchronizationUtils.triggerAfterCompletion(TransactionSynchronization.STATUS_ROLLED_BACK);
			TransactionSynchronizationManager.clear();
		}
	}

	private void connect(String connectionString) {
		if (this.client != null) {
			this.client.close();
		}
		this.client = this.log.connect(connectionString);
		this.store = new MongoLockStore(TestTemplates.template(this.client), "locks", "");
		this.client.getDatabase(TestTemplates.DATABASE).drop();
		this.log.clear();
	}

	private List<String> commands() {
		return this.log.all().stream().map(BsonDocument::getFirstKey).toList();
	}

	private BsonDocument sent() {
		return RecordedCommands.essence(this.log.only());
	}

	private static BsonDocument recorded(String name) {
		BsonDocument recorded = RecordedCommands.essence(RECORDED.get(name));
		// The default, which the driver writes out
		return recorded.append("ordered", BsonBoolean.TRUE);
	}

	private static String concern(BsonDocument command) {
		BsonValue w = command.getDocument("writeConcern").get("w");
		return (w.isString()) ? w.asString().getValue() : String.valueOf(w.asNumber().intValue());
	}

}
