package io.mongolock.client;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.mongolock.InvalidLockSettingsException;
import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.LockUnavailableException;
import io.mongolock.OnLost;
import io.mongolock.concurrent.ThreadLock;
import io.mongolock.core.ConfiguredSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for locks with the interface of {@code java.util.concurrent.locks}.
 */
class ThreadLockTests {

	private static final LockRequest REQUEST = LockRequest.builder("k")
		.waitTimeout(Duration.ZERO)
		.retryInterval(Duration.ofMillis(1))
		.build();

	private final ScriptedStore store = new ScriptedStore();

	private final LockTemplate template = new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
			new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of()));

	private final Lock lock = this.template.asLock(REQUEST);

	private final ExecutorService others = Executors.newCachedThreadPool();

	@AfterEach
	void stop() {
		assertThat(Thread.interrupted()).isFalse();
		this.template.stop(Duration.ofSeconds(1));
		this.others.shutdownNow();
	}

	@Test
	void aThreadLocksAsOftenAsItLikesAndUnlocksAsOften() throws InterruptedException {
		this.lock.lock();
		this.lock.lockInterruptibly();
		assertThat(this.lock.tryLock()).isTrue();
		assertThat(this.lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
		for (int i = 0; i < 3; i++) {
			this.lock.unlock();
			assertThat(this.store.holder("k")).isPresent();
		}
		this.lock.unlock();
		assertThat(this.store.holder("k")).isEmpty();
		assertThat(this.store.count("acquire")).isOne();
	}

	@Test
	void onlyTheThreadThatLockedUnlocks() throws Exception {
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock)
			.withMessageContaining("lock 'k' (not held by thread " + Thread.currentThread().getName() + ")");
		this.lock.lock();
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> this.others.submit(this.lock::unlock).get())
			.withCauseInstanceOf(IllegalMonitorStateException.class);
		assertThat(this.store.holder("k")).isPresent();
		this.lock.unlock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
	}

	@Test
	void whenWaiterIsInterruptedThenItKeepsItsPlace() throws Exception {
		this.lock.lock();
		List<String> order = new CopyOnWriteArrayList<>();
		Thread first = new Thread(() -> {
			this.lock.lock();
			order.add("first " + Thread.currentThread().isInterrupted());
			this.lock.unlock();
		});
		first.start();
		Awaitility.await().until(() -> this.template.waiting() == 1);
		Future<?> second = this.others.submit(() -> {
			this.lock.lock();
			order.add("second");
			this.lock.unlock();
		});
		Awaitility.await().until(() -> this.template.waiting() == 2);
		for (int i = 0; i < 3; i++) {
			first.interrupt();
			Awaitility.await().until(() -> first.getState() == Thread.State.WAITING);
		}
		this.lock.unlock();
		second.get(1, TimeUnit.MINUTES);
		first.join();
		assertThat(order).containsExactly("first true", "second");
	}

	@Test
	void tryLockAsksOnceAndDoesNotWait() throws Exception {
		this.lock.lock();
		assertThat(this.others.submit(() -> this.lock.tryLock()).get()).isFalse();
		assertThat(this.others.submit(() -> this.lock.tryLock(1, TimeUnit.NANOSECONDS)).get()).isFalse();
		assertThat(this.others.submit(() -> this.lock.tryLock(-1, TimeUnit.DAYS)).get()).isFalse();
		this.lock.unlock();
		assertThat(this.others.submit(() -> this.lock.tryLock()).get()).isTrue();
	}

	@Test
	void theSettingsOfACallCountForWhatItIsGranted() throws InterruptedException {
		ThreadLock each = new ThreadLock(this.template, REQUEST);
		assertThat(each.held()).isNull();
		each.lock(LockSettings.builder().ttl(Duration.ofSeconds(7)).build());
		assertThat(each.tryLock(Duration.ZERO, LockSettings.builder().ttl(Duration.ofSeconds(9)).build())).isTrue();
		assertThat(this.store.holder("k").orElseThrow().ttl()).isEqualTo(Duration.ofSeconds(7));
		assertThat(each.held()).isNotNull();
		each.unlock();
		each.unlock();
	}

	@Test
	void aWaitThatNoNumberHoldsIsWithoutEnd() throws Exception {
		ThreadLock each = new ThreadLock(this.template, REQUEST);
		LockHandle held = this.template.acquire(REQUEST);
		Future<Boolean> waiting = this.others
			.submit(() -> each.tryLock(ChronoUnit.FOREVER.getDuration(), LockSettings.NONE));
		awaitWaiting();
		held.close();
		assertThat(waiting.get()).isTrue();
	}

	@Test
	void lockWaitsLongerThanTheWaitTimeoutUntilItIsGranted() throws Exception {
		LockHandle held = this.template.acquire(REQUEST);
		Future<?> waiting = this.others.submit(this.lock::lock);
		awaitWaiting();
		this.store.nextFails("acquire", Outcome.UNKNOWN, false);
		held.close();
		waiting.get();
		assertThat(this.store.holder("k")).isPresent();
	}

	@Test
	void anInterruptDoesNotEndLockButIsKept() throws Exception {
		LockHandle held = this.template.acquire(REQUEST);
		Future<Boolean> waiting = this.others.submit(() -> {
			Thread.currentThread().interrupt();
			this.lock.lock();
			boolean interrupted = Thread.interrupted();
			this.lock.unlock();
			return interrupted;
		});
		awaitWaiting();
		held.close();
		assertThat(waiting.get()).isTrue();
	}

	@Test
	void anInterruptEndsTheOthersAndIsCleared() throws Exception {
		LockHandle held = this.template.acquire(REQUEST);
		for (Interruptible locking : List.<Interruptible>of(this.lock::lockInterruptibly,
				() -> this.lock.tryLock(1, TimeUnit.DAYS))) {
			Thread[] thread = new Thread[1];
			Future<Boolean> waiting = this.others.submit(() -> {
				thread[0] = Thread.currentThread();
				assertThatExceptionOfType(InterruptedException.class).isThrownBy(locking::run);
				return Thread.interrupted();
			});
			awaitWaiting();
			thread[0].interrupt();
			assertThat(waiting.get()).isFalse();
		}
		held.close();
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void anInterruptFromBeforeEndsThemEvenIfTheThreadHoldsTheLock() {
		this.lock.lock();
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(this.lock::lockInterruptibly);
		Thread.currentThread().interrupt();
		assertThat(this.lock.tryLock()).isTrue();
		assertThat(Thread.interrupted()).isTrue();
		this.lock.unlock();
		this.lock.unlock();
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void unlockTellsOfALossAndTheThreadHoldsItNoLonger() {
		this.lock.lock();
		this.store.forget("k");
		this.template.renew("k");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::lock);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
		this.lock.lock();
		this.lock.unlock();
	}

	@Test
	void unlockDoesNotTellOfALossThatIsIgnored() {
		Lock ignoring = this.template.asLock(LockRequest.builder("k").onLost(OnLost.IGNORE).build());
		ignoring.lock();
		this.store.forget("k");
		ignoring.unlock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(ignoring::unlock);
	}

	@Test
	void aStoreThatRefusesAndAClientThatStopsEndTheWait() throws Exception {
		this.store.nextFails("acquire", Outcome.REFUSED, false);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this.lock::lock);
		this.template.acquire(REQUEST);
		Future<?> waiting = this.others.submit(this.lock::lock);
		awaitWaiting();
		this.template.stop(Duration.ofSeconds(1));
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(waiting::get)
			.withCauseInstanceOf(LockUnavailableException.class);
	}

	@Test
	void withinACallThatHoldsTheLockItIsShared() {
		this.template.execute(REQUEST, (handle) -> {
			this.lock.lock();
			this.lock.unlock();
			assertThat(handle.isHeld()).isTrue();
			return null;
		});
		assertThat(this.store.count("acquire")).isOne();
	}

	@Test
	void conditionsAreRefusedWithTheReason() {
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(this.lock::newCondition)
			.withMessageContaining("a signal would not reach waiters in other JVMs");
	}

	@Test
	void itsTextSaysWhoHoldsWhat() {
		String thread = Thread.currentThread().getName();
		assertThat(this.lock).hasToString("lock 'k' (not held by thread " + thread + ")");
		this.lock.lock();
		assertThat(this.lock).hasToString("lock 'k' (held by thread " + thread + ", fence 1)");
		this.lock.lock();
		assertThat(this.lock).hasToString("lock 'k' (held 2 times by thread " + thread + ", fence 1)");
		assertThat(this.template.asLock(LockRequest.builder("a").limit(3).build())).asString()
			.startsWith("lock 'a' (limit 3, not held");
		this.lock.unlock();
		this.lock.unlock();
	}

	@Test
	void aWriterMayReadAndItsHoldStaysExclusiveUntilBothAreUnlocked() {
		ReadWriteLock both = this.template.asReadWriteLock(REQUEST);
		both.writeLock().lock();
		both.readLock().lock();
		assertThat(this.store.count("acquire")).isOne();
		assertThat(both.readLock()).asString().startsWith("lock 'k' (shared, held by thread");
		both.writeLock().unlock();
		assertThat(this.store.holder("k")).hasValueSatisfying((holder) -> assertThat(holder.limit()).isOne());
		both.writeLock().lock();
		both.writeLock().unlock();
		both.readLock().unlock();
		assertThat(this.store.holder("k")).isEmpty();
		assertThat(this.store.count("acquire")).isOne();
	}

	@Test
	void whenAThreadHoldsTheReadLockThenTheWriteLockIsRefused() {
		ReadWriteLock both = this.template.asReadWriteLock(REQUEST);
		both.readLock().lock();
		assertThatIllegalStateException().isThrownBy(both.writeLock()::lock)
			.withMessageContaining("is held shared, perhaps by several holders. A holder that requested the lock "
					+ "exclusively would wait for itself");
		both.readLock().unlock();
		both.writeLock().lock();
		both.writeLock().unlock();
		assertThat(this.store.count("acquire")).isEqualTo(2);
	}

	@Test
	void requestsThatCannotBeServedAreRefusedWhenTheLockIsMade() {
		assertThatExceptionOfType(InvalidLockSettingsException.class)
			.isThrownBy(() -> this.template.asLock(LockRequest.builder("k").ttl(Duration.ofMillis(1)).build()));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.template.asReadWriteLock(LockRequest.builder("k").shared().build()))
			.withMessageContaining("sets 'limit' and 'shared' by itself. Leave both of these settings out");
		LockTemplate limited = new LockTemplate(this.store,
				new ClientOptions(
						new ConfiguredSettings(LockSettings.NONE, Map.of("n", LockSettings.builder().limit(2).build())),
						new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of()));
		assertThatExceptionOfType(InvalidLockSettingsException.class)
			.isThrownBy(() -> limited.asReadWriteLock(LockRequest.builder("k").name("n").build()))
			.withMessageContaining("limit 2 is set for the name");
	}

	private void awaitWaiting() {
		Awaitility.await().until(() -> this.template.waiting() > 0);
	}

	private interface Interruptible {

		void run() throws InterruptedException;

	}

}
