package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.UUID;

import com.mongodb.WriteConcern;
import com.mongodb.client.result.InsertOneResult;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
 * Rows 16, 20 and 21 on the replica set that {@code MONGO_LOCK_TEST_URI} names: what can
 * be done to it over connections alone. The network and the clocks of its members cannot
 * be reached that way, so rows 18, 19 and 24 are left to {@link ScriptedSet}.
 */
@Timeout(180)
class ReplicaSetFailoverRowsTests {

	private static final Duration WAIT = Duration.ofSeconds(60);

	/** What a ttl of 30 s leaves for a request. */
	private static final Duration OPERATION_TIMEOUT = Duration.ofSeconds(3);

	private final String key = "rows:" + UUID.randomUUID();

	private final LockRequest request = LockRequest.of(this.key);

	private final LockRequest once = LockRequest.builder(this.key).waitTimeout(Duration.ZERO).build();

	private RealSet set;

	@BeforeEach
	void connect() {
		this.set = new RealSet();
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
		HarnessClient client = this.set.client(Harness.LONG, WAIT, WriteConcern.MAJORITY);
		LockHandle handle = client.locks().acquire(this.request);
		this.set.stepDown();
		long steppedDown = System.nanoTime();
		await().atMost(Harness.LONG).ignoreExceptionsInstanceOf(LockStoreException.class).untilAsserted(handle::renew);
		long renewed = System.nanoTime();
		assertThat(handle.isHeld()).isTrue();
		assertThat(client.told().losses()).isEmpty();
		assertThat(stored().holders()).extracting(StoredHolder::fence).containsExactly(handle.fence());
		handle.close();
		assertThat(client.locks().acquire(this.request).fence()).isGreaterThan(handle.fence());
		figures.server(this.set.label())
			.add("renewed after", Harness.millis(renewed - steppedDown))
			.add("lost", 0)
			.add("fence", "unchanged");
	}

	@Test
	@ShowsRow(value = 20, level = Level.REPLICA_SET)
	void aClientThatIsSetToOneMemberStillAsksTheMajority(RowFigures figures) {
		HarnessClient client = this.set.client(Harness.LONG, WAIT, WriteConcern.W1);
		this.set.haltReplication();
		InsertOneResult own = client.mongo()
			.getDatabase(Harness.DATABASE)
			.getCollection("touched")
			.insertOne(new Document("key", this.key));
		assertThat(own.wasAcknowledged()).as("by the primary alone").isTrue();
		assertUnknown(client);
		assertThat(stored().holders()).as("executed where nobody confirms it").hasSize(1);
		figures.server(this.set.label()).add("grants by the primary alone", 0);
	}

	@Test
	@ShowsRow(value = 21, level = Level.REPLICA_SET)
	void aClaimWithoutAMajorityFailsInTimeAndLeavesNothing(RowFigures figures) {
		HarnessClient client = this.set.client(Harness.LONG, WAIT, WriteConcern.MAJORITY);
		this.set.haltReplication();
		long start = System.nanoTime();
		assertUnknown(client);
		Duration blocked = Duration.ofNanos(System.nanoTime() - start);
		assertThat(blocked).isLessThan(OPERATION_TIMEOUT.plusSeconds(2));
		this.set.resumeReplication();
		long resumed = System.nanoTime();
		await().atMost(Harness.LONG).until(() -> stored().holders().isEmpty());
		long orphan = System.nanoTime() - resumed;
		client.locks().acquire(this.request).close();
		figures.server(this.set.label())
			.add("failed after", blocked.toMillis() + " ms with a timeout of " + OPERATION_TIMEOUT.toMillis() + " ms")
			.add("orphan", Harness.millis(orphan) + " of a ttl of " + Harness.LONG.toMillis() + " ms");
	}

	private void assertUnknown(HarnessClient client) {
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> client.locks().acquire(this.once))
			.returns(Outcome.UNKNOWN, LockStoreException::getOutcome);
	}

	private StoredLock stored() {
		return this.set.store().find(this.key, Harness.LONG).orElseThrow();
	}

}
