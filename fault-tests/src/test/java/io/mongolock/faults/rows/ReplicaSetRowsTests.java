package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import com.mongodb.WriteConcern;
import com.mongodb.client.result.InsertOneResult;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.RealSet;
import io.mongolock.faults.harness.ScriptedSet;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Rows 16, 17 and 20 to 23 on the replica set that {@code MONGO_LOCK_TEST_URI} names,
 * most of which need {@code enableTestCommands=1}: what can be done to it over
 * connections alone. The network and the clocks of its members cannot be reached that
 * way, so rows 18, 19 and 24 are left to {@link ScriptedSet}.
 */
@Tag("real-server")
@Timeout(180)
class ReplicaSetRowsTests {

	private static final Duration WAIT = Duration.ofSeconds(60);

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

	@Test
	@ShowsRow(value = 16, level = Level.REPLICA_SET)
	void aPrimaryThatStepsDownCostsTheHolderNothing(RowFigures figures) {
		LockHandle handle = this.client.locks().acquire(this.request);
		this.set.stepDown();
		long steppedDown = System.nanoTime();
		await().atMost(Harness.LONG).ignoreExceptionsInstanceOf(LockStoreException.class).untilAsserted(handle::renew);
		long renewed = System.nanoTime();
		assertThat(handle.isHeld()).isTrue();
		assertThat(this.client.told().losses()).isEmpty();
		assertThat(stored().holders()).extracting(StoredHolder::fence).containsExactly(handle.fence());
		handle.close();
		assertThat(this.client.locks().acquire(this.request).fence()).isGreaterThan(handle.fence());
		figures.server(this.set.label()).add("renewed after", Harness.millis(renewed - steppedDown)).add("lost", 0);
		figures.add("fence", "unchanged");
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
	@ShowsRow(value = 21, level = Level.REPLICA_SET)
	void aClaimWithoutAMajorityFailsInTimeAndLeavesNothing(RowFigures figures) {
		this.set.haltReplication();
		long start = System.nanoTime();
		assertUnknown(this.client);
		Duration blocked = Duration.ofNanos(System.nanoTime() - start);
		assertThat(blocked).isLessThan(OPERATION_TIMEOUT.plusSeconds(10));
		this.set.resumeReplication();
		long resumed = System.nanoTime();
		await().atMost(Harness.LONG).until(() -> stored().holders().isEmpty());
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
		figures.server(this.set.label()).add("double grants", 0).add("lost", this.client.told().losses().size());
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
