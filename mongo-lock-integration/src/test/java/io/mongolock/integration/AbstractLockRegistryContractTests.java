package io.mongolock.integration;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.DistributedLock;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOwner;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What Spring Integration expects of a lock registry, and what ours has beyond that. Two
 * registries stand for two instances of an application.
 */
abstract class AbstractLockRegistryContractTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private final List<LockTemplate> clients = new ArrayList<>();

	private final ExecutorService others = Executors.newCachedThreadPool();

	private final LockTemplate client = client();

	private final LockTemplate otherClient = client();

	private final MongoLockRegistry registry = new MongoLockRegistry(this.client, "integration");

	private final MongoLockRegistry otherRegistry = new MongoLockRegistry(this.otherClient, "integration");

	/**
	 * The store that both registries use.
	 */
	abstract LockStore store();

	@AfterEach
	void stop() {
		assertThat(Thread.interrupted()).isFalse();
		this.others.shutdownNow();
		this.clients.forEach((each) -> each.stop(Duration.ofSeconds(5)));
	}

	@Test
	void aLockIsLockedAndUnlockedAgainAndAgain() throws InterruptedException {
		for (int i = 0; i < 3; i++) {
			Lock lock = this.registry.obtain("k");
			lock.lock();
			assertThat(holders("integration:k")).hasSize(1);
			lock.unlock();
			lock.lockInterruptibly();
			lock.unlock();
			assertThat(lock.tryLock()).isTrue();
			lock.unlock();
			assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
			lock.unlock();
			assertThat(holders("integration:k")).isEmpty();
		}
		assertThat(this.registry.size()).isOne();
	}

	@Test
	void anEqualKeyIsTheSameLockAndReentrant() throws Exception {
		Lock first = this.registry.obtain("k");
		first.lock();
		Lock second = this.registry.obtain("k");
		assertThat(second).isSameAs(first);
		second.lockInterruptibly();
		assertThat(second.tryLock()).isTrue();
		assertThat(second.tryLock(1, TimeUnit.NANOSECONDS)).isTrue();
		for (int i = 0; i < 3; i++) {
			second.unlock();
			assertThat(elsewhere(() -> this.otherRegistry.obtain("k").tryLock())).isFalse();
		}
		first.unlock();
		assertThat(elsewhere(() -> this.otherRegistry.obtain("k").tryLock())).isTrue();
	}

	@Test
	void differentKeysAreDifferentLocks() {
		Lock one = this.registry.obtain("one");
		Lock two = this.registry.obtain("two");
		assertThat(one).isNotSameAs(two);
		one.lock();
		two.lock();
		assertThat(holders("integration:one")).hasSize(1);
		assertThat(holders("integration:two")).hasSize(1);
		two.unlock();
		one.unlock();
	}

	@Test
	void aThreadThatDidNotGetTheLockCannotUnlockIt() throws Exception {
		Lock lock = this.registry.obtain("k");
		lock.lock();
		assertThat(elsewhere(() -> lock.tryLock(50, TimeUnit.MILLISECONDS))).isFalse();
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> this.others.submit(lock::unlock).get(10, TimeUnit.SECONDS))
			.withCauseInstanceOf(IllegalStateException.class)
			.withMessageContaining("'integration:k' is not held by thread");
		assertThat(holders("integration:k")).hasSize(1);
		lock.unlock();
		assertThatIllegalStateException().isThrownBy(lock::unlock);
	}

	@Test
	void threadsOfOneRegistryExcludeEachOther() throws Exception {
		excludeEachOther(this.registry);
	}

	@Test
	void threadsOfTwoRegistriesExcludeEachOther() throws Exception {
		excludeEachOther(this.otherRegistry);
	}

	private void excludeEachOther(MongoLockRegistry other) throws Exception {
		Lock lock = this.registry.obtain("k");
		lock.lockInterruptibly();
		assertThat(elsewhere(() -> other.obtain("k").tryLock())).isFalse();
		Future<Boolean> waiting = this.others.submit(() -> {
			other.obtain("k").lockInterruptibly();
			other.obtain("k").unlock();
			return true;
		});
		awaitWaiting();
		assertThat(waiting.isDone()).isFalse();
		lock.unlock();
		assertThat(waiting.get(10, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void aLockThatBecomesFreeWithinTheTimeIsGranted() throws Exception {
		Lock lock = this.registry.obtain("k");
		lock.lock();
		Future<Boolean> waiting = this.others.submit(() -> this.otherRegistry.obtain("k").tryLock(1, TimeUnit.MINUTES));
		awaitWaiting();
		lock.unlock();
		assertThat(waiting.get(10, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void registriesOfOtherNamesHaveOtherLocks() {
		MongoLockRegistry ofOrders = new MongoLockRegistry(this.client, "order");
		ofOrders.obtain("k").lock();
		assertThat(this.registry.obtain("k").tryLock()).isTrue();
		assertThat(holders("order:k")).hasSize(1);
		assertThat(holders("integration:k")).hasSize(1);
		this.registry.obtain("k").unlock();
		ofOrders.obtain("k").unlock();
	}

	@Test
	void anInterruptEndsTheWaitOfLockInterruptibly() throws Exception {
		Lock lock = this.registry.obtain("k");
		lock.lock();
		Future<?> waiting = this.others.submit(() -> {
			this.otherRegistry.obtain("k").lockInterruptibly();
			return null;
		});
		awaitWaiting();
		waiting.cancel(true);
		Awaitility.await().until(() -> this.otherClient.waiting() == 0);
		lock.unlock();
		assertThat(this.otherRegistry.obtain("k").tryLock(1, TimeUnit.MINUTES)).isTrue();
		this.otherRegistry.obtain("k").unlock();
		assertThat(elsewhere(() -> {
			Thread.currentThread().interrupt();
			try {
				this.registry.obtain("k").lockInterruptibly();
				return false;
			}
			catch (InterruptedException ex) {
				return true;
			}
		})).isTrue();
	}

	@Test
	void anInterruptDoesNotEndTheWaitOfLock() throws Exception {
		Lock lock = this.registry.obtain("k");
		lock.lock();
		Future<Boolean> waiting = this.others.submit(() -> {
			Thread.currentThread().interrupt();
			this.otherRegistry.obtain("k").lock();
			this.otherRegistry.obtain("k").unlock();
			return Thread.interrupted();
		});
		awaitWaiting();
		lock.unlock();
		assertThat(waiting.get(10, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void theTtlIsThatOfTheCall() throws Exception {
		DistributedLock lock = this.registry.obtain("k");
		lock.lock(Duration.ofMinutes(7));
		assertThat(holders("integration:k")).extracting(StoredHolder::ttl).containsExactly(Duration.ofMinutes(7));
		lock.lock(Duration.ofMinutes(9));
		assertThat(holders("integration:k")).extracting(StoredHolder::ttl).containsExactly(Duration.ofMinutes(7));
		lock.unlock();
		lock.unlock();
		assertThat(lock.tryLock(Duration.ZERO, Duration.ofMinutes(7).plusNanos(1))).isTrue();
		assertThat(holders("integration:k")).extracting(StoredHolder::ttl).containsExactly(Duration.ofMillis(420_001));
		lock.unlock();
		lock.lock();
		assertThat(holders("integration:k")).extracting(StoredHolder::ttl).containsExactly(Duration.ofSeconds(30));
		lock.unlock();
	}

	@Test
	void aTtlThatIsTooShortIsRefused() {
		DistributedLock lock = this.registry.obtain("k");
		assertThatIllegalArgumentException().isThrownBy(() -> lock.lock(Duration.ofMillis(1)))
			.withMessageContaining("ttl");
		this.registry.expireUnusedOlderThan(0);
		assertThat(this.registry.size()).isZero();
	}

	@Test
	void aTtlThatIsTooLongIsRefused() {
		DistributedLock lock = this.registry.obtain("k");
		for (Duration ttl : List.of(Duration.ofDays(10_001), Duration.ofSeconds(Long.MAX_VALUE),
				ChronoUnit.FOREVER.getDuration())) {
			assertThatIllegalArgumentException().isThrownBy(() -> lock.lock(ttl))
				.withMessageMatching("ttl PT\\S+ must be at most 10000 days");
		}
	}

	@Test
	void aWaitOfAnyLengthIsTaken() throws InterruptedException {
		DistributedLock lock = this.registry.obtain("k");
		assertThat(lock.tryLock(Duration.ofSeconds(Long.MAX_VALUE), Duration.ofSeconds(30))).isTrue();
		lock.unlock();
	}

	@Test
	void aHeldLockIsRenewed() {
		DistributedLock lock = this.registry.obtain("k");
		lock.lock();
		StoredHolder before = holders("integration:k").get(0);
		Awaitility.await().pollInSameThread().untilAsserted(() -> {
			this.registry.renewLock("k");
			assertThat(holders("integration:k").get(0).renewedAt()).isAfter(before.renewedAt());
		});
		this.registry.renewLock("k", Duration.ofHours(1));
		assertThat(this.registry.held("k").isHeld()).isTrue();
		lock.unlock();
	}

	@Test
	void onlyTheThreadThatHoldsALockRenewsIt() {
		assertThatIllegalStateException().isThrownBy(() -> this.registry.renewLock("k"));
		this.registry.obtain("k").lock();
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> this.others.submit(() -> this.registry.renewLock("k")).get(10, TimeUnit.SECONDS))
			.withCauseInstanceOf(IllegalStateException.class);
		this.registry.obtain("k").unlock();
		assertThatIllegalStateException().isThrownBy(() -> this.registry.renewLock("k", Duration.ofSeconds(1)));
	}

	@Test
	void aLostLockIsNeitherRenewedNorLockedAgainAndUnlockSaysSo() {
		Lock lock = this.registry.obtain("k");
		lock.lock();
		LockHandle held = this.registry.held("k");
		lose("integration:k");
		assertThatIllegalStateException().isThrownBy(() -> this.registry.renewLock("k"))
			.withCauseInstanceOf(LockLostException.class);
		assertThat(held.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::tryLock);
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock)
			.withCauseInstanceOf(LockLostException.class);
		assertThatIllegalStateException().isThrownBy(lock::unlock);
		assertThat(lock.tryLock()).isTrue();
		lock.unlock();
		this.registry.expireUnusedOlderThan(0);
		assertThat(this.registry.size()).isZero();
	}

	@Test
	void aHolderThatLostTheLockDoesNotReleaseTheNextHold() throws Exception {
		Lock lock = this.registry.obtain("k");
		lock.lock();
		lose("integration:k");
		assertThat(elsewhere(() -> this.otherRegistry.obtain("k").tryLock())).isTrue();
		assertThatIllegalStateException().isThrownBy(() -> this.registry.renewLock("k"));
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);
		assertThat(holders("integration:k")).hasSize(1);
		assertThat(lock.tryLock()).isFalse();
	}

	@Test
	void eachGrantHasAHigherFence() {
		long last = 0;
		for (int i = 0; i < 3; i++) {
			MongoLockRegistry next = (i == 1) ? this.otherRegistry : this.registry;
			next.obtain("k").lock();
			assertThat(next.held("k").fence()).isGreaterThan(last);
			last = next.held("k").fence();
			next.obtain("k").unlock();
		}
		assertThatIllegalStateException().isThrownBy(() -> this.registry.held("k"));
	}

	@Test
	void workRunsUnderTheLockOrNotAtAll() throws Exception {
		assertThat(this.registry.executeLocked("k", () -> holders("integration:k").size())).isOne();
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> this.registry.executeLocked("k", Duration.ofSeconds(1), () -> {
				throw new UnsupportedOperationException();
			}));
		assertThat(holders("integration:k")).isEmpty();
		this.registry.obtain("k").lock();
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> elsewhere(() -> this.otherRegistry.executeLocked("k", Duration.ofMillis(20), () -> 1)))
			.withCauseInstanceOf(TimeoutException.class);
		this.registry.obtain("k").unlock();
	}

	@Test
	void manyThreadsOfTwoRegistriesCountRight() throws Exception {
		int[] counter = new int[1];
		List<Future<?>> counting = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			MongoLockRegistry each = (i % 2 == 0) ? this.registry : this.otherRegistry;
			counting.add(this.others.submit(() -> {
				for (int j = 0; j < 5; j++) {
					each.executeLocked("k", () -> {
						int read = counter[0];
						Thread.yield();
						counter[0] = read + 1;
					});
				}
				return null;
			}));
		}
		for (Future<?> each : counting) {
			each.get(1, TimeUnit.MINUTES);
		}
		assertThat(counter[0]).isEqualTo(30);
		this.registry.expireUnusedOlderThan(0);
		assertThat(this.registry.size()).isZero();
	}

	@Test
	void aForgottenLockAndItsSuccessorShareOneHold() throws Exception {
		Lock before = this.registry.obtain("k");
		this.registry.expireUnusedOlderThan(0);
		assertThat(this.registry.size()).isZero();
		Lock after = this.registry.obtain("k");
		assertThat(after).isNotSameAs(before);
		before.lock();
		after.lock();
		assertThat(elsewhere(() -> before.tryLock())).isFalse();
		assertThat(elsewhere(() -> after.tryLock())).isFalse();
		before.unlock();
		assertThat(holders("integration:k")).hasSize(1);
		before.unlock();
		assertThat(holders("integration:k")).isEmpty();
	}

	@Test
	void aKeyIsAnythingThatHasOneText() {
		UUID id = UUID.fromString("6e0f1ac2-35d1-4c5f-9f6e-1b1ad5d3f0a1");
		this.registry.obtain(id).lock();
		this.registry.obtain(42L).lock();
		assertThat(holders("integration:" + id)).hasSize(1);
		assertThat(holders("integration:42")).hasSize(1);
		assertThat(this.registry.obtain("42")).isSameAs(this.registry.obtain(42L));
		this.registry.obtain("42").unlock();
		this.registry.obtain(id).unlock();
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.obtain(new Object()));
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.obtain(" "));
	}

	@Test
	void thereAreNoConditions() {
		Lock lock = this.registry.obtain("k");
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(lock::newCondition)
			.withMessageContaining("lock 'integration:k'");
	}

	private LockTemplate client() {
		LockTemplate made = new LockTemplate(store(), new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner("app", "" + this.clients.size(), "host", 42, ""), LockClock.system(), List.of()));
		this.clients.add(made);
		return made;
	}

	private List<StoredHolder> holders(String key) {
		return store().find(key, TIMEOUT).map(StoredLock::holders).orElse(List.of());
	}

	private void lose(String key) {
		StoredHolder holder = holders(key).get(0);
		assertThat(store().release(new LeaseId(key, holder.leaseToken()), TIMEOUT).ended()).isTrue();
	}

	private void awaitWaiting() {
		Awaitility.await().until(() -> this.client.waiting() + this.otherClient.waiting() > 0);
	}

	private <T> T elsewhere(Callable<T> task) throws Exception {
		return this.others.submit(task).get(10, TimeUnit.SECONDS);
	}

}
