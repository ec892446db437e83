package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.TestAbortedException;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.SimpleMongoClientDatabaseFactory;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockRequest;
import io.mongolock.faults.matrix.Level;
import io.mongolock.faults.matrix.RowFigures;
import io.mongolock.faults.matrix.ShowsRow;
import io.mongolock.store.Leased;
import io.mongolock.store.StoredLock;
import io.mongolock.store.mongo.FencedWrites;
import io.mongolock.store.mongo.MongoLockStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Rows 17, 22, 23 and 33 on the replica set that {@code MONGO_LOCK_TEST_URI} names, which
 * has to run with {@code enableTestCommands=1}.
 */
@Timeout(180)
class ReplicaSetRowsTests {

	private static final String NAME = "MONGO_LOCK_TEST_URI";

	private static final String URI = System.getProperty(NAME, System.getenv(NAME));

	private final LockRequest request = LockRequest.of("rows:" + UUID.randomUUID());

	private MongoClient admin;

	private RigClient client;

	private MongoLockStore store;

	private String server;

	@BeforeEach
	void connect() {
		if (URI == null || URI.isBlank()) {
			throw new TestAbortedException("needs a replica set: set " + NAME);
		}
		this.admin = MongoClients.create(URI);
		if (run(new Document("hello", 1)).getString("setName") == null) {
			throw new TestAbortedException("needs a replica set: " + NAME + " names a standalone server");
		}
		this.server = "mongod " + run(new Document("buildInfo", 1)).getString("version") + ", replica set";
		this.store = RigClient.store(this.admin);
		this.client = new RigClient(URI, RigClient.settings(Rig.LONG, Duration.ofSeconds(60)), LockClock.system())
			.warm();
	}

	@AfterEach
	void disconnect() {
		if (this.client != null) {
			run(new Document("configureFailPoint", "failCommand").append("mode", "off"));
			this.client.close();
		}
		if (this.admin != null) {
			this.admin.close();
		}
	}

	@Test
	@ShowsRow(value = 17, level = Level.R)
	void aClaimDuringAStepDownIsGrantedOnce(RowFigures figures) {
		LockHandle held = this.client.locks().acquire(LockRequest.of(this.request.key() + ":held"));
		try {
			run(new Document("replSetStepDown", 10).append("force", true));
		}
		catch (MongoException ex) {
			// the server may close the connection instead of an answer
		}
		try (LockHandle handle = this.client.locks().acquire(this.request)) {
			assertGrantedOnce(handle);
		}
		await().atMost(Rig.LONG).untilAsserted(held::renew);
		held.close();
		figures.server(this.server).add("double grants", 0).add("lost", this.client.told().losses().size());
	}

	@ParameterizedTest
	@ValueSource(ints = { 64, 50 })
	@ShowsRow(value = 22, level = Level.R)
	void aClaimWhoseWriteConcernFailedIsAskedAgain(int code, RowFigures figures) {
		failClaims(1, new Document("writeConcernError", new Document("code", code).append("errmsg", "by the test")));
		try (LockHandle handle = this.client.locks().acquire(this.request)) {
			assertGrantedOnce(handle);
		}
		figures.server(this.server).add("double grants", 0);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2 })
	@ShowsRow(value = 23, level = Level.R)
	void aClaimThatMayBeRetriedIsGrantedOnce(int times, RowFigures figures) {
		for (Document failure : List.of(new Document("errorCode", 91), new Document("errorCode", 10107),
				new Document("closeConnection", true))) {
			failClaims(times, failure);
			try (LockHandle handle = this.client.locks().acquire(this.request)) {
				assertGrantedOnce(handle);
			}
		}
		figures.server(this.server).add("double grants", 0);
	}

	@Test
	@ShowsRow(value = 33, level = Level.R)
	void aTransactionThatTouchesALockWhichIsGoneIsRolledBack(RowFigures figures) {
		SimpleMongoClientDatabaseFactory factory = new SimpleMongoClientDatabaseFactory(this.admin, Rig.DATABASE);
		MongoTemplate mongo = new MongoTemplate(factory);
		TransactionTemplate transactions = new TransactionTemplate(new MongoTransactionManager(factory));
		FencedWrites writes = new FencedWrites(mongo, this.store);
		LockHandle handle = this.client.locks().acquire(this.request);
		assertThat(insertAndTouch(mongo, transactions, writes, handle)).isTrue();
		this.store.release(((Leased) handle).lease(), Rig.LONG);
		assertThat(insertAndTouch(mongo, transactions, writes, handle)).isFalse();
		assertThat(mongo.getCollection("touched").countDocuments(new Document("key", handle.key()))).isOne();
		figures.server(this.server).add("committed after the loss", 0);
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
		StoredLock lock = this.store.find(handle.key(), Rig.LONG).orElseThrow();
		assertThat(lock.fence()).isEqualTo(handle.fence());
		assertThat(lock.holders()).hasSize(1);
	}

	private void failClaims(int times, Document failure) {
		Document data = new Document("failCommands", List.of("findAndModify"));
		data.putAll(failure);
		run(new Document("configureFailPoint", "failCommand").append("mode", new Document("times", times))
			.append("data", data));
	}

	private Document run(Document command) {
		return this.admin.getDatabase("admin").runCommand(command);
	}

}
