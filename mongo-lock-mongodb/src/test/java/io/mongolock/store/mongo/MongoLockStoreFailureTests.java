package io.mongolock.store.mongo;

import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.Claims;
import io.mongolock.store.ReleaseAnswer;
import io.mongolock.store.StoredHolder;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.proxy.FaultProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Tests for what {@link MongoLockStore} makes of servers and networks that fail.
 */
class MongoLockStoreFailureTests {

	private static final Duration LONG = Duration.ofSeconds(20);

	private static final Duration SHORT = Duration.ofMillis(300);

	private EmbeddedMongo server;

	private FaultProxy proxy;

	private MongoClient client;

	private MongoLockStore store;

	@BeforeEach
	void start() {
		this.server = EmbeddedMongo.start();
		this.proxy = FaultProxy.to("127.0.0.1", this.server.port());
		this.client = TestTemplates.impatient(this.proxy.connectionString());
		this.store = new MongoLockStore(TestTemplates.template(this.client), "locks", "");
	}

	@AfterEach
	void stop() {
		Thread.interrupted();
		this.client.close();
		this.proxy.close();
		this.server.close();
	}

	@Test
	void aRequestThatIsNeverAnsweredIsUnknownAndEndsInTime() {
		Claim claim = granted();
		this.proxy.onAny().dropRequest().always();
		long start = System.nanoTime();
		assertFails(() -> this.store.acquire(Claims.on("key"), SHORT), Outcome.UNKNOWN).hasMessageStartingWith(
				"Could not acquire lock 'key' within 300 ms, but the request may have been executed");
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(SHORT, Duration.ofSeconds(20));
		this.proxy.clear();
		assertThat(this.store.renew(claim.id(), LONG)).isTrue();
	}

	@Test
	void everyWriteWithoutAnswerIsUnknownAndEveryReadIsNot() {
		Claim claim = granted();
		List<ThrowingCallable> writes = List.of(() -> this.store.renew(claim.id(), SHORT),
				() -> this.store.renewAll(List.of(claim.id()), SHORT), () -> this.store.release(claim.id(), SHORT),
				() -> this.store.leave(claim.id(), SHORT));
		for (ThrowingCallable write : writes) {
			assertFailsWithoutAnswer(write, Outcome.UNKNOWN);
		}
		assertFailsWithoutAnswer(() -> this.store.find("key", SHORT), Outcome.NOT_EXECUTED);
		assertFailsWithoutAnswer(() -> this.store.list(1, SHORT), Outcome.NOT_EXECUTED);
	}

	@Test
	void aClaimWhoseAnswerIsLostIsUnknownAndTheSameAttemptLearnsOfItsGrant() {
		granted();
		Claim claim = Claims.on("lost");
		this.proxy.onAny().cutBeforeReply().always();
		assertFails(() -> this.store.acquire(claim, Duration.ofSeconds(2)), Outcome.UNKNOWN);
		this.proxy.clear();
		long fence = this.store.find("lost", LONG).orElseThrow().fence();
		ClaimAnswer answer = this.store.acquire(claim, LONG);
		assertThat(answer.lock().holders()).extracting(StoredHolder::fence).containsExactly(fence);
	}

	@Test
	void aClaimWhoseConnectionBreaksIsAskedAgainAtOnceAndItsAnswerIsInDoubt() {
		try (EmbeddedMongo set = EmbeddedMongo.builder().replicaSet().start();
				FaultProxy between = FaultProxy.to("127.0.0.1", set.port());
				MongoClient cut = TestTemplates.impatient(between.connectionString())) {
			MongoLockStore store = new MongoLockStore(TestTemplates.template(cut), "locks", "");
			for (Claim claim : List.of(Claims.first(Claims.on("first")), Claims.on("general"))) {
				between.on("findAndModify").cutBeforeReply().once();
				ClaimAnswer answer = store.acquire(claim, LONG);
				assertThat(answer.grantTo(claim.id().leaseToken())).isPresent();
				assertThat(answer.inDoubt()).as("the first request may run later").isTrue();
				assertThat(store.acquire(claim, LONG).inDoubt()).isFalse();
			}
			Claim waiting = Claims.waiting(Claims.on("general"));
			between.on("findAndModify").cutBeforeReply().once();
			assertThat(store.acquire(waiting, LONG).lock().queue()).hasSize(1);
			assertThat(between.requests("findAndModify")).isEqualTo(8);
		}
	}

	@Test
	void aClaimThatMayHaveBeenExecutedStaysUnknownIfTheNextOneIsNot() {
		granted();
		this.proxy.on("findAndModify").cutBeforeReply().once();
		this.proxy.refuseNewConnections();
		assertFails(() -> this.store.acquire(Claims.on("lost"), SHORT), Outcome.UNKNOWN);
	}

	@Test
	void aClaimThatMayHaveBeenExecutedStaysUnknownIfTheNextAnswerIsUnreadable() {
		granted();
		this.client.getDatabase(TestTemplates.DATABASE)
			.getCollection("locks")
			.updateOne(new Document("_id", "key"),
					new Document("$set", new Document("holders.0.acquiredAt", "forged")));
		assertFails(() -> this.store.acquire(Claims.on("key"), LONG), Outcome.REFUSED);
		this.proxy.on("findAndModify").cutBeforeReply().once();
		assertFails(() -> this.store.acquire(Claims.on("key"), LONG), Outcome.UNKNOWN);
	}

	@Test
	void aReleaseWhoseAnswerIsLostIsUnknownAndFalseWhenRepeated() {
		Claim claim = granted();
		this.proxy.on("findAndModify").cutBeforeReply().always();
		assertFails(() -> this.store.release(claim.id(), LONG), Outcome.UNKNOWN);
		this.proxy.clear();
		assertThat(this.store.release(claim.id(), LONG).ended()).isFalse();
	}

	@Test
	void aReleaseThatDidNotArriveIsSentOnceMoreAndFindsTheLease() {
		Claim claim = granted();
		this.proxy.on("findAndModify").cut().once();
		assertThat(this.store.release(claim.id(), LONG)).isEqualTo(new ReleaseAnswer(true, false));
		assertThat(this.proxy.requests("findAndModify")).as("a claim and two releases").isEqualTo(3);
	}

	@Test
	void aReleaseThatFindsNothingTheSecondTimeIsUnknown() {
		Claim claim = granted();
		this.proxy.on("findAndModify").cutBeforeReply().once();
		assertFails(() -> this.store.release(claim.id(), LONG), Outcome.UNKNOWN);
		assertThat(this.proxy.requests("findAndModify")).as("a claim and two releases").isEqualTo(3);
	}

	@Test
	void aReleaseThatFailsEachTimeIsSentAFewTimes() {
		Claim claim = granted();
		this.proxy.on("findAndModify").cut().always();
		assertFails(() -> this.store.release(claim.id(), LONG), Outcome.UNKNOWN);
		assertThat(this.proxy.requests("findAndModify")).as("a claim and releases").isEqualTo(6);
	}

	@Test
	void aClosedPortIsNotExecuted() throws IOException {
		int port;
		try (ServerSocket closed = new ServerSocket(0)) {
			port = closed.getLocalPort();
		}
		try (MongoClient nobody = MongoClients.create("mongodb://user:secret@127.0.0.1:" + port)) {
			MongoLockStore store = new MongoLockStore(TestTemplates.template(nobody), "locks", "");
			assertFails(() -> store.acquire(Claims.on("key"), SHORT), Outcome.NOT_EXECUTED)
				.hasMessageContaining("nothing was executed")
				.hasMessageContaining("127.0.0.1:" + port)
				.hasMessageNotContaining("secret");
			assertFails(() -> store.find("key", SHORT), Outcome.NOT_EXECUTED);
		}
	}

	@Test
	void aServerThatAcceptsAndNeverAnswersIsNotExecuted() throws IOException {
		try (ServerSocket silent = new ServerSocket(0);
				MongoClient waiting = MongoClients.create("mongodb://127.0.0.1:" + silent.getLocalPort())) {
			MongoLockStore store = new MongoLockStore(TestTemplates.template(waiting), "locks", "");
			assertFails(() -> store.acquire(Claims.on("key"), SHORT), Outcome.NOT_EXECUTED);
		}
	}

	@Test
	void noConnectionInTimeIsNotExecuted() throws Exception {
		try (MongoClient narrow = MongoClients.create(this.proxy.connectionString() + "&maxPoolSize=1")) {
			MongoLockStore store = new MongoLockStore(TestTemplates.template(narrow), "locks", "");
			store.acquire(Claims.on("key"), LONG);
			this.proxy.onAny().dropRequest().always();
			CompletableFuture<Void> hanging = CompletableFuture
				.runAsync(() -> assertFails(() -> store.renew(Claims.on("a").id(), LONG), Outcome.UNKNOWN));
			this.proxy.awaitRequests("update", 1, LONG);
			assertFails(() -> store.acquire(Claims.on("b"), SHORT), Outcome.NOT_EXECUTED)
				.hasMessageContaining("waiting for a connection");
			this.proxy.close();
			hanging.get(20, TimeUnit.SECONDS);
		}
	}

	@Test
	void aClosedClientIsNotExecuted() {
		this.client.close();
		assertFails(() -> this.store.acquire(Claims.on("key"), SHORT), Outcome.NOT_EXECUTED);
	}

	@Test
	void anInterruptedRequestIsUnknownAndTheThreadStaysInterrupted() {
		granted();
		Thread.currentThread().interrupt();
		assertFails(() -> this.store.acquire(Claims.on("other"), LONG), Outcome.UNKNOWN);
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
	}

	@Test
	@Timeout(60)
	void aTimeoutOfZeroIsNotForEver() {
		this.proxy.onAny().dropRequest().always();
		// While it waits for a server, for an answer, or at once on a busy machine
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.store.acquire(Claims.on("key"), Duration.ZERO));
	}

	private Claim granted() {
		Claim claim = Claims.on("key");
		assertThat(this.store.acquire(claim, LONG).grantTo(claim.id().leaseToken())).isPresent();
		return claim;
	}

	private void assertFailsWithoutAnswer(ThrowingCallable call, Outcome outcome) {
		this.proxy.clear();
		this.store.find("warm up", LONG);
		this.proxy.onAny().dropRequest().always();
		assertFails(call, outcome);
	}

	private static AbstractThrowableAssert<?, ?> assertFails(ThrowingCallable call, Outcome outcome) {
		LockStoreException failure = catchThrowableOfType(LockStoreException.class, call);
		assertThat(failure).isNotNull().hasCauseInstanceOf(RuntimeException.class);
		assertThat(failure.getOutcome()).as(failure.getMessage()).isEqualTo(outcome);
		return assertThat(failure);
	}

}
