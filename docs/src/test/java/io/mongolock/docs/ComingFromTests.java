package io.mongolock.docs;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import com.mongodb.ConnectionString;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;
import io.mongolock.LossReason;
import io.mongolock.OnLost;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.StoredLock;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.server.SuiteServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What the tables of {@code docs/coming-from.md} say of this library, on the server of
 * the suites: an embedded one, or a real one where there is one.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE,
		properties = { "mongo-lock.collection=moved", "mongo-lock.margin=500ms", "mongo-lock.wait-timeout=20s",
				"mongo-lock.locks.short.ttl=4s", "mongo-lock.locks.short.renew-interval=500ms" })
class ComingFromTests {

	private static final Duration SOON = Duration.ofSeconds(20);

	private static final Duration NOW = Duration.ofSeconds(5);

	@Autowired
	private Jobs jobs;

	@Autowired
	private LockOperations locks;

	@Autowired
	private LockStore store;

	@Autowired
	private Losses losses;

	@AfterAll
	static void drop(@Autowired MongoTemplate mongo) {
		mongo.getDb().drop();
	}

	@Test
	void aMethodIsSkippedWhileAnotherHoldsItsLock() {
		assertThat(this.jobs.settle()).contains("settled");
		try (LockHandle other = this.locks.acquire(LockRequest.of("settlement"))) {
			assertThat(this.jobs.settle()).isEmpty();
			assertThat(other.isHeld()).isTrue();
		}
	}

	@Test
	void aMethodIsSkippedOnceItHasWaitedForItsTime() {
		try (LockHandle other = this.locks.acquire(LockRequest.of("mails"))) {
			assertThat(this.jobs.mails()).isEmpty();
			assertThat(other.isHeld()).isTrue();
		}
		assertThat(this.jobs.mails()).contains("sent");
	}

	@Test
	void theTtlIsRenewedWhileTheMethodRuns() {
		this.jobs.renewed();
	}

	@Test
	void withoutRenewalTheLockEndsAfterItsTtl() {
		this.jobs.notRenewed();
	}

	@Test
	void aShortMethodKeepsItsLockForTheMinHold() {
		this.jobs.report();
		assertThat(find("report").holders()).hasSize(1);
	}

	@Test
	void aKeyMayBeMadeOfArguments() {
		assertThat(this.jobs.perShop("rome")).isEqualTo("settlement-rome");
		assertThat(this.jobs.perShopOfAName("rome")).isEqualTo("settlement:rome");
		assertThat(this.jobs.order("42")).isEqualTo("order:42");
	}

	@Test
	void aMethodWithoutNameAndKeyFailsTheStart() {
		new ApplicationContextRunner().withUserConfiguration(App.class, Nameless.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("has a lock with neither a name nor a key"));
	}

	@Test
	void theStarterAndTheAnnotationAreAll() {
		assertThat(this.jobs.perShop("oslo")).isEqualTo("settlement-oslo");
		assertThat(find("settlement-oslo").holders()).isEmpty();
	}

	@Test
	void theCollectionIsNamedOnceForAll(@Autowired MongoTemplate mongo) {
		this.jobs.order("7");
		assertThat(
				mongo.getCollection("moved").find().map((lock) -> lock.get("_id")).into(new CopyOnWriteArrayList<>()))
			.contains("order:7");
	}

	@Test
	void theTtlIsThirtySecondsUnlessItIsSet() {
		try (LockHandle lock = this.locks.acquire(LockRequest.of("unset"))) {
			assertThat(find("unset").holders().get(0).ttl()).isEqualTo(Duration.ofSeconds(30));
			assertThat(lock.remaining()).isPositive();
		}
		try (LockHandle lock = this.locks.acquire(LockRequest.of("short", "1"))) {
			assertThat(find("short:1").holders().get(0).ttl()).as("by name").isEqualTo(Duration.ofSeconds(4));
			assertThat(lock.key()).isEqualTo("short:1");
		}
		try (LockHandle lock = this.locks.acquire(LockRequest.builder("own").ttl(NOW).build())) {
			assertThat(find("own").holders().get(0).ttl()).as("by request").isEqualTo(NOW);
			assertThat(lock.fence()).isPositive();
		}
	}

	@Test
	void theContextKnowsTheLockOfTheMethod() {
		assertThat(this.jobs.current()).startsWith("current ");
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(LockContext::current);
	}

	@Test
	void aLockIsExtendedByHand() {
		try (LockHandle lock = this.locks.acquire(LockRequest.builder("extended").autoRenew(false).build())) {
			Duration before = lock.remaining();
			await().atMost(SOON).until(() -> lock.remaining().compareTo(before.minusSeconds(2)) < 0);
			Duration left = lock.remaining();
			lock.renew();
			assertThat(lock.remaining()).isGreaterThan(left);
		}
	}

	@Test
	void workIsDoneUnderALockInCode() {
		assertThat(this.locks.<String, RuntimeException>execute(LockRequest.of("task"), LockHandle::key))
			.isEqualTo("task");
		try (LockHandle other = this.locks.acquire(LockRequest.of("task"))) {
			assertThat(this.locks.tryAcquire(once("task"))).isEmpty();
			assertThat(other.isHeld()).isTrue();
		}
	}

	@Test
	void aDeniedClaimThrowsAnException() {
		try (LockHandle other = this.locks.acquire(LockRequest.of("busy"))) {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.locks.acquire(once("busy")));
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(this.jobs::busy);
			assertThat(other.isHeld()).isTrue();
		}
	}

	@Test
	void aWaiterIsGrantedTheLockOnceItIsFree() {
		LockHandle first = this.locks.acquire(LockRequest.of("handed"));
		CompletableFuture<LockHandle> next = this.locks
			.acquireAsync(LockRequest.builder("handed").retryInterval(Duration.ofMillis(50)).build());
		assertThat(next).isNotDone();
		first.close();
		assertThat(next).succeedsWithin(SOON);
		next.join().close();
	}

	@Test
	void aLockIsTakenAndFreedAsOneOfTheJdk() throws InterruptedException {
		Lock lock = this.locks.asLock(LockRequest.of("jdk"));
		lock.lock();
		try {
			assertThat(this.locks.tryAcquire(once("jdk"))).isEmpty();
			assertThat(lock.tryLock()).as("reentrant").isTrue();
			lock.unlock();
		}
		finally {
			lock.unlock();
		}
		assertThat(lock.tryLock(5, TimeUnit.SECONDS)).isTrue();
		lock.unlock();
	}

	@Test
	void aClaimWaitsAndItsLeaseLastsAsLongAsItSays() {
		LockRequest request = LockRequest.builder("both").waitTimeout(Duration.ZERO).ttl(NOW).build();
		try (LockHandle lock = this.locks.tryAcquire(request).orElseThrow()) {
			assertThat(lock.remaining()).isPositive().isLessThan(NOW);
			assertThat(this.locks.tryAcquire(request)).isEmpty();
		}
	}

	@Test
	void workUnderALockMayTakeItAgain() {
		LockRequest request = LockRequest.of("inner");
		assertThat(this.locks.<String, RuntimeException>execute(request,
				(outer) -> this.locks.execute(request, (inner) -> "same " + (inner.fence() == outer.fence()))))
			.isEqualTo("same true");
	}

	@Test
	void aLossIsAnExceptionAtTheEndAndAnEventAtOnce() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.locks.execute(LockRequest.of("lost"), (lock) -> {
				takeAway("lost");
				assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::renew);
				return null;
			}));
		await().atMost(NOW).untilAsserted(() -> assertThat(this.losses.keys).contains("lost"));
	}

	@Test
	void eachGrantHasAHigherFence() {
		long fence = this.locks.execute(LockRequest.of("fenced"), LockHandle::fence);
		long next = this.locks.execute(LockRequest.of("fenced"), LockHandle::fence);
		assertThat(next).isGreaterThan(fence);
	}

	@Test
	void readersShareALockThatAWriterHasAlone() {
		ReadWriteLock lock = this.locks.asReadWriteLock(LockRequest.of("shelf"));
		lock.readLock().lock();
		try (LockHandle reader = this.locks.acquire(LockRequest.builder("shelf").shared().build())) {
			assertThat(find("shelf").holders()).hasSize(2);
			assertThat(this.locks.tryAcquire(once("shelf"))).isEmpty();
			assertThat(reader.isHeld()).isTrue();
		}
		finally {
			lock.readLock().unlock();
		}
	}

	@Test
	void asManyAsTheLimitHoldALockTogether() {
		LockRequest permit = LockRequest.builder("pool").limit(2).waitTimeout(Duration.ZERO).build();
		try (LockHandle one = this.locks.acquire(permit); LockHandle two = this.locks.acquire(permit)) {
			assertThat(this.locks.tryAcquire(permit)).isEmpty();
			assertThat(one.isHeld() && two.isHeld()).isTrue();
		}
	}

	@Test
	void aHandleBelongsToNoThread() {
		LockHandle lock = this.locks.acquireAsync(LockRequest.of("async")).orTimeout(20, TimeUnit.SECONDS).join();
		assertThat(CompletableFuture.runAsync(lock::close)).succeedsWithin(SOON);
		assertThat(this.locks.executeAsync(LockRequest.of("async"),
				(held) -> CompletableFuture.completedFuture(held.key())))
			.succeedsWithin(SOON)
			.isEqualTo("async");
	}

	@Test
	void severalKeysAreTakenTogether() {
		assertThat(this.jobs.transfer("b", "a")).isEqualTo("b to a");
		try (LockHandle other = this.locks.acquire(LockRequest.of("account", "b"))) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.jobs.transfer("a", "b"));
			assertThat(other.isHeld()).isTrue();
		}
		assertThat(find("account:a").holders()).isEmpty();
	}

	private static LockRequest once(String key) {
		return LockRequest.builder(key).waitTimeout(Duration.ZERO).build();
	}

	private StoredLock find(String key) {
		return this.store.find(key, SOON).orElseThrow();
	}

	private void takeAway(String key) {
		find(key).holders().forEach((holder) -> this.store.release(new LeaseId(key, holder.leaseToken()), SOON));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Jobs.class, Losses.class })
	static class App {

		@Bean
		Server server() {
			return new Server();
		}

		@Bean
		MongoConnectionDetails mongoConnectionDetails(Server server) {
			return () -> new ConnectionString(server.uri());
		}

	}

	/** The one of the suites, or one of its own. */
	static class Server implements AutoCloseable {

		private final @Nullable EmbeddedMongo embedded;

		private final String uri;

		Server() {
			Optional<String> given = SuiteServer.get().uri();
			this.embedded = (given.isEmpty()) ? EmbeddedMongo.builder().replicaSet().start() : null;
			this.uri = given.or(() -> Optional.ofNullable(this.embedded).map(EmbeddedMongo::connectionString))
				.orElseThrow();
		}

		String uri() {
			return this.uri.replaceFirst("^(mongodb://[^/?]+)/?([^/?]*)", "$1/coming-from");
		}

		@Override
		public void close() {
			if (this.embedded != null) {
				this.embedded.close();
			}
		}

	}

	/** A method that says of its lock neither name nor key. */
	static class Nameless {

		@DistributedLock
		void run() {
		}

	}

	/** Hears of losses. */
	static class Losses implements LockListener {

		private final List<String> keys = new CopyOnWriteArrayList<>();

		@Override
		public void onLost(LockHandle handle, LossReason reason) {
			this.keys.add(handle.key());
		}

	}

	/** As one writes them who comes from elsewhere. */
	static class Jobs {

		@DistributedLock(name = "settlement", onUnavailable = OnUnavailable.SKIP)
		Optional<String> settle() {
			return Optional.of("settled");
		}

		@DistributedLock(name = "mails", waitTimeout = "100ms", onUnavailable = OnUnavailable.SKIP)
		Optional<String> mails() {
			return Optional.of("sent");
		}

		@DistributedLock(name = "short", key = "'renewed'")
		void renewed() {
			LockHandle lock = LockContext.current();
			long begun = System.nanoTime();
			await().atMost(SOON).until(() -> System.nanoTime() - begun > Duration.ofSeconds(5).toNanos());
			lock.assertHeld();
		}

		@DistributedLock(name = "short", key = "'left'", autoRenew = "false", onLost = OnLost.IGNORE)
		void notRenewed() {
			LockHandle lock = LockContext.current();
			await().atMost(SOON).until(() -> !lock.isHeld());
		}

		@DistributedLock(name = "report", minHold = "1m")
		void report() {
		}

		@DistributedLock(key = "'settlement-' + #shop")
		String perShop(String shop) {
			return LockContext.current().key();
		}

		@DistributedLock(name = "settlement", key = "#shop")
		String perShopOfAName(String shop) {
			return LockContext.current().key();
		}

		@DistributedLock(name = "order", key = "#id")
		String order(String id) {
			return LockContext.current().key();
		}

		@DistributedLock("current")
		String current() {
			LockContext.current().assertHeld();
			LockContext.current().renew();
			return "current " + LockContext.current().fence();
		}

		@DistributedLock(name = "busy", waitTimeout = "0s")
		void busy() {
		}

		@DistributedLock(name = "account", key = "#from", waitTimeout = "100ms")
		@DistributedLock(name = "account", key = "#to", waitTimeout = "100ms")
		String transfer(String from, String to) {
			return from + " to " + to;
		}

	}

}
