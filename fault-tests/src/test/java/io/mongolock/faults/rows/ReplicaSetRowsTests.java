package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import com.mongodb.WriteConcern;
import com.mongodb.client.result.InsertOneResult;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.LossReason;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.MemberFate;
import io.mongolock.faults.harness.RealSet;
import io.mongolock.faults.harness.RecordingLockListener;
import io.mongolock.faults.harness.ScriptedSet;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.test.server.RealMember;
import io.mongolock.test.server.RealMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Rows 16 to 23 on a real replica set: on three members that the tests start, or, as far
 * as it can be done over connections alone, on the set that {@code MONGO_LOCK_TEST_URI}
 * names. Most need {@code enableTestCommands=1}. {@link ScriptedSet} shows the same
 * without a server, and what a real one does too seldom.
 */
@Tag("real-server")
@Timeout(180)
class ReplicaSetRowsTests {

	private static final Duration WAIT = Duration.ofSeconds(60);

	/** Has a margin of 1 s. */
	private static final Duration TTL = Duration.ofSeconds(5);

	/** What a ttl of 30 s leaves for a request. */
	private static final Duration OPERATION_TIMEOUT = Duration.ofSeconds(3);

	private final String key = "rows:" + UUID.randomUUID();

	private final LockRequest request = LockRequest.of(this.key);

	private final LockRequest once = LockRequest.builder(this.key).waitTimeout(Duration.ZERO).build();

	private RealSet set;

	private HarnessClient client;

	@BeforeEach
	void connect() {
		this.set = new RealSet();
		this.client = this.set.client(Harness.LONG, WAIT, WriteConcern.MAJORITY);
	}

	@AfterEach
	void disconnect() {
		if (this.set != null) {
			this.set.close();
		}
	}

	@ParameterizedTest
	@EnumSource
	@ShowsRow(value = 16, level = Level.REPLICA_SET)
	void aPrimaryThatIsReplacedInTimeCostsTheHolderNothing(MemberFate fate, RowFigures figures) {
		LockHandle handle = this.client.locks().acquire(this.request);
		fate.befall(this.set);
		long befallen = System.nanoTime();
		await().atMost(Harness.LONG).ignoreExceptionsInstanceOf(LockStoreException.class).untilAsserted(handle::renew);
		long renewed = System.nanoTime();
		assertThat(handle.isHeld()).isTrue();
		assertThat(this.client.heard().losses()).isEmpty();
		assertThat(stored().holders()).extracting(StoredHolder::fence).containsExactly(handle.fence());
		handle.close();
		assertThat(this.client.locks().acquire(this.request).fence()).isGreaterThan(handle.fence());
		figures.server(this.set.label()).add("renewed after", Harness.millis(renewed - befallen)).add("lost", 0);
		figures.add("fence", "unchanged");
	}

	@Test
	@ShowsRow(value = 16, level = Level.REPLICA_SET)
	void aPrimaryThatIsReplacedTooLateCostsTheLockBeforeTheNextGrant(RowFigures figures) {
		HarnessClient holder = this.set.client(TTL, WAIT);
		LockHandle handle = holder.acquire();
		RealMongo members = this.set.members();
		members.primary().kill();
		members.primary().kill();
		holder.heard().awaitLoss();
		members.heal();
		Expect.notifiedBeforeTheNextGrant(holder, handle, this.client, figures.server(this.set.label()));
	}

	@ParameterizedTest
	@EnumSource(names = { "KILLED", "CUT_OFF" })
	@ShowsRow(value = 17, level = Level.REPLICA_SET)
	void aClaimThatThePrimaryAloneHasIsGrantedOnce(MemberFate fate, RowFigures figures) {
		CompletableFuture<LockHandle> granted = this.set
			.executeUnconfirmed(() -> this.client.locks().acquire(this.request), this::isStored);
		long executed = stored().fence();
		RealMember old = this.set.members().primary();
		fate.befall(this.set);
		// Or a member that does not know yet asks the old one, and waits 30 s for an
		// answer
		this.set.members().primaryOtherThan(old);
		this.set.resumeReplication();
		assertThat(granted).succeedsWithin(Harness.LONG);
		LockHandle handle = granted.join();
		assertThat(handle.fence()).as("what the old primary alone had is gone").isNotEqualTo(executed);
		this.set.members().heal();
		assertEverywhereHeldBy(handle);
		handle.close();
		figures.server(this.set.label()).add("double grants", 0);
	}

	@Test
	@ShowsRow(value = 18, level = Level.REPLICA_SET)
	void aHolderThatIsIsolatedWithThePrimaryIsToldBeforeTheNextGrant(RowFigures figures) {
		RealMember stale = this.set.members().primary();
		HarnessClient holder = this.set.clientOf(stale, TTL, WAIT);
		LockHandle handle = holder.acquire();
		stale.isolate();
		LockHandle granted = Expect.notifiedBeforeTheNextGrant(holder, handle, this.client,
				figures.server(this.set.label()));
		assertThat(holder.heard().losses()).extracting(RecordingLockListener.Loss::reason)
			.containsExactly(LossReason.DEADLINE);
		Expect.lost(handle::close);
		this.set.members().heal();
		assertThat(this.set.holdersEverywhere(Harness.KEY)).containsOnly(List.of(granted.fence()));
		figures.add("overlap", "0 ms");
	}

	@Test
	@ShowsRow(value = 19, level = Level.REPLICA_SET)
	void aContenderThatIsIsolatedWithThePrimaryIsNotGrantedThere(RowFigures figures) {
		RealMember stale = this.set.members().primary();
		HarnessClient contender = this.set.clientOf(stale, TTL, Duration.ZERO);
		stale.isolate();
		// For as long as it does not notice, it executes what nobody confirms
		Expect.outcomeUnknown(contender);
		boolean executed = this.set.seenBy(stale, Harness.KEY).isPresent();
		LockHandle granted = this.client.acquire();
		assertThat(granted.isHeld()).isTrue();
		this.set.members().heal();
		assertThat(this.set.holdersEverywhere(Harness.KEY)).containsOnly(List.of(granted.fence()));
		figures.server(this.set.label()).add("grants on the minority's side", 0);
		figures.add("executed there and rolled back", (executed) ? 1 : 0);
	}

	@Test
	@ShowsRow(value = 20, level = Level.REPLICA_SET)
	void aClientThatIsSetToOneMemberStillAsksTheMajority(RowFigures figures) {
		HarnessClient single = this.set.client(Harness.LONG, WAIT, WriteConcern.W1);
		this.set.haltReplication();
		InsertOneResult own = single.mongo()
			.getDatabase(Harness.DATABASE)
			.getCollection("touched")
			.insertOne(new Document("key", this.key));
		assertThat(own.wasAcknowledged()).as("by the primary alone").isTrue();
		assertUnknown(single);
		assertThat(stored().holders()).as("executed where nobody confirms it").hasSize(1);
		figures.server(this.set.label()).add("grants by the primary alone", 0);
	}

	@Test
	@ShowsRow(value = 20, level = Level.REPLICA_SET)
	void aWriteConfirmedByThePrimaryAloneIsRolledBackAndNoGrantIs(RowFigures figures) {
		HarnessClient single = this.set.client(Harness.LONG, WAIT, WriteConcern.W1);
		RealMongo members = this.set.members();
		this.set.haltReplication();
		single.mongo().getDatabase(Harness.DATABASE).getCollection("touched").insertOne(new Document("_id", this.key));
		assertUnknown(single);
		this.set.killUnconfirmed();
		try (LockHandle handle = this.client.locks().acquire(this.request)) {
			members.heal();
			assertEverywhereHeldBy(handle);
		}
		long left = this.set.database().getCollection("touched").countDocuments(new Document("_id", this.key));
		assertThat(left).as("confirmed with w: 1 and rolled back").isZero();
		figures.server(this.set.label()).add("writes with w: 1 rolled back", 1).add("grants rolled back", 0);
	}

	@ParameterizedTest(name = "{0}")
	@ValueSource(strings = { "nobody replicates", "the others are killed", "the others stand still" })
	@ShowsRow(value = 21, level = Level.REPLICA_SET)
	void aClaimWithoutAMajorityFailsInTimeAndLeavesNothing(String majority, RowFigures figures) {
		lose(majority);
		long start = System.nanoTime();
		assertUnknown(this.client);
		Duration blocked = Duration.ofNanos(System.nanoTime() - start);
		assertThat(blocked).isLessThan(OPERATION_TIMEOUT.plusSeconds(10));
		regain(majority);
		long resumed = System.nanoTime();
		await().atMost(Harness.LONG.multipliedBy(2)).until(() -> !isHeld());
		long orphan = System.nanoTime() - resumed;
		this.client.locks().acquire(this.request).close();
		figures.server(this.set.label())
			.add("failed after", blocked.toMillis() + " ms with a timeout of " + OPERATION_TIMEOUT.toMillis() + " ms")
			.add("orphan", Harness.millis(orphan) + " of a ttl of " + Harness.LONG.toMillis() + " ms");
	}

	@Test
	@ShowsRow(value = 17, level = Level.REPLICA_SET)
	void aClaimDuringAStepDownIsGrantedOnce(RowFigures figures) {
		LockHandle held = this.client.locks().acquire(LockRequest.of(this.request.key() + ":held"));
		this.set.stepDown();
		try (LockHandle handle = this.client.locks().acquire(this.request)) {
			assertGrantedOnce(handle);
		}
		await().atMost(Harness.LONG).untilAsserted(held::renew);
		held.close();
		figures.server(this.set.label()).add("double grants", 0).add("lost", this.client.heard().losses().size());
	}

	@ParameterizedTest
	@ValueSource(ints = { 64, 50 })
	@ShowsRow(value = 22, level = Level.REPLICA_SET)
	void aClaimWhoseWriteConcernFailedIsAskedAgain(int code, RowFigures figures) {
		this.set.failClaims(1,
				new Document("writeConcernError", new Document("code", code).append("errmsg", "by the test")));
		try (LockHandle handle = this.client.locks().acquire(this.request)) {
			assertGrantedOnce(handle);
		}
		figures.server(this.set.label()).add("double grants", 0);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2 })
	@ShowsRow(value = 23, level = Level.REPLICA_SET)
	void aClaimThatMayBeRetriedIsGrantedOnce(int times, RowFigures figures) {
		for (Document failure : List.of(new Document("errorCode", 91), new Document("errorCode", 10107),
				new Document("closeConnection", true))) {
			this.set.failClaims(times, failure);
			try (LockHandle handle = this.client.locks().acquire(this.request)) {
				assertGrantedOnce(handle);
			}
		}
		figures.server(this.set.label()).add("double grants", 0);
	}

	private void lose(String majority) {
		switch (majority) {
			case "nobody replicates" -> this.set.haltReplication();
			case "the others are killed" -> this.set.members().secondaries().forEach(RealMember::kill);
			default -> this.set.members().secondaries().forEach(RealMember::freeze);
		}
	}

	private void regain(String majority) {
		if (majority.equals("nobody replicates")) {
			this.set.resumeReplication();
		}
		else {
			this.set.members().heal();
		}
	}

	private boolean isStored() {
		return this.set.store().find(this.key, Harness.LONG).isPresent();
	}

	private boolean isHeld() {
		return this.set.store().find(this.key, Harness.LONG).filter((lock) -> !lock.holders().isEmpty()).isPresent();
	}

	private void assertEverywhereHeldBy(LockHandle handle) {
		assertThat(this.set.holdersEverywhere(this.key)).containsOnly(List.of(handle.fence()));
	}

	private void assertUnknown(HarnessClient client) {
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> client.locks().acquire(this.once))
			.returns(Outcome.UNKNOWN, LockStoreException::getOutcome);
	}

	private StoredLock stored() {
		return this.set.store().find(this.key, Harness.LONG).orElseThrow();
	}

	private void assertGrantedOnce(LockHandle handle) {
		StoredLock lock = stored();
		assertThat(lock.fence()).isEqualTo(handle.fence());
		assertThat(lock.holders()).hasSize(1);
	}

}
