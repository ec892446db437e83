package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.LockUnavailableException;
import io.mongolock.client.ClientOptions.LeakDetection;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HandOver;
import io.mongolock.event.LockInstrumentation;
import io.mongolock.store.Claim;
import io.mongolock.store.LeaseId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for claims and locks that end at the same moment as something else: a stop, a
 * cancel, a loss, or another end of the same. What has to happen in between happens
 * inside of a call that the client makes.
 */
@Timeout(120)
class ClosingTimesTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final LockRequest REQUEST = LockRequest.of("k");

	private final QueueStore store = new QueueStore();

	private final Hook hook = new Hook();

	private final LockTemplate client = new LockTemplate(this.store,
			new ClientOptions(new ConfiguredSettings(
					LockSettings.builder().ttl(Duration.ofMinutes(30)).waitTimeout(Duration.ofMinutes(10)).build(),
					Map.of()), new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of(this.hook))
				.withLeakDetection(LeakDetection.OFF)
				.withHandOver(new HandOver(Duration.ofHours(1), 100))
				.withPlaceTtl(Duration.ofSeconds(6)),
			new ClientRuntime());

	@AfterEach
	void stop() {
		this.client.stop(Duration.ofSeconds(1));
	}

	@Test
	void aHandleClosedTwiceLetsGoOnce() {
		LeaseHandle outer = this.client.claim(REQUEST);
		outer.heldLock().state().add();
		LeaseHandle inner = new LeaseHandle(outer.heldLock(), this.client.holds());
		inner.close();
		inner.close();
		assertThat(outer.isHeld()).isTrue();
		assertThat(this.store.holder("k")).isPresent();
		outer.close();
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void aLostLockIsNotShared() {
		LeaseHandle outer = this.client.claim(REQUEST);
		this.store.forget("k");
		this.client.holds().renew("k");
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> outer.heldLock().state().add(1, this.client.holds().now()));
		outer.heldLock().state().remove();
	}

	@Test
	void aLockGrantedToACancelledFutureIsReleasedDespiteItsMinimumHold() {
		CountDownLatch over = new CountDownLatch(1);
		LockRequest kept = LockRequest.builder("k").minHold(Duration.ofMinutes(10)).build();
		CompletableFuture<LockHandle> future = this.client.claimAsync(kept, (handle) -> {
			await(over);
			return handle;
		});
		Awaitility.await().until(() -> this.store.holder("k").isPresent());
		assertThat(future.cancel(true)).isTrue();
		over.countDown();
		Awaitility.await().until(() -> this.store.holder("k").isEmpty());
		assertThat(this.store.kept).isEmpty();
		assertThat(this.client.holds().size()).isZero();
	}

	@Test
	void nothingIsHandedOverWhileTheClientStops() {
		LeaseHandle holder = beginTurn();
		CompletableFuture<LockHandle> first = async();
		CompletableFuture<LockHandle> second = async();
		List<Long> released = new CopyOnWriteArrayList<>();
		long before = this.store.count("release");
		this.hook.atEndOfClaim = () -> {
			this.hook.atEndOfClaim = () -> {
			};
			holder.close();
			released.add(this.store.count("release") - before);
		};
		this.client.stop(Duration.ofSeconds(10));
		assertThat(first).failsWithin(LONG);
		assertThat(second).failsWithin(LONG);
		assertThat(released).as("by the close itself").containsExactly(1L);
	}

	@Test
	void aLockGrantedAfterTheStopIsNotHeld() throws Exception {
		CountDownLatch closed = new CountDownLatch(1);
		CountDownLatch asked = new CountDownLatch(1);
		this.store.next("acquire", (request) -> {
			asked.countDown();
			await(closed);
			request.run();
		});
		CompletableFuture<LockHandle> granted = CompletableFuture.supplyAsync(() -> this.client.claim(REQUEST),
				(task) -> new ClientRuntime().daemons("late").newThread(task).start());
		asked.await();
		this.client.stop(Duration.ofMillis(1));
		closed.countDown();
		assertThat(granted).succeedsWithin(LONG).matches((handle) -> !handle.isHeld(), "not held");
		assertThat(this.client.holds().size()).isZero();
	}

	@Test
	void aStopAwaitsTheRequestUnderwayAndReleasesWhatItWasGranted() throws Exception {
		CountDownLatch waits = new CountDownLatch(1);
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch answered = new CountDownLatch(1);
		this.store.next("acquire", (request) -> {
			asked.countDown();
			await(waits);
			request.run();
			answered.countDown();
		});
		async();
		asked.await();
		Thread stop = new Thread(() -> this.client.stop(LONG));
		stop.start();
		Awaitility.await().until(() -> stop.getState() == Thread.State.TIMED_WAITING || !stop.isAlive());
		waits.countDown();
		answered.await();
		stop.join();
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void aClaimThatJoinsDuringAStopIsStoppedToo() {
		this.hook.atBeginOfClaim = () -> this.client.stop(Duration.ofMillis(1));
		assertThat(async()).failsWithin(LONG).withThrowableOfType(ExecutionException.class);
		assertThat(this.client.waiting()).isZero();
	}

	@Test
	void whenAClientIsStartedDuringItsStopThenWaitersWhoJoinMeanwhileAreStopped() throws Exception {
		heldByAnother();
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch waits = new CountDownLatch(1);
		this.store.next("acquire", (request) -> {
			asked.countDown();
			await(waits);
			request.run();
		});
		this.client.claimAsync(LockRequest.of("underway"), (handle) -> handle);
		asked.await();
		Thread stop = new Thread(() -> this.client.stop(LONG));
		stop.start();
		Awaitility.await().until(() -> stop.getState() == Thread.State.TIMED_WAITING);
		this.client.start();
		CompletableFuture<LockHandle> late = async();
		Awaitility.await().until(() -> this.store.count("acquire") > 3);
		waits.countDown();
		stop.join();
		assertThat(late).failsWithin(LONG).withThrowableOfType(ExecutionException.class);
		assertThat(this.client.waiting()).isZero();
	}

	@Test
	void whenWaitersAreStoppedThenNoOtherMayJoinAnyMore() {
		heldByAnother();
		CompletableFuture<LockHandle> waiting = async();
		AtomicReference<@Nullable Throwable> late = new AtomicReference<>();
		this.hook.atEndOfClaim = () -> {
			this.hook.atEndOfClaim = () -> {
			};
			late.set(catchThrowable(() -> async().get(0, TimeUnit.SECONDS)));
		};
		Awaitility.await().until(() -> this.store.count("acquire") > 2);
		this.client.stopClaims(LONG);
		assertThat(waiting).failsWithin(LONG);
		assertThat(late.get()).isInstanceOf(LockUnavailableException.class);
	}

	@Test
	void aLockHandedToACancelledWaiterIsReleasedDespiteItsMinimumHold() {
		LeaseHandle holder = beginTurn();
		LockRequest kept = LockRequest.builder("k").minHold(Duration.ofMinutes(10)).build();
		CompletableFuture<LockHandle> gone = this.client.claimAsync(kept, (handle) -> handle);
		this.hook.onWake = () -> gone.cancel(true);
		holder.close();
		assertThat(gone).isCancelled();
		Awaitility.await().until(() -> this.store.holder("k").isEmpty());
		assertThat(this.store.kept).isEmpty();
	}

	@Test
	void aClaimWhosePlaceMayHaveBeenTakenLeavesTheQueueAsItIsCleanedUp() {
		heldByAnother();
		this.store.next("acquire", Runnable::run);
		this.store.next("acquire", (request) -> {
			throw new LockStoreException("k", Outcome.UNKNOWN, "by script", null);
		});
		CompletableFuture<LockHandle> waiting = async();
		Awaitility.await().until(() -> this.store.count("acquire") > 2);
		waiting.cancel(true);
		Awaitility.await().until(() -> this.store.left.contains(this.store.lastClaim().id()));
	}

	@Test
	void placesAreLeftAtAStop() {
		heldByAnother();
		CompletableFuture<LockHandle> waiting = async();
		Awaitility.await().until(() -> this.store.count("acquire") > 2);
		this.client.stop(Duration.ofSeconds(10));
		assertThat(waiting).failsWithin(LONG);
		assertThat(this.store.leftTogether).as("once more if the watch has just done so")
			.containsOnly(this.store.lastClaim().id());
	}

	private void heldByAnother() {
		LockOwner owner = new LockOwner("other", "1", "host", 43, "");
		this.store.acquire(Claim.of(new LeaseId("k", "other"), owner, Duration.ofHours(1)), LONG);
	}

	/**
	 * Have a turn granted: the second claim, which had to queue, sets fences aside.
	 */
	private LeaseHandle beginTurn() {
		LeaseHandle first = this.client.claim(REQUEST);
		CompletableFuture<LockHandle> second = async();
		first.close();
		return (LeaseHandle) second.join();
	}

	private CompletableFuture<LockHandle> async() {
		return this.client.claimAsync(REQUEST, (handle) -> handle);
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static final class Hook implements LockInstrumentation {

		private volatile Runnable atBeginOfClaim = () -> {
		};

		private volatile Runnable atEndOfClaim = () -> {
		};

		private volatile Runnable onWake = () -> {
		};

		@Override
		public void attempting(Object attempt, LockRequest request) {
			this.atBeginOfClaim.run();
		}

		@Override
		public void woken(Object attempt) {
			this.onWake.run();
		}

		@Override
		public void attempted(Object attempt, LockRequest request, AttemptOutcome outcome,
				@Nullable LockStoreException failure, Duration waited) {
			if (outcome == AttemptOutcome.CANCELLED) {
				this.atEndOfClaim.run();
			}
		}

	}

	/**
	 * Writes down who leaves the queue.
	 */
	private static final class QueueStore extends ScriptedStore {

		private final List<LeaseId> left = new CopyOnWriteArrayList<>();

		private final List<LeaseId> leftTogether = new CopyOnWriteArrayList<>();

		@Override
		public boolean leave(LeaseId claim, Duration timeout) {
			this.left.add(claim);
			return true;
		}

		@Override
		public int leaveAll(List<LeaseId> claims, Duration timeout) {
			this.leftTogether.addAll(claims);
			return claims.size();
		}

	}

}
