package io.mongolock.mongodb;

import java.time.Duration;
import java.util.List;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.StaleFenceException;
import io.mongolock.client.LockDefaults;
import io.mongolock.client.LockTemplate;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link FencedWrites} on the embedded server, which has no transactions.
 */
class FencedWritesTests {

	private static final Query ACCOUNT = Query.query(Criteria.where("id").is("a"));

	private EmbeddedMongo server;

	private MongoClient client;

	private MongoTemplate template;

	private LockTemplate locks;

	private FencedWrites fenced;

	@BeforeEach
	void start() {
		this.server = EmbeddedMongo.start();
		this.client = MongoClients.create(this.server.connectionString());
		this.template = new MongoTemplate(this.client, "test");
		MongoLockStore store = new MongoLockStore(this.template, "locks", "");
		this.locks = new LockTemplate(store, LockDefaults.NONE, new LockOwner("app", "1", "host", 1, ""),
				LockClock.system(), List.of());
		this.fenced = new FencedWrites(this.template, store);
		this.template.insert(new Account("a", 100));
	}

	@AfterEach
	void stop() {
		this.locks.stop(Duration.ofSeconds(1));
		this.client.close();
		this.server.close();
	}

	@Test
	void aHolderWritesAgainAndAgainAndItsFenceIsNoted() {
		try (LockHandle lock = this.locks.acquire(LockRequest.of("k"))) {
			assertThat(set(lock, 90)).isEqualTo(1);
			assertThat(set(lock, 80)).isEqualTo(1);
			assertThat(balance()).isEqualTo(80);
			assertThat(this.template.getCollection("account").find().first()).containsEntry("fence", lock.fence());
		}
	}

	@Test
	void aStaleHoldersWriteIsRefusedAndChangesNothing() {
		LockHandle stale = this.locks.acquire(LockRequest.of("k"));
		stale.close();
		try (LockHandle current = this.locks.acquire(LockRequest.of("k"))) {
			set(current, 70);
			assertThatExceptionOfType(StaleFenceException.class).isThrownBy(() -> set(stale, 0))
				.withMessageContaining("A later holder of lock 'k' has already written this Account")
				.satisfies((ex) -> assertThat(ex.getFence()).isEqualTo(stale.fence()));
			assertThat(balance()).isEqualTo(70);
		}
	}

	@Test
	void aMissingDocumentIsNoStaleWrite() {
		try (LockHandle lock = this.locks.acquire(LockRequest.of("k"))) {
			Query missing = Query.query(Criteria.where("id").is("b"));
			assertThat(
					this.fenced.update(lock, missing, new Update().set("balance", 1), Account.class).getMatchedCount())
				.isZero();
		}
	}

	@Test
	void aTouchOutsideOfATransactionIsRefused() {
		try (LockHandle lock = this.locks.acquire(LockRequest.of("k"))) {
			assertThatIllegalStateException().isThrownBy(() -> this.fenced.touch(lock))
				.withMessageContaining("only inside a transaction");
		}
	}

	private long set(LockHandle lock, int balance) {
		return this.fenced.update(lock, ACCOUNT, new Update().set("balance", balance), Account.class).getMatchedCount();
	}

	private int balance() {
		return this.template.findOne(ACCOUNT, Account.class).balance();
	}

	private record Account(@Id String id, int balance) {

	}

}
