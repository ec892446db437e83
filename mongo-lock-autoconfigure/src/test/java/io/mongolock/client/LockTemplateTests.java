package io.mongolock.client;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.mongolock.LockClock;
import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockLostException;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.LockUnavailableException;
import io.mongolock.LossReason;
import io.mongolock.OnLost;
import io.mongolock.client.ClientOptions.LeakDetection;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HandOver;
import io.mongolock.store.LeaseEnd;
import io.mongolock.store.Leased;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LockTemplate}.
 */
class LockTemplateTests {

	private static final LockRequest REQUEST = LockRequest.of("k");

	private static final LockRequest ONCE = LockRequest.builder("k").waitTimeout(Duration.ZERO).build();

	private final ScriptedStore store = new ScriptedStore();

	private final SteppedClock clock = new SteppedClock();

	private final RecordingListener events = new RecordingListener();

	private final LockTemplate template = new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
			new LockOwner("app", "1", "host", 42, ""), this.clock, List.of(this.events)));

	private final ExecutorService others = Executors.newCachedThreadPool();

	@AfterEach
	void stop() {
		this.template.stop(Duration.ofSeconds(1));
		this.others.shutdownNow();
	}

	@Test
	void aFreeLockCostsOneRequestOnTheCallersThreadAndItsReleaseAnother() {
		String result = this.template.execute(REQUEST, (handle) -> {
			assertThat(handle.isHeld()).isTrue();
			assertThat(handle.fence()).isEqualTo(1);
			assertThat(LockContext.current()).isSameAs(handle);
			return "done";
		});
		assertThat(result).isEqualTo("done");
		String thread = Thread.currentThread().getName();
		assertThat(this.store.requests).containsExactly("acquire k on " + thread, "release k on " + thread);
		assertThat(LockContext.find((any) -> true)).isEmpty();
		this.events.await("acquired k", "released k");
	}

	@Test
	void theUsersExceptionReachesTheCallerAndTheLockIsReleased() {
		IOException failure = new IOException("mine");
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.template.execute(REQUEST, (handle) -> {
			throw failure;
		})).isSameAs(failure).satisfies((ex) -> assertThat(ex.getSuppressed()).isEmpty());
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void whateverFailsAfterTheGrantTheLockIsReleasedAndNotRenewed() {
		LockHandle granted = null;
		for (int i = 1; granted == null; i++) {
			int reading = i;
			this.store.next("acquire", (request) -> {
				request.run();
				this.clock.failAt(reading);
			});
			try {
				granted = this.template.acquire(REQUEST);
			}
			catch (StackOverflowError ex) {
				assertThat(this.template.held()).isZero();
				assertThat(this.template.waiting()).isZero();
				Awaitility.await().until(() -> this.store.holder("k").isEmpty());
			}
			this.clock.failAt(0);
		}
		assertThat(this.store.count("acquire")).as("claims that failed, and one that did not").isGreaterThan(1);
		assertThat(granted.isHeld()).isTrue();
		granted.close();
	}

	@Test
	void aHeldLockIsReportedWithItsHolder() {
		LockHandle other = otherClient().acquire(REQUEST);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.acquire(ONCE))
			.withMessageContaining("Lock 'k' is held by other 2 (host there, pid 43")
			.satisfies((ex) -> assertThat(ex.getHolders()).singleElement()
				.satisfies((holder) -> assertThat(holder.fence()).isEqualTo(other.fence())));
		assertThat(this.template.tryAcquire(ONCE)).isEmpty();
	}

	@Test
	void aWaitingClaimGetsTheLockWhenItIsReleased() throws Exception {
		LockHandle other = otherClient().acquire(REQUEST);
		Future<LockHandle> waiting = this.others.submit(() -> this.template.acquire(REQUEST));
		Awaitility.await().until(() -> this.store.count("acquire") >= 3);
		other.close();
		assertThat(waiting.get().isHeld()).isTrue();
	}

	@Test
	void theThreadsOfOneJvmSendOneWaiterToTheStoreAndAreServedInOrder() throws Exception {
		LockTemplate template = new LockTemplate(this.store,
				new ClientOptions(ConfiguredSettings.NONE, new LockOwner("app", "1", "host", 42, ""), this.clock,
						List.of())
					.withLeakDetection(LeakDetection.OFF)
					.withHandOver(new HandOver(Duration.ZERO, 0)));
		LockHandle first = template.acquire(REQUEST);
		List<Future<Long>> waiting = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			int waiters = i + 1;
			waiting.add(this.others.submit(() -> template.execute(REQUEST, LockHandle::fence)));
			Awaitility.await().pollInterval(Duration.ofMillis(10)).until(() -> template.waiting() == waiters);
		}
		assertThat(this.store.count("acquire")).as("requests while the lock is held here").isEqualTo(1);
		first.close();
		for (int i = 0; i < 20; i++) {
			assertThat(waiting.get(i).get()).as("fence of waiter " + i).isEqualTo(i + 2);
		}
		assertThat(this.store.count("acquire")).isEqualTo(21);
	}

	@Test
	void aLockHeldInThisJvmIsDeniedWithoutARequest() {
		try (LockHandle handle = this.template.acquire(REQUEST)) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.acquire(ONCE))
				.withMessageContaining(
						"is held by app 1 (host host, pid 42, thread " + Thread.currentThread().getName() + ")");
			assertThat(handle.isHeld()).isTrue();
		}
		assertThat(this.store.count("acquire")).isEqualTo(1);
	}

	@Test
	void aNestedCallSharesTheLockAndOnlyTheOutermostReleasesIt() {
		this.template.execute(REQUEST, (outer) -> {
			long fence = this.template.execute(REQUEST, (inner) -> inner.fence());
			assertThat(fence).isEqualTo(outer.fence());
			assertThat(outer.isHeld()).isTrue();
			assertThat(this.store.count("release")).isZero();
			return null;
		});
		assertThat(this.store.count("acquire")).isEqualTo(1);
		assertThat(this.store.count("release")).isEqualTo(1);
	}

	@Test
	void aHandleAcquiredWithinACallOutlivesIt() {
		LockHandle kept = this.template.execute(REQUEST, (outer) -> this.template.acquire(REQUEST));
		assertThat(kept.isHeld()).isTrue();
		assertThat(this.store.holder("k")).isPresent();
		kept.close();
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void aSharedLockIsNotTakenForAnExclusiveOneWithin() {
		LockRequest shared = LockRequest.builder("k").shared().build();
		assertThatIllegalStateException()
			.isThrownBy(
					() -> this.template.execute(shared, (handle) -> this.template.execute(REQUEST, (inner) -> null)))
			.withMessage("Lock 'k' is held shared, so maybe by others as well, and asked for exclusively within, which "
					+ "would wait for itself; ask for it exclusively from the start, or release it first");
		assertThat(this.store.count("acquire")).isOne();
	}

	@Test
	void aSharedLockWithinAnExclusiveOneIsTheSame() {
		LockRequest shared = LockRequest.builder("k").shared().build();
		this.template.execute(REQUEST, (outer) -> this.template.execute(shared, (inner) -> {
			assertThat(inner.fence()).isEqualTo(outer.fence());
			return null;
		}));
		assertThat(this.store.count("acquire")).isOne();
	}

	@Test
	void aSharedClaimThatDoesNotWaitAsksBesideOneThatIsUnderway() {
		LockRequest shared = LockRequest.builder("k").shared().build();
		this.store.next("acquire", (request) -> {
			Optional<LockHandle> beside = CompletableFuture
				.supplyAsync(() -> this.template.tryAcquire(shared), this.others)
				.join();
			assertThat(beside).isPresent();
			beside.get().close();
			request.run();
		});
		this.template.acquire(shared);
	}

	@Test
	void anotherThreadDoesNotShareTheLock() throws Exception {
		this.template.execute(REQUEST, (handle) -> {
			Future<Boolean> other = this.others.submit(() -> this.template.tryAcquire(ONCE).isPresent());
			assertThat(other.get()).isFalse();
			return null;
		});
	}

	@Test
	void closeIsIdempotentAndMayComeFromAnyThread() throws Exception {
		LockHandle handle = this.template.acquire(REQUEST);
		this.others.submit(handle::close).get();
		handle.close();
		assertThat(this.store.count("release")).isEqualTo(1);
		assertThat(handle.isHeld()).isFalse();
		assertThatIllegalStateException().isThrownBy(handle::assertHeld).withMessageContaining("was closed");
	}

	@Test
	void aLostLockIsToldToTheHolderInEveryWay() {
		LockHandle handle = this.template.acquire(REQUEST);
		this.clock.step(Duration.ofSeconds(24));
		this.store.forget("k");
		assertThat(handle.isHeld()).isFalse();
		assertThat(handle.remaining()).isZero();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::assertHeld)
			.withMessageContaining("no renewal was confirmed within ttl - margin = 30000ms - 6000ms = 24000ms");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close)
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(LossReason.DEADLINE))
			.satisfies((ex) -> assertThat(ex.getFence()).isEqualTo(1));
		this.events.await("acquired k", "lost k DEADLINE");
	}

	@Test
	void anIgnoredLossIsNoException() {
		LockHandle handle = this.template.acquire(LockRequest.builder("k").onLost(OnLost.IGNORE).build());
		this.clock.step(Duration.ofSeconds(24));
		this.store.forget("k");
		handle.close();
		this.events.await("acquired k", "lost k DEADLINE");
	}

	@Test
	void aLeaseThatRanOutAndWasGrantedToNobodyIsAnOverrunAndNoFailure() {
		String result = this.template.execute(REQUEST, (handle) -> {
			this.clock.step(Duration.ofSeconds(24));
			return "done";
		});
		assertThat(result).isEqualTo("done");
		assertThat(this.store.requests).last().asString().startsWith("release grant k");
		this.events.await("acquired k", "lost k DEADLINE", "overran k");
	}

	@Test
	void aLockFoundGoneAtItsReleaseIsALoss() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.execute(REQUEST, (handle) -> {
			this.store.forget("k");
			return null;
		})).withMessageContaining("the store no longer has it");
		this.events.await("acquired k", "lost k REFUSED");
	}

	@Test
	void aLossDoesNotHideTheUsersException() {
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.template.execute(REQUEST, (handle) -> {
			this.store.forget("k");
			throw new IOException("mine");
		})).satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement().isInstanceOf(LockLostException.class));
	}

	@Test
	void onLossTheThreadIsInterruptedIfTheRequestSaysSo() {
		LockRequest request = LockRequest.builder("k").onLost(OnLost.INTERRUPT).build();
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> this.template.execute(request, (handle) -> {
				this.store.forget("k");
				this.clock.step(Duration.ofSeconds(24));
				new CountDownLatch(1).await();
				return null;
			}))
			.satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement().isInstanceOf(LockLostException.class));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void anInterruptThatNobodyNoticedDoesNotOutliveTheCall() {
		LockRequest request = LockRequest.builder("k").onLost(OnLost.INTERRUPT).build();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.execute(request, (handle) -> {
			this.store.forget("k");
			this.clock.step(Duration.ofSeconds(24));
			assertThat(handle.isHeld()).isFalse();
			assertThat(Thread.currentThread().isInterrupted()).isTrue();
			return null;
		}));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void anExplicitRenewalBeginsTheLeaseAnewOrTellsThatItIsGone() {
		LockHandle handle = this.template.acquire(REQUEST);
		this.clock.step(Duration.ofSeconds(5));
		handle.renew();
		assertThat(handle.remaining()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(24));
		this.store.nextFails("renew", Outcome.UNKNOWN, false);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(handle::renew);
		assertThat(handle.isHeld()).isTrue();
		this.store.forget("k");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::renew);
		assertThat(handle.isHeld()).isFalse();
	}

	@Test
	void theLeaseIsRenewedWhileItIsHeldAndNotAfter() {
		LockHandle handle = this.template.acquire(REQUEST);
		this.clock.stepUnnoticed(Duration.ofSeconds(8));
		Awaitility.await().until(() -> this.store.count("renew") == 1);
		Awaitility.await().until(() -> handle.remaining().compareTo(Duration.ofSeconds(23)) > 0);
		handle.close();
		assertThat(this.store.requests).filteredOn((request) -> request.startsWith("renew"))
			.allMatch((request) -> request.contains("on mongo-lock-renewal"));
	}

	@Test
	void aLossIsDeclaredByDeadlineEvenWhileTheRenewalHangs() throws Exception {
		CountDownLatch hang = new CountDownLatch(1);
		this.store.next("renew", (request) -> await(hang));
		LockHandle handle = this.template.acquire(REQUEST);
		this.clock.step(Duration.ofSeconds(8));
		Awaitility.await().until(() -> this.store.count("renew") == 1);
		this.clock.step(Duration.ofSeconds(16));
		this.events.await("acquired k", "lost k DEADLINE");
		hang.countDown();
		assertThat(handle.isHeld()).isFalse();
	}

	@Test
	void afterALossTheNextOfThisJvmMayAskTheStore() throws Exception {
		LockHandle handle = this.template.acquire(REQUEST);
		Future<LockHandle> waiting = this.others
			.submit(() -> this.template.acquire(LockRequest.builder("k").waitTimeout(Duration.ofMinutes(5)).build()));
		Awaitility.await().until(() -> this.template.waiting() == 1);
		this.store.forget("k");
		this.clock.step(Duration.ofSeconds(24));
		assertThat(waiting.get().fence()).isEqualTo(2);
		assertThat(handle.isHeld()).isFalse();
	}

	@Test
	void aLostAnswerIsAskedAgainUnderTheSameTokenAndGrantedOnce() {
		this.store.nextFails("acquire", Outcome.UNKNOWN, true);
		LockHandle handle = this.template.acquire(REQUEST);
		assertThat(handle.fence()).isEqualTo(1);
		assertThat(this.store.count("acquire")).isEqualTo(2);
		handle.close();
		Awaitility.await("the token is cleaned up, as a duplicate may still be executed")
			.until(() -> this.store.count("release") >= 2);
	}

	@Test
	void anAcquireWithoutAnswerIsReportedAndCleanedUpInTheBackground() {
		this.store.nextFails("acquire", Outcome.UNKNOWN, true);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.template.acquire(ONCE))
			.withMessage("acquire failed by script");
		Awaitility.await().until(() -> this.store.holder("k").isEmpty());
	}

	@Test
	void aRequestExecutedLateIsCleanedUpToo() {
		this.store.nextFails("acquire", Outcome.UNKNOWN, false);
		this.store.next("release", (release) -> {
			release.run();
			// Only now does the lost request reach the store
			this.store.acquire(this.store.lastClaim(), Duration.ofSeconds(1));
		});
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.template
			.acquire(LockRequest.builder("k").ttl(Duration.ofMillis(100)).waitTimeout(Duration.ZERO).build()));
		Awaitility.await().until(() -> this.store.count("release") >= 1);
		this.clock.step(Duration.ofSeconds(1));
		Awaitility.await().until(() -> this.store.holder("k").isEmpty() && this.store.count("release") >= 2);
	}

	@Test
	void aReleaseThatFailsIsNoExceptionAndTriedAgainInTheBackground() {
		this.store.nextFails("release", Outcome.UNKNOWN, false);
		String result = this.template.execute(REQUEST, (handle) -> "done");
		assertThat(result).isEqualTo("done");
		Awaitility.await().until(() -> this.store.holder("k").isEmpty());
	}

	@Test
	void anInterruptEndsTheWaitAndIsRestored() throws Exception {
		LockHandle other = otherClient().acquire(REQUEST);
		CompletableFuture<Boolean> flag = new CompletableFuture<>();
		Thread waiting = new Thread(() -> {
			try {
				this.template.acquire(REQUEST);
			}
			catch (LockUnavailableException ex) {
				flag.complete(Thread.currentThread().isInterrupted() && ex.getMessage().startsWith("Interrupted"));
			}
		});
		waiting.start();
		Awaitility.await().until(() -> this.store.count("acquire") >= 3);
		waiting.interrupt();
		assertThat(flag.get()).isTrue();
		assertThat(this.template.waiting()).isZero();
		other.close();
	}

	@Test
	void anInterruptDuringTheWorkDoesNotKeepTheLockFromBeingReleased() {
		this.store.next("release", (release) -> {
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			release.run();
		});
		this.template.execute(REQUEST, (handle) -> {
			Thread.currentThread().interrupt();
			return null;
		});
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void whoWaitsBehindAClaimThatFailsIsToldOfTheFailure() throws Exception {
		IntStream.range(0, 10_000).forEach((i) -> this.store.nextFails("acquire", Outcome.UNKNOWN, false));
		LockRequest patient = LockRequest.builder("k").waitTimeout(Duration.ofMinutes(1)).build();
		Future<LockHandle> first = this.others.submit(() -> this.template.acquire(patient));
		Awaitility.await().until(() -> this.store.count("acquire") >= 2);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.template.acquire(ONCE))
			.withMessageContaining("acquire failed by script")
			.satisfies((ex) -> assertThat(ex.getOutcome()).isEqualTo(Outcome.NOT_EXECUTED));
		assertThat(this.template.acquireAsync(ONCE)).failsWithin(Duration.ofSeconds(10))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockStoreException.class);
		first.cancel(true);
	}

	@Test
	void anAsynchronousClaimWaitsWithoutAThread() throws Exception {
		LockHandle first = this.template.acquire(REQUEST);
		List<CompletableFuture<Long>> waiting = IntStream.range(0, 10)
			.mapToObj((i) -> this.template.acquireAsync(REQUEST).thenApply((handle) -> {
				handle.close();
				return handle.fence();
			}))
			.toList();
		assertThat(this.template.waiting()).isEqualTo(10);
		first.close();
		for (int i = 0; i < 10; i++) {
			assertThat(waiting.get(i).get()).isEqualTo(i + 2);
		}
	}

	@Test
	void anAsynchronousClaimFailsAsABlockingOneWould() {
		LockHandle other = otherClient().acquire(REQUEST);
		assertThat(this.template.acquireAsync(ONCE)).failsWithin(Duration.ofSeconds(10))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockUnavailableException.class);
		other.close();
		try (LockHandle own = this.template.acquire(REQUEST)) {
			assertThat(this.template.acquireAsync(ONCE)).failsWithin(Duration.ofSeconds(10))
				.withThrowableOfType(ExecutionException.class);
			assertThat(own.isHeld()).isTrue();
		}
	}

	@Test
	void aCancelledAsynchronousClaimLeavesNothingBehind() {
		LockHandle other = otherClient().acquire(REQUEST);
		CompletableFuture<LockHandle> pausing = this.template
			.acquireAsync(LockRequest.builder("k").waitTimeout(Duration.ofMinutes(1)).build());
		Awaitility.await().until(() -> this.store.count("acquire") >= 3);
		CompletableFuture<LockHandle> inQueue = this.template.acquireAsync(REQUEST);
		inQueue.cancel(true);
		pausing.cancel(true);
		Awaitility.await().until(() -> this.template.waiting() == 0);
		other.close();
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void aGrantThatComesAfterTheCancelIsGivenBack() {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch cancelled = new CountDownLatch(1);
		this.store.next("acquire", (request) -> {
			asked.countDown();
			await(cancelled);
			request.run();
		});
		CompletableFuture<LockHandle> claim = this.template.acquireAsync(REQUEST);
		await(asked);
		claim.cancel(true);
		cancelled.countDown();
		Awaitility.await().until(() -> this.store.count("release") == 1);
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void aLockFoundGoneByAStatementAfterItsHolderLetGoOfItIsOver() {
		LockHandle handle = this.template.acquire(REQUEST);
		((Leased) handle).suspend();
		handle.close();
		assertThat(this.template.held()).as("until the statement is over").isOne();
		this.store.forget("k");
		((Leased) handle).end(LeaseEnd.LOST);
		assertThat(this.template.held()).isZero();
		this.events.await("acquired k", "lost k REFUSED");
		this.template.acquire(REQUEST).close();
	}

	@Test
	void aLockThatRunsOutWhileAStatementHangsIsToldInTime() {
		LockHandle handle = this.template.acquire(REQUEST);
		((Leased) handle).suspend();
		this.clock.step(Duration.ofSeconds(25));
		this.events.await("acquired k", "lost k DEADLINE");
		((Leased) handle).end(LeaseEnd.RELEASED);
		this.events.await("acquired k", "lost k DEADLINE", "overran k");
	}

	@Test
	void aLockThatRunsOutWhileNotRenewedIsToldInTime() {
		((Leased) this.template.acquire(REQUEST)).pause();
		this.clock.step(Duration.ofSeconds(25));
		this.events.await("acquired k", "lost k DEADLINE");
	}

	@Test
	void aLockThatAStatementWithoutAnAnswerMayHaveEndedIsLookedForAtOnce() {
		LockHandle handle = this.template.acquire(LockRequest.builder("k").ttl(Duration.ofHours(1)).build());
		((Leased) handle).suspend();
		this.store.forget("k");
		((Leased) handle).resume();
		this.events.await("acquired k", "lost k REFUSED");
		assertThat(handle.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
	}

	@Test
	void aStopThatMayTakeForeverReleasesWhatIsHeld() {
		this.template.acquire(REQUEST);
		this.template.stop(Duration.ofSeconds(Long.MAX_VALUE));
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void aStopEndsWaitingAndGivesBackWhatIsHeld() throws Exception {
		LockHandle held = this.template.acquire(REQUEST);
		Future<LockHandle> waiting = this.others.submit(() -> this.template.acquire(REQUEST));
		CompletableFuture<LockHandle> async = this.template.acquireAsync(REQUEST);
		Awaitility.await().until(() -> this.template.waiting() == 2);
		this.template.stop(Duration.ofSeconds(1));
		assertThat(this.store.holder("k")).isEmpty();
		assertThat(held.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(LossReason.SHUTDOWN));
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(waiting::get)
			.withMessageContaining("is shutting down");
		assertThat(async).failsWithin(Duration.ofSeconds(10)).withThrowableOfType(ExecutionException.class);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.acquire(REQUEST))
			.withMessageContaining("is shutting down");
		int requests = this.store.requests.size();
		this.clock.step(Duration.ofMinutes(1));
		assertThat(this.store.requests).hasSize(requests);
	}

	@Test
	void aStopReleasesThousandsWithFewRequestsAndNoneBeginsAfterIt() throws Exception {
		List<LockHandle> handles = IntStream.range(0, 3_000)
			.mapToObj((i) -> this.template.acquire(LockRequest.of("k" + i)))
			.toList();
		this.template.stop(Duration.ofMinutes(1));
		assertThat(this.store.count("release all 500")).isEqualTo(6);
		assertThat(this.store.count("release")).isEqualTo(6);
		assertThat(IntStream.range(0, 3_000).filter((i) -> this.store.holder("k" + i).isPresent()).count()).isZero();
		int requests = this.store.requests.size();
		handles.forEach((handle) -> assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close));
		assertThat(this.store.requests).hasSize(requests);
	}

	@Test
	void aStopWhoseRequestsHangBeginsNoneAfterItsBudget() {
		IntStream.range(0, 1_500).forEach((i) -> this.template.acquire(LockRequest.of("k" + i)));
		this.store.next("release", (request) -> this.clock.step(Duration.ofSeconds(4)));
		this.store.next("release", (request) -> this.clock.step(Duration.ofSeconds(4)));
		this.template.stop(Duration.ofSeconds(6));
		assertThat(this.store.count("release")).isEqualTo(2);
	}

	@Test
	void aStopMayTakeAsLongAsADurationCanBe() {
		this.template.acquire(REQUEST);
		this.template.stop(Duration.ofSeconds(Long.MAX_VALUE));
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void aStopWaitsForAClaimThatIsUnderwayAndGivesItBack() throws Exception {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch stopping = new CountDownLatch(1);
		this.store.next("acquire", (request) -> {
			asked.countDown();
			await(stopping);
			request.run();
		});
		Future<LockHandle> claim = this.others.submit(() -> this.template.acquire(REQUEST));
		await(asked);
		Future<?> stop = this.others.submit(() -> this.template.stop(Duration.ofMinutes(1)));
		Awaitility.await().until(() -> !this.template.isRunning());
		stopping.countDown();
		stop.get();
		assertThat(this.store.holder("k")).isEmpty();
		assertThat(claim.get().isHeld()).isFalse();
	}

	@Test
	void aStopWaitsForARenewalThatIsUnderway() throws Exception {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch answer = new CountDownLatch(1);
		this.store.next("renew", (request) -> {
			asked.countDown();
			await(answer);
		});
		LockSettings busy = LockSettings.builder().renewInterval(Duration.ofMillis(50)).build();
		this.template.acquire(LockRequest.builder("k").settings(busy).build());
		await(asked);
		Future<?> stop = this.others.submit(() -> this.template.stop(Duration.ofMinutes(1)));
		Awaitility.await().until(() -> this.store.holder("k").isEmpty());
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> stop.get(200, TimeUnit.MILLISECONDS));
		answer.countDown();
		stop.get();
	}

	@Test
	void aStoppedClientMayBeStartedAgain() {
		this.template.stop(Duration.ofSeconds(1));
		this.template.start();
		assertThat(this.template.isRunning()).isTrue();
		this.template.execute(REQUEST, (handle) -> null);
	}

	@Test
	void aListenerThatThrowsHarmsNobody() {
		this.events.failing = true;
		this.template.execute(REQUEST, (handle) -> null);
		this.template.execute(REQUEST, (handle) -> null);
		this.events.await("acquired k", "released k", "acquired k", "released k");
	}

	private LockTemplate otherClient() {
		return new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner("other", "2", "there", 43, ""), this.clock, List.of()));
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static final class SteppedClock implements LockClock {

		private final AtomicLong stepped = new AtomicLong();

		private final Set<Thread> watches = ConcurrentHashMap.newKeySet();

		private final ThreadLocal<Integer> readings = ThreadLocal.withInitial(() -> 0);

		/**
		 * Fail once on the current thread.
		 * @param reading at which reading from now on, or 0 for none
		 */
		void failAt(int reading) {
			this.readings.set(reading);
		}

		void step(Duration step) {
			stepUnnoticed(step);
			this.watches.forEach(LockSupport::unpark);
		}

		/**
		 * Leave it to the watch when it looks at the clock again.
		 */
		void stepUnnoticed(Duration step) {
			this.stepped.addAndGet(step.toNanos());
		}

		@Override
		public long nanoTime() {
			if (Thread.currentThread().getName().equals("mongo-lock-watch")) {
				this.watches.add(Thread.currentThread());
			}
			int left = this.readings.get();
			this.readings.set(left - 1);
			if (left == 1) {
				throw new StackOverflowError("by script");
			}
			return System.nanoTime() + this.stepped.get();
		}

		@Override
		public long currentTimeMillis() {
			return System.currentTimeMillis() + this.stepped.get() / 1_000_000;
		}

	}

	private static final class RecordingListener implements LockListener {

		private final List<String> heard = new CopyOnWriteArrayList<>();

		private volatile boolean failing;

		void await(String... events) {
			Awaitility.await().untilAsserted(() -> assertThat(this.heard).containsExactlyInAnyOrder(events));
		}

		@Override
		public void onAcquired(LockHandle handle) {
			tell("acquired " + handle.key());
		}

		@Override
		public void onReleased(LockHandle handle) {
			tell("released " + handle.key());
		}

		@Override
		public void onLost(LockHandle handle, LossReason reason) {
			tell("lost " + handle.key() + " " + reason);
		}

		@Override
		public void onExpiredUncontested(LockHandle handle) {
			tell("overran " + handle.key());
		}

		private void tell(String event) {
			this.heard.add(event);
			if (this.failing) {
				throw new IllegalStateException("by script");
			}
		}

	}

}
