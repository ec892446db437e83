package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import com.mongodb.WriteConcern;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.SimpleMongoClientDatabaseFactory;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockRequest;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.RealSet;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.mongodb.FencedWrites;
import io.mongolock.store.Leased;
import io.mongolock.store.StoredLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Rows 17, 22, 23 and 33 on the replica set that {@code MONGO_LOCK_TEST_URI} names, which
 * has to run with {@code enableTestCommands=1}.
 */
@Timeout(180)
class ReplicaSetRowsTests {

	private final LockRequest request = LockRequest.of("rows:" + UUID.randomUUID());

	private RealSet set;

	private HarnessClient client;

	@BeforeEach
	void connect() {
		this.set = new RealSet();
		this.client = this.set.client(Harness.LONG, Duration.ofSeconds(60), WriteConcern.MAJORITY);
	}

	@AfterEach
	void disconnect() {
		if (this.set != null) {
			this.set.close();
		}
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
		failClaims(1, new Document("writeConcernError", new Document("code", code).append("errmsg", "by the test")));
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
			failClaims(times, failure);
			try (LockHandle handle = this.client.locks().acquire(this.request)) {
				assertGrantedOnce(handle);
			}
		}
		figures.server(this.set.label()).add("double grants", 0);
	}

	@Test
	@ShowsRow(value = 33, level = Level.REPLICA_SET)
	void aTransactionThatTouchesALockWhichIsGoneIsRolledBack(RowFigures figures) {
		SimpleMongoClientDatabaseFactory factory = new SimpleMongoClientDatabaseFactory(this.set.admin(),
				Harness.DATABASE);
		MongoTemplate mongo = new MongoTemplate(factory);
		TransactionTemplate transactions = new TransactionTemplate(new MongoTransactionManager(factory));
		FencedWrites writes = FencedWrites.of(mongo, this.set.store());
		LockHandle handle = this.client.locks().acquire(this.request);
		assertThat(insertAndTouch(mongo, transactions, writes, handle)).isTrue();
		this.set.store().release(((Leased) handle).lease(), Harness.LONG);
		assertThat(insertAndTouch(mongo, transactions, writes, handle)).isFalse();
		assertThat(mongo.getCollection("touched").countDocuments(new Document("key", handle.key()))).isOne();
		figures.server(this.set.label()).add("committed after the loss", 0);
	}

	private static boolean insertAndTouch(MongoTemplate mongo, TransactionTemplate transactions, FencedWrites writes,
			LockHandle handle) {
		try {
			transactions.executeWithoutResult((status) -> {
				mongo.insert(new Document("key", handle.key()), "touched");
				writes.touch(handle);
			});
			return true;
		}
		catch (LockLostException ex) {
			return false;
		}
	}

	private void assertGrantedOnce(LockHandle handle) {
		StoredLock lock = this.set.store().find(handle.key(), Harness.LONG).orElseThrow();
		assertThat(lock.fence()).isEqualTo(handle.fence());
		assertThat(lock.holders()).hasSize(1);
	}

	private void failClaims(int times, Document failure) {
		Document data = new Document("failCommands", List.of("findAndModify"));
		data.putAll(failure);
		this.set.run(new Document("configureFailPoint", "failCommand").append("mode", new Document("times", times))
			.append("data", data));
	}

}
