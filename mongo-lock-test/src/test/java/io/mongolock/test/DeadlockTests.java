package io.mongolock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockClock;
import io.mongolock.LockDeadlock;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockUnavailableException;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.ClientOptions.OnDeadlock;
import io.mongolock.client.LockTemplate;
import io.mongolock.client.NoTransactions;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.store.LockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Deadlocks of threads of one application and of several.
 */
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class DeadlockTests {

	private static final Duration BRIEF = Duration.ofSeconds(4);

	private static final Duration LONG = Duration.ofMinutes(10);

	private static final LockRequest A = LockRequest.of("a");

	private static final LockRequest B = LockRequest.of("b");

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final List<LockTemplate> clients = new ArrayList<>();

	private final List<LockDeadlock> told = new CopyOnWriteArrayList<>();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final CyclicBarrier together = new CyclicBarrier(2);

	private OnDeadlock onDeadlock = OnDeadlock.WARN;

	private final Set<Thread> knowing = ConcurrentHashMap.newKeySet();

	@AfterEach
	void stop() {
		this.clients.forEach((client) -> client.stop(Duration.ofSeconds(1)));
		this.threads.shutdownNow();
	}

	@Test
	void twoApplicationsThatWaitForEachOtherAreToldAndTheirExceptionsNameIt(CapturedOutput output) throws Exception {
		LockTemplate one = client(BRIEF);
		LockTemplate other = client(BRIEF);
		Future<LockUnavailableException> first = inThread(() -> waitInVain(one, A, B));
		Future<LockUnavailableException> second = inThread(() -> waitInVain(other, B, A));
		assertThat(List.of(first.get(), second.get())).allSatisfy((failure) -> {
			assertThat(failure.getDeadlock().orElseThrow().waits()).extracting(LockDeadlock.Wait::key)
				.containsExactlyInAnyOrder("a", "b");
			assertThat(failure).hasMessageContaining(". The call waited in a deadlock, in which lock '");
		});
		Awaitility.await().until(() -> this.told.size() >= 2);
		Awaitility.await()
			.untilAsserted(() -> assertThat(output).contains("WARN",
					"A deadlock of 2 calls lasts until one of them gives up: lock '",
					"Take these locks in the same order everywhere, or with one call"));
	}

	@Test
	void whenTheYoungestIsToFailThenItFailsAtOnceAndTheOtherOneGoesOn() {
		this.onDeadlock = OnDeadlock.FAIL;
		for (LockTemplate other : List.of(client(LONG), client(LONG))) {
			LockTemplate one = this.clients.get(0);
			List<Future<Long>> both = List.of(lockBoth(one, A, B), lockBoth(other, B, A));
			Future<Long> went = Awaitility.await()
				.until(() -> both.stream().filter(DeadlockTests::isGranted).findAny(), Optional::isPresent)
				.orElseThrow();
			assertThat(both).filteredOn((end) -> end != went)
				.singleElement(InstanceOfAssertFactories.FUTURE)
				.failsWithin(Duration.ofMinutes(1))
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(LockUnavailableException.class)
				.withMessageContaining(
						". mongo-lock.on-deadlock=fail ended the call's wait in a deadlock, in which lock '");
		}
	}

	@Test
	void whenTheYoungestLocksWithoutEndThenItFailsAsWell() throws Exception {
		this.onDeadlock = OnDeadlock.FAIL;
		LockTemplate elder = client(LONG);
		LockTemplate youngest = client(LONG);
		CountDownLatch held = new CountDownLatch(1);
		Future<Long> went = inThread(() -> elder.execute(A, (handle) -> {
			held.countDown();
			meet();
			return elder.execute(B, LockHandle::fence);
		}));
		held.await();
		Future<Long> failed = inThread(() -> youngest.execute(B, (handle) -> {
			meet();
			youngest.asLock(A).lockInterruptibly();
			return handle.fence();
		}));
		assertThat(failed).failsWithin(Duration.ofMinutes(1))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockUnavailableException.class);
		assertThat(went.get(1, TimeUnit.MINUTES)).isPositive();
	}

	@Test
	void whenOneOfThreeInARingFailsThenTheOthersGoOn() throws Exception {
		this.onDeadlock = OnDeadlock.FAIL;
		List<Future<Long>> all = ring(3, LONG);
		int failed = 0;
		for (Future<Long> end : all) {
			try {
				end.get(1, TimeUnit.MINUTES);
			}
			catch (ExecutionException ex) {
				assertThat(ex.getCause()).isInstanceOf(LockUnavailableException.class);
				failed++;
			}
		}
		assertThat(failed).isOne();
	}

	@Test
	void twoThreadsOfOneApplicationThatWaitForEachOtherAreTold() {
		LockTemplate client = client(LONG);
		inThread(() -> waitInVain(client, A, B));
		inThread(() -> waitInVain(client, B, A));
		Awaitility.await().until(() -> !this.told.isEmpty());
		assertThat(this.told.get(0).waits()).hasSize(2);
	}

	@Test
	void threeApplicationsThatWaitInARingAreTold() {
		ring(3, LONG);
		Awaitility.await().until(() -> this.told.size() >= 3);
		assertThat(this.told).allSatisfy((deadlock) -> assertThat(deadlock.waits()).hasSize(3));
	}

	@Test
	void oneThatStandsBehindAnotherOfItsApplicationSeesIt() {
		LockTemplate holder = client(LONG);
		LockTemplate client = client(LONG);
		inThread(() -> holder.execute(A, (handle) -> {
			// Takes the only place of that application in the queue of a
			inThread(() -> client.execute(A, LockHandle::fence));
			Awaitility.await().until(() -> client.waiting("a") == 1);
			meet();
			return holder.execute(B, LockHandle::fence);
		}));
		inThread(() -> waitInVain(client, B, A));
		Awaitility.await().until(() -> !this.told.isEmpty());
		assertThat(this.told).allSatisfy((deadlock) -> assertThat(deadlock.waits()).hasSize(2));
	}

	@Test
	void aLockThatATransactionKeepsIsHeldByTheThreadThatWaits() throws Exception {
		TransactionTemplate transaction = new TransactionTemplate(new NoTransactions());
		LockTemplate client = client(BRIEF);
		inThread(() -> transaction.execute((status) -> {
			client.acquire(A);
			return waitTogether(client, B);
		}));
		Future<LockUnavailableException> other = inThread(() -> waitInVain(client, B, A));
		assertThat(other.get().getDeadlock()).isPresent();
	}

	@Test
	void onlyAWaiterThatWorksUnderALockIsCheckedForADeadlock() {
		WatchedStore watched = new WatchedStore();
		LockTemplate client = client(watched.toStore(), LONG);
		client(watched.toStore(), LONG).acquire(A);
		LockHandle passedOn = client.acquire(B);
		LockRequest brief = LockRequest.builder("a").waitTimeout(Duration.ofSeconds(3)).build();
		assertThat(client.tryAcquire(brief)).isEmpty();
		assertThat(client.acquireAsync(brief)).failsWithin(Duration.ofMinutes(1));
		passedOn.close();
		assertThat(watched.count("findQueues")).isZero();
		Optional<LockHandle> denied = client.execute(B, (handle) -> client.tryAcquire(brief));
		assertThat(denied).isEmpty();
		assertThat(watched.count("findQueues")).as("whoever works under b").isPositive();
	}

	private List<Future<Long>> ring(int length, Duration wait) {
		CyclicBarrier all = new CyclicBarrier(length);
		return IntStream.range(0, length).mapToObj((first) -> {
			LockTemplate client = client(wait);
			return inThread(() -> client.execute(LockRequest.of("k" + first), (handle) -> {
				all.await(60, TimeUnit.SECONDS);
				return client.execute(LockRequest.of("k" + (first + 1) % length), LockHandle::fence);
			}));
		}).toList();
	}

	private Future<Long> lockBoth(LockTemplate client, LockRequest first, LockRequest second) {
		return inThread(() -> client.execute(first, (handle) -> {
			meet();
			return client.execute(second, LockHandle::fence);
		}));
	}

	private static boolean isGranted(Future<Long> end) {
		try {
			return end.isDone() && end.get() > 0;
		}
		catch (ExecutionException | InterruptedException ex) {
			return false;
		}
	}

	// Both keep what they hold until both know
	private LockUnavailableException waitInVain(LockTemplate client, LockRequest first, LockRequest second)
			throws Exception {
		return client.execute(first, (handle) -> waitTogether(client, second));
	}

	private LockUnavailableException waitTogether(LockTemplate client, LockRequest second) {
		meet();
		LockUnavailableException known = null;
		// A machine that stood still has not looked in time
		while (this.knowing.size() < 2 && !this.threads.isShutdown()) {
			try {
				client.execute(second, LockHandle::fence);
				assertThat(known).as("got both locks").isNotNull();
			}
			catch (LockUnavailableException ex) {
				if (ex.getDeadlock().isPresent()) {
					known = ex;
					this.knowing.add(Thread.currentThread());
				}
			}
		}
		return Objects.requireNonNull(known);
	}

	private void meet() {
		try {
			this.together.await(60, TimeUnit.SECONDS);
		}
		catch (InterruptedException | BrokenBarrierException | TimeoutException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private <T> Future<T> inThread(Callable<T> task) {
		return this.threads.submit(task);
	}

	private LockTemplate client(Duration wait) {
		return client(this.store, wait);
	}

	private LockTemplate client(LockStore store, Duration wait) {
		LockListener listener = new LockListener() {

			@Override
			public void onDeadlock(LockDeadlock deadlock) {
				DeadlockTests.this.told.add(deadlock);
			}

		};
		LockSettings settings = LockSettings.builder().waitTimeout(wait).build();
		LockTemplate client = new LockTemplate(store,
				new ClientOptions(new ConfiguredSettings(settings, Map.of()),
						new LockOwner("app", "" + this.clients.size(), "host", 42, ""), LockClock.system(),
						List.of(listener))
					.withOnDeadlock(this.onDeadlock));
		this.clients.add(client);
		return client;
	}

}
