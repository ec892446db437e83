package io.mongolock.client;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.client.AbstractLockTemplateTests.RecordingListener;
import io.mongolock.client.AbstractLockTemplateTests.SteppedClock;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.Linger;
import io.mongolock.core.LocalLease;
import io.mongolock.event.LockInstrumentation;
import io.mongolock.linger.IdleLeaseReaper;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LeaseId;
import io.mongolock.store.RecallListener;
import io.mongolock.store.ReleaseAnswer;
import io.mongolock.store.StoreSubscription;
import io.mongolock.store.StoredHolder;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link IdleLeaseReaper}: a lock that lingers, in a client with its threads.
 */
@Timeout(120)
class IdleLeaseReaperTests {

	private static final LockRequest REQUEST = LockRequest.builder("k").linger(Duration.ofSeconds(10)).build();

	private final RecallingStore store = new RecallingStore();

	private final SteppedClock clock = new SteppedClock();

	private final RecordingListener events = new RecordingListener();

	private final Measured measured = new Measured();

	private final LockTemplate template = new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
			new LockOwner("app", "1", "host", 42, ""), this.clock, List.of(this.events, this.measured)));

	@AfterEach
	void stop() {
		this.template.stop(Duration.ofSeconds(1));
	}

	@Test
	void claimsOfOneThreadThatFollowEachOtherSendNoRequest() {
		idle();
		long claims = this.store.count("acquire");
		List<Long> fences = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			fences.add(this.template.execute(REQUEST, LockHandle::fence));
		}
		assertThat(fences).isSorted().doesNotHaveDuplicates();
		assertThat(this.store.count("acquire")).isEqualTo(claims);
		assertThat(this.store.holder("k")).as("the lease is kept").isPresent();
		assertThat(this.template.held()).as("nobody holds it").isZero();
	}

	@Test
	void aKeyThatDoesNotLingerIsReleasedEachTime() {
		for (int i = 0; i < 3; i++) {
			this.template.execute(LockRequest.of("k"), LockHandle::fence);
		}
		assertThat(this.store.count("acquire")).isEqualTo(3);
		assertThat(this.store.count("release")).isEqualTo(3);
	}

	@Test
	void everyHolderIsPublished() {
		idle();
		this.template.execute(REQUEST, LockHandle::fence);
		this.events.await("acquired k", "released k", "acquired k", "released k", "acquired k", "released k",
				"acquired k", "released k");
	}

	@Test
	void asynchronousClaimsAndThoseThatDoNotWaitTakeItToo() {
		idle();
		long acquired = this.store.count("acquire");
		this.template.acquireAsync(REQUEST).join().close();
		this.template.tryAcquire(REQUEST).orElseThrow().close();
		LockRequest once = LockRequest.builder("k").settings(REQUEST.settings()).waitTimeout(Duration.ZERO).build();
		this.template.acquire(once).close();
		assertThat(this.store.count("acquire")).isEqualTo(acquired);
	}

	@Test
	void aClaimThatItDoesNotSuitGetsTheLockWithoutAWait() {
		idle();
		LockRequest longer = LockRequest.builder("k").ttl(Duration.ofHours(1)).waitTimeout(Duration.ZERO).build();
		try (LockHandle handle = this.template.acquire(longer)) {
			assertThat(handle.isHeld()).isTrue();
			assertThat(this.store.count("release all 1")).as("the first one, and this, before it").isEqualTo(2);
		}
	}

	@Test
	void whenItsLingerIsOverItIsReleasedInTheBackgroundAndNobodyHearsOfIt() {
		this.store.watching = false;
		idle();
		this.clock.step(Duration.ofSeconds(11));
		awaitFree();
		assertThat(this.store.count("release all 1 from k on mongo-lock-renewal")).isOne();
		this.events.await("acquired k", "released k", "acquired k", "released k");
	}

	@Test
	void anIdleLeaseIsNotRenewed() {
		this.store.watching = false;
		LockRequest longer = LockRequest.builder("k").linger(Duration.ofMinutes(1)).build();
		this.template.execute(longer, LockHandle::fence);
		this.template.execute(longer, LockHandle::fence);
		this.clock.step(Duration.ofSeconds(9));
		this.clock.step(Duration.ofSeconds(4));
		awaitFree();
		assertThat(this.store.count("renew")).isZero();
	}

	@Test
	void anIdleLeaseThatIsTakenAgainIsRenewed() {
		idle();
		try (LockHandle handle = this.template.acquire(REQUEST)) {
			this.clock.step(Duration.ofSeconds(9));
			Awaitility.await().until(() -> this.store.count("renew") > 0);
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	void aRecallHasItReleasedAtOnce() {
		idle();
		this.store.recall("k");
		awaitFree();
		assertThat(this.template.execute(REQUEST, LockHandle::fence)).isPositive();
	}

	@Test
	void claimsThatTakeItAndARecallAreMeasured() {
		idle();
		this.template.execute(REQUEST, LockHandle::fence);
		assertThat(this.measured.heard).containsExactly("took idle k");
		RecallListener listener = Objects.requireNonNull(this.store.listener.get());
		LeaseId id = new LeaseId("k", this.store.holder("k").orElseThrow().leaseToken());
		listener.recalled(id);
		listener.recalled(id);
		awaitFree();
		assertThat(this.measured.heard).containsExactly("took idle k", "recalled k");
	}

	@Test
	void aLockThatIsRecalledWhileItIsHeldIsReleasedAtItsEnd() {
		idle();
		LockHandle handle = this.template.acquire(REQUEST);
		this.store.recall("k");
		assertThat(handle.isHeld()).isTrue();
		handle.close();
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void aReleaseThatFailsIsRepeated() {
		idle();
		this.store.nextFails("release", Outcome.NOT_EXECUTED, false);
		this.store.recall("k");
		awaitFree();
		this.template.execute(REQUEST, LockHandle::fence);
	}

	@Test
	void whenRecallsMayHaveBeenMissedThenIdleLeasesAreReleased() {
		idle();
		Objects.requireNonNull(this.store.listener.get()).missed();
		awaitFree();
		this.template.execute(REQUEST, LockHandle::fence);
		assertThat(this.template.idle().size()).as("and the next lease is kept").isOne();
	}

	@Test
	void aRecallThatComesBeforeTheAnswerToTheGrantHasItReleasedAtItsEnd() {
		idle();
		LockRequest other = LockRequest.builder("l").settings(REQUEST.settings()).build();
		this.template.execute(other, LockHandle::fence);
		this.store.recallsAtTheGrant = true;
		this.template.execute(other, LockHandle::fence);
		assertThat(this.store.holder("l")).isEmpty();
	}

	@Test
	void aBlockedDocumentKeepsThoseThatAreReleasedWithItForAMomentOnly() {
		releaseThreeOfWhichOneIsBlocked(REQUEST.settings());
		Awaitility.await().untilAsserted(() -> assertThat(this.store.holders()).isOne());
		assertThat(this.store.holder("k1")).isPresent();
		assertThat(this.store.hung).as("together").containsExactly(DividedEnding.TIMEOUT);
		this.store.blocked = null;
		Awaitility.await().untilAsserted(() -> assertThat(this.store.holders()).isZero());
	}

	@Test
	void thatMomentIsNoLongerThanTheirOperationTimeout() {
		Duration timeout = Duration.ofMillis(200);
		releaseThreeOfWhichOneIsBlocked(
				LockSettings.builder().linger(Duration.ofSeconds(10)).operationTimeout(timeout).build());
		Awaitility.await().untilAsserted(() -> assertThat(this.store.hung).containsExactly(timeout));
	}

	private void releaseThreeOfWhichOneIsBlocked(LockSettings settings) {
		leaveIdle(this.template, 3, settings);
		this.store.blocked = "k1";
		this.clock.step(Duration.ofSeconds(11));
	}

	private void leaveIdle(LockTemplate client, int leases, LockSettings settings) {
		this.store.watching = false;
		for (int i = 0; i < leases; i++) {
			LockRequest request = LockRequest.builder("k" + i).settings(settings).build();
			client.execute(request, LockHandle::fence);
			client.execute(request, LockHandle::fence);
		}
	}

	@Test
	void oneThatWasTakenByForceIsNotTakenHereAnyMore() {
		idle();
		StoredHolder holder = this.store.holder("k").orElseThrow();
		this.store.release(new LeaseId("k", holder.leaseToken()), Duration.ofSeconds(3));
		this.template.takenByForce("k", holder.toHolder(Instant.now()));
		assertThat(this.template.idle()).isEmpty();
		long acquired = this.store.count("acquire");
		this.template.execute(REQUEST, LockHandle::fence);
		assertThat(this.store.count("acquire")).isEqualTo(acquired + 1);
		this.events.await("acquired k", "released k", "acquired k", "released k", "acquired k", "released k",
				"acquired k", "released k");
	}

	@Test
	void aLockThatIsTakenByForceIsAtOnceNoLongerHeld() {
		idle();
		LockHandle handle = this.template.acquire(REQUEST);
		this.template.takenByForce("k", this.store.holder("k").orElseThrow().toHolder(Instant.now()));
		assertThat(handle.isHeld()).isFalse();
	}

	@Test
	void itIsKnownSinceWhenALeaseIsIdleHereAndWhichIsInUse() {
		assertThat(this.template.find(new LeaseId("k", "another's"))).isNull();
		idle();
		LeaseId id = new LeaseId("k", this.store.holder("k").orElseThrow().leaseToken());
		this.clock.step(Duration.ofSeconds(2));
		LocalLease idle = this.template.find(id);
		assertThat(idle).isNotNull();
		assertThat(idle.idleFor()).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(9));
		assertThat(this.template.find(new LeaseId("k", "another's"))).isNull();
		this.template.acquire(REQUEST);
		assertThat(this.template.find(id)).isEqualTo(new LocalLease(null));
	}

	@Test
	void aStopReleasesAllOfThemWithOneRequestAndNobodyHearsOfIt() {
		leaveIdle(this.template, 20, REQUEST.settings());
		assertThat(this.store.holders()).isEqualTo(20);
		this.template.stop(Duration.ofSeconds(5));
		assertThat(this.store.holders()).isZero();
		assertThat(this.store.count("release all 20")).isOne();
	}

	@Test
	void whenClaimsStopThenAnIdleLeaseAboutToBeReleasedIsReleased() {
		CountDownLatch taken = new CountDownLatch(1);
		CountDownLatch released = new CountDownLatch(1);
		AtomicReference<@Nullable LockTemplate> over = new AtomicReference<>();
		LockTemplate stopping = idleUntilTaken(over, taken, released);
		over.set(stopping);
		this.clock.step(Duration.ofSeconds(11));
		AbstractLockTemplateTests.await(taken);
		stopping.stopClaims(Duration.ofSeconds(1));
		assertThat(this.store.holder("k")).as("underway").isPresent();
		released.countDown();
		awaitFree();
		stopping.stop(Duration.ofSeconds(1));
	}

	@Test
	void whenTheClientStopsThenAnIdleLeaseAboutToBeReleasedIsReleased() throws Exception {
		CountDownLatch taken = new CountDownLatch(1);
		CountDownLatch released = new CountDownLatch(1);
		AtomicReference<@Nullable LockTemplate> over = new AtomicReference<>();
		LockTemplate stopping = idleUntilTaken(over, taken, released);
		stopping.acquire(LockRequest.builder("cut off").autoRenew(false).build());
		over.set(stopping);
		this.clock.step(Duration.ofSeconds(11));
		AbstractLockTemplateTests.await(taken);
		Thread stop = new Thread(() -> stopping.stop(Duration.ofMinutes(1)));
		stop.start();
		Awaitility.await().until(() -> this.store.count("expire") == 1);
		assertThat(this.store.holder("k")).as("underway").isPresent();
		released.countDown();
		stop.join();
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void whenAReleaseFailsDuringAStopThenTheStopReleasesTheLease() throws Exception {
		this.store.watching = false;
		idle();
		CountDownLatch sent = new CountDownLatch(1);
		CountDownLatch stopping = new CountDownLatch(1);
		this.store.beforeRelease = (leases) -> {
			sent.countDown();
			if (!Thread.currentThread().getName().startsWith("mongo-lock-stop")) {
				AbstractLockTemplateTests.await(stopping);
				throw RecallingStore.hangs("k");
			}
		};
		this.clock.step(Duration.ofSeconds(11));
		AbstractLockTemplateTests.await(sent);
		Thread stop = new Thread(() -> this.template.stop(Duration.ofMinutes(1)));
		stop.start();
		Awaitility.await().until(() -> !this.template.isRunning());
		stopping.countDown();
		stop.join();
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void whateverFailsAsItIsTakenNobodyHoldsOrWaitsAfterThat() {
		this.store.watching = false;
		LockHandle taken = null;
		for (int reading = 1; taken == null; reading++) {
			idle();
			this.clock.failAt(reading);
			try {
				taken = this.template.acquire(REQUEST);
			}
			catch (StackOverflowError ex) {
				this.clock.failAt(0);
				Awaitility.await("reading " + reading).until(() -> this.template.held() == 0);
				assertThat(this.template.waiting()).as("reading " + reading).isZero();
			}
			this.clock.failAt(0);
		}
		taken.close();
		assertThat(this.template.idle()).hasSize(1);
	}

	@Test
	void whateverFailsAsItBecomesIdleNobodyHoldsItAfterThat() {
		this.store.watching = false;
		boolean fails = true;
		for (int reading = 1; fails; reading++) {
			idle();
			LockHandle taken = this.template.acquire(REQUEST);
			this.clock.failAt(reading);
			fails = false;
			try {
				taken.close();
			}
			catch (StackOverflowError ex) {
				fails = true;
			}
			this.clock.failAt(0);
			assertThat(this.template.held()).as("reading " + reading).isZero();
			if (this.template.idle().isEmpty()) {
				// It runs out
				this.store.forget("k");
			}
		}
	}

	@Test
	void oneAfterTheOtherIsReleasedHoweverManyWereBefore() {
		this.store.watching = false;
		for (int i = 0; i < 2 * Linger.MAX_REQUESTS; i++) {
			LockRequest request = LockRequest.builder("k" + i).settings(REQUEST.settings()).build();
			this.template.execute(request, LockHandle::fence);
			this.template.execute(request, LockHandle::fence);
			assertThat(this.store.holders()).isOne();
			this.clock.step(Duration.ofSeconds(11));
			Awaitility.await().until(() -> this.store.holders() == 0);
		}
	}

	@Test
	void afterARestartNothingIsIdle() {
		idle();
		this.template.stop(Duration.ofSeconds(5));
		this.template.start();
		long acquired = this.store.count("acquire");
		this.template.execute(REQUEST, LockHandle::fence);
		assertThat(this.store.count("acquire")).isEqualTo(acquired + 1);
	}

	@Test
	void twoThreadsAtOnceExcludeEachOther() {
		idle();
		CountDownLatch entered = new CountDownLatch(1);
		CompletableFuture<Void> first = new CompletableFuture<>();
		Thread thread = new Thread(() -> this.template.execute(REQUEST, (handle) -> {
			entered.countDown();
			return first.join();
		}));
		thread.start();
		AbstractLockTemplateTests.await(entered);
		CompletableFuture<LockHandle> second = this.template.acquireAsync(REQUEST);
		assertThat(second).isNotDone();
		first.complete(null);
		second.join().close();
	}

	@Test
	void aLockOfATransactionIsIdleAfterTheCommitOnlyIfThatIsKnown() {
		assertThat(inTransaction(TransactionSynchronization.STATUS_COMMITTED)).isOne();
		assertThat(inTransaction(TransactionSynchronization.STATUS_UNKNOWN)).isZero();
	}

	private int inTransaction(int status) {
		idle();
		TransactionSynchronizationManager.initSynchronization();
		TransactionSynchronizationManager.setActualTransactionActive(true);
		try {
			this.template.acquire(REQUEST).close();
			assertThat(this.template.idle().size()).as("before the end").isZero();
			TransactionSynchronizationManager.getSynchronizations().forEach((one) -> one.afterCompletion(status));
			return this.template.idle().size();
		}
		finally {
			TransactionSynchronizationManager.setActualTransactionActive(false);
			TransactionSynchronizationManager.clearSynchronization();
		}
	}

	// Has an idle lease, whose release stands still once it is taken off the list
	private LockTemplate idleUntilTaken(AtomicReference<@Nullable LockTemplate> over, CountDownLatch taken,
			CountDownLatch released) {
		LockTemplate template = client((task) -> () -> {
			LockTemplate client = over.get();
			if (client != null && client.idle().isEmpty()) {
				taken.countDown();
				AbstractLockTemplateTests.await(released);
			}
			task.run();
		});
		this.store.watching = false;
		template.execute(REQUEST, LockHandle::fence);
		template.execute(REQUEST, LockHandle::fence);
		return template;
	}

	/**
	 * Another client.
	 * @param tasks what becomes of those for which it starts a thread
	 */
	private LockTemplate client(UnaryOperator<Runnable> tasks) {
		return client(new ClientRuntime() {

			@Override
			ThreadPoolExecutor direct(int most, int idleSeconds, String name) {
				return new ThreadPoolExecutor(0, most, idleSeconds, TimeUnit.SECONDS, new SynchronousQueue<>()) {

					@Override
					public void execute(Runnable task) {
						super.execute(tasks.apply(task));
					}

				};
			}

		});
	}

	private LockTemplate client(ClientRuntime runtime) {
		return new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner("app", "2", "host", 42, ""), this.clock, List.of()), runtime);
	}

	// The first lease that is left idle has recalls watched. Those that it may have
	// missed
	// until then end it
	private void idle() {
		boolean opens = this.store.watching && this.store.listener.get() == null;
		this.template.execute(REQUEST, LockHandle::fence);
		this.template.execute(REQUEST, LockHandle::fence);
		if (opens) {
			Awaitility.await().until(() -> this.store.listener.get() != null);
			awaitFree();
			this.template.execute(REQUEST, LockHandle::fence);
		}
		assertThat(this.template.idle().size()).isOne();
	}

	private void awaitFree() {
		Awaitility.await().untilAsserted(() -> assertThat(this.store.holder("k")).isEmpty());
	}

	/**
	 * Hears what becomes of idle leases.
	 */
	private static final class Measured implements LockInstrumentation {

		private final List<String> heard = new CopyOnWriteArrayList<>();

		@Override
		public void tookIdle(LockRequest request) {
			this.heard.add("took idle " + request.key());
		}

		@Override
		public void recalled(LockRequest request) {
			this.heard.add("recalled " + request.key());
		}

		@Override
		public void handedOver(LockRequest request, Duration took) {
			this.heard.add("handed over " + request.key());
		}

	}

	/**
	 * Notifies of recalls.
	 */
	private static final class RecallingStore extends ScriptedStore {

		private final AtomicReference<@Nullable RecallListener> listener = new AtomicReference<>();

		private volatile boolean watching = true;

		/** Whether others recall what is granted before the answer is here. */
		private volatile boolean recallsAtTheGrant;

		/** A key of which no release together with others, nor one alone, is executed. */
		private volatile @Nullable String blocked;

		private volatile Consumer<List<LeaseId>> beforeRelease = (leases) -> {
		};

		/** How long requests for several waited for that. */
		private final List<Duration> hung = new CopyOnWriteArrayList<>();

		@Override
		public int releaseAll(List<LeaseId> leases, Duration timeout) {
			this.beforeRelease.accept(leases);
			List<String> keys = leases.stream().map(LeaseId::key).toList();
			int free = keys.indexOf(this.blocked);
			if (free < 0) {
				return super.releaseAll(leases, timeout);
			}
			leases.subList(0, free).forEach((lease) -> super.release(lease, timeout));
			this.hung.add(timeout);
			throw hangs(keys.get(free));
		}

		@Override
		public ReleaseAnswer release(LeaseId lease, Duration timeout) {
			this.beforeRelease.accept(List.of(lease));
			if (lease.key().equals(this.blocked)) {
				throw hangs(lease.key());
			}
			return super.release(lease, timeout);
		}

		@Override
		public ClaimAnswer acquire(Claim claim, Duration timeout) {
			ClaimAnswer answer = super.acquire(claim, timeout);
			if (this.recallsAtTheGrant) {
				recall(claim.id().key());
			}
			return answer;
		}

		private static LockStoreException hangs(String key) {
			return new LockStoreException(key, Outcome.UNKNOWN, "blocked", null);
		}

		void recall(String key) {
			LeaseId id = new LeaseId(key, holder(key).orElseThrow().leaseToken());
			RecallListener listener = this.listener.get();
			if (listener != null) {
				listener.recalled(id);
			}
		}

		@Override
		public StoreSubscription watchRecalls(RecallListener listener) {
			if (!this.watching) {
				return StoreSubscription.NEVER_LIVE;
			}
			this.listener.set(listener);
			listener.missed();
			return new StoreSubscription() {

				@Override
				public boolean isLive() {
					return true;
				}

				@Override
				public void close() {
					RecallingStore.this.listener.set(null);
				}

			};
		}

	}

}
