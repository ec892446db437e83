package io.mongolock.client;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.LockClock;
import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.LockUnavailableException;
import io.mongolock.OnLost;
import io.mongolock.client.AbstractLockTemplateTests.SteppedClock;
import io.mongolock.concurrent.AsyncExecution;
import io.mongolock.concurrent.CallerContext;
import io.mongolock.core.ClockReading;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HandOver;
import io.mongolock.core.HoldState;
import io.mongolock.event.LockInstrumentation.Scope;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the asynchronous side of {@link LockTemplate}. Nothing here depends on how
 * quick it is: what has to happen happens while the latch is closed.
 */
@Timeout(180)
class AsyncLockTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final LockRequest REQUEST = LockRequest.of("k");

	private final ScriptedStore store = new ScriptedStore();

	private final LockTemplate template = new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
			new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of()));

	private final CountDownLatch latch = new CountDownLatch(1);

	@AfterEach
	void stop() {
		this.latch.countDown();
		this.template.stop(Duration.ofSeconds(1));
	}

	@Test
	void anErrorOfTheStoreFailsTheFutureAndLeavesTheKeyOpen() {
		this.store.next("acquire", (request) -> {
			request.run();
			throw new NoClassDefFoundError("by script");
		});
		assertThat(this.template.acquireAsync(REQUEST)).failsWithin(LONG)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(NoClassDefFoundError.class);
		assertThat(this.template.waiting()).isZero();
		assertThat(this.template.acquireAsync(REQUEST)).as("the token is cleaned up").succeedsWithin(LONG);
	}

	@Test
	void anErrorOfTheStoreReachesABlockingCallerAndLeavesTheKeyOpen() {
		this.store.next("acquire", (request) -> {
			request.run();
			throw new NoClassDefFoundError("by script");
		});
		assertThatExceptionOfType(NoClassDefFoundError.class).isThrownBy(() -> this.template.acquire(REQUEST));
		assertThat(this.template.acquire(REQUEST).isHeld()).as("the token is cleaned up").isTrue();
	}

	@Test
	void claimsOnASilentStoreAreAnsweredHoweverManyThereAre() {
		hangs("acquire", 200);
		List<CompletableFuture<LockHandle>> claims = IntStream.range(0, 200)
			.mapToObj((i) -> this.template.acquireAsync(once("k" + i)))
			.toList();
		claims.forEach((claim) -> assertThat(claim).failsWithin(LONG)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockStoreException.class));
		long sent = claims.stream().filter((claim) -> outcome(claim) == Outcome.UNKNOWN).count();
		assertThat(sent).as("requests underway").isBetween(1L, 199L);
		this.latch.countDown();
		Awaitility.await("what is granted late is released")
			.atMost(LONG)
			.until(() -> this.store.count("release") == sent && this.store.holders() == 0);
		assertThat(this.store.count("acquire")).as("what nobody wants any more is not sent").isEqualTo(sent);
	}

	@Test
	void turnsWithinThisJvmDoNotGoBeforeTheFirstRequestsOfOtherKeys() {
		Semaphore ends = new Semaphore(0);
		ScriptedStore blocking = new ScriptedStore() {

			@Override
			public ClaimAnswer acquire(Claim claim, Duration timeout) {
				if (claim.id().key().equals("free")) {
					return super.acquire(claim, timeout);
				}
				ends.acquireUninterruptibly();
				throw new LockStoreException(claim.id().key(), Outcome.REFUSED, "by script", null);
			}

		};
		LockTemplate asking = new LockTemplate(blocking, new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of()));
		LockSettings patient = LockSettings.builder().waitTimeout(Duration.ofHours(1)).build();
		IntStream.range(0, 112)
			.forEach((i) -> asking.acquireAsync(LockRequest.builder("blocked" + i % 56).settings(patient).build()));
		CompletableFuture<LockHandle> free = asking.acquireAsync(LockRequest.builder("free").settings(patient).build());
		// 48 are underway, 8 come before it, and each that ends gives the turn to another
		ends.release(9);
		assertThat(free).succeedsWithin(LONG);
		ends.release(112);
		asking.stop(Duration.ofSeconds(1));
	}

	@Test
	void claimsThatHadNoAnswerLeaveThreadsToOthers() {
		CountDownLatch end = new CountDownLatch(1);
		Set<String> failed = ConcurrentHashMap.newKeySet();
		AtomicInteger hanging = new AtomicInteger();
		ScriptedStore blocking = new ScriptedStore() {

			@Override
			public ClaimAnswer acquire(Claim claim, Duration timeout) {
				if (claim.id().key().startsWith("free")) {
					return super.acquire(claim, timeout);
				}
				if (!failed.add(claim.id().key())) {
					hanging.incrementAndGet();
					await(end);
				}
				throw new LockStoreException(claim.id().key(), Outcome.UNKNOWN, "by script", null);
			}

		};
		LockTemplate asking = new LockTemplate(blocking, new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of()));
		LockSettings patient = LockSettings.builder().waitTimeout(Duration.ofHours(1)).build();
		IntStream.range(0, 40)
			.forEach((i) -> asking.acquireAsync(LockRequest.builder("blocked" + i).settings(patient).build()));
		Awaitility.await().atMost(LONG).until(() -> failed.size() == 40 && hanging.get() >= 32);
		for (int i = 0; i < 100; i++) {
			assertThat(asking.acquireAsync(LockRequest.builder("free" + i).settings(patient).build()))
				.succeedsWithin(LONG);
		}
		assertThat(hanging).hasValue(32);
		end.countDown();
		asking.stop(Duration.ofSeconds(1));
	}

	@Test
	void aStoreThatIsSlowForAllHasItsTimeAsLongAsThereIsRoom() {
		CountDownLatch end = new CountDownLatch(1);
		Map<String, List<Duration>> timeouts = new ConcurrentHashMap<>();
		ScriptedStore slow = new ScriptedStore() {

			@Override
			public ClaimAnswer acquire(Claim claim, Duration timeout) {
				timeouts.computeIfAbsent(claim.id().key(), (key) -> new CopyOnWriteArrayList<>()).add(timeout);
				await(end);
				if (!timeout.equals(DividedEnding.TIMEOUT)) {
					return super.acquire(claim, timeout);
				}
				throw new LockStoreException(claim.id().key(), Outcome.UNKNOWN, "by script", null);
			}

		};
		LockTemplate asking = new LockTemplate(slow, new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of()));
		LockSettings patient = LockSettings.builder().waitTimeout(Duration.ofHours(1)).build();
		LockSettings shorter = LockSettings.builder().operationTimeout(Duration.ofMillis(500)).build();
		List<CompletableFuture<LockHandle>> claims = IntStream.range(0, 41)
			.mapToObj((i) -> LockRequest.builder("k" + i).settings((i < 40) ? patient : shorter.or(patient)))
			.map((request) -> asking.acquireAsync(request.build()))
			.toList();
		Awaitility.await().atMost(LONG).until(() -> timeouts.size() == 41);
		end.countDown();
		claims.forEach((claim) -> assertThat(claim).succeedsWithin(LONG));
		Duration whole = Duration.ofSeconds(3);
		assertThat(timeouts.values()).filteredOn(List.of(whole)::equals).hasSize(32);
		assertThat(timeouts.values()).filteredOn(List.of(DividedEnding.TIMEOUT, whole)::equals).hasSize(8);
		assertThat(timeouts.get("k40")).containsExactly(Duration.ofMillis(500));
		asking.stop(Duration.ofSeconds(1));
	}

	@Test
	void aStoreWhoseLastAnswerTookLongHasItsTimeForAll() {
		CountDownLatch end = new CountDownLatch(1);
		Map<String, Duration> timeouts = new ConcurrentHashMap<>();
		SteppedClock clock = new SteppedClock();
		ScriptedStore slow = new ScriptedStore() {

			@Override
			public ClaimAnswer acquire(Claim claim, Duration timeout) {
				if (claim.id().key().equals("slow")) {
					clock.step(DividedEnding.TIMEOUT.plusMillis(1));
				}
				else if (claim.id().key().startsWith("k")) {
					timeouts.put(claim.id().key(), timeout);
					await(end);
				}
				return super.acquire(claim, timeout);
			}

		};
		LockTemplate asking = new LockTemplate(slow, new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner("app", "1", "host", 42, ""), clock, List.of()));
		assertThat(asking.acquireAsync(LockRequest.of("slow"))).succeedsWithin(LONG);
		LockSettings patient = LockSettings.builder().waitTimeout(Duration.ofHours(1)).build();
		IntStream.range(0, 40)
			.forEach((i) -> asking.acquireAsync(LockRequest.builder("k" + i).settings(patient).build()));
		Awaitility.await().atMost(LONG).until(() -> timeouts.size() == 40);
		assertThat(timeouts.values()).containsOnly(Duration.ofSeconds(3));
		end.countDown();
		asking.stop(Duration.ofSeconds(1));
	}

	@Test
	void aClaimWhoseTimeIsOverLetsTheNextAskWhileItsRequestHangs() {
		hangs("acquire", 1);
		// On a busy machine the time of one may be over before it is sent
		while (this.store.count("acquire") == 0) {
			assertThat(this.template.acquireAsync(once("k"))).failsWithin(LONG)
				.withThrowableOfType(ExecutionException.class);
		}
		assertThat(this.template.acquireAsync(REQUEST)).succeedsWithin(LONG);
	}

	@Test
	void aClaimDoesNotWaitBehindCleanUp() {
		hangs("release", 100);
		for (int i = 0; i < 100; i++) {
			this.store.nextFails("acquire", Outcome.UNKNOWN, false);
			assertThat(this.template.acquireAsync(once("k" + i))).failsWithin(LONG)
				.withThrowableOfType(ExecutionException.class);
		}
		assertThat(this.template.acquireAsync(LockRequest.of("free"))).succeedsWithin(LONG);
	}

	@Test
	void aCallbackAttachedToAResultMayBlockWithoutDelayingAnotherClaim() {
		CountDownLatch attached = new CountDownLatch(1);
		CountDownLatch blocked = new CountDownLatch(64);
		for (int i = 0; i < 64; i++) {
			boolean fails = i % 2 == 0;
			this.store.next("acquire", (request) -> {
				await(attached);
				if (fails) {
					throw new LockStoreException("k", Outcome.REFUSED, "by script", null);
				}
				request.run();
			});
			this.template.acquireAsync(LockRequest.of("k" + i)).whenComplete((handle, failure) -> {
				blocked.countDown();
				await(this.latch);
			});
		}
		attached.countDown();
		await(blocked);
		assertThat(this.template.acquireAsync(REQUEST)).succeedsWithin(LONG);
	}

	@Test
	void finishedClaimsLeaveNoTimersBehind() {
		LockRequest patient = LockRequest.builder("k").waitTimeout(Duration.ofHours(1)).build();
		LockHandle first = this.template.acquire(REQUEST);
		List<CompletableFuture<LockHandle>> cancelled = IntStream.range(0, 500)
			.mapToObj((i) -> this.template.acquireAsync(patient))
			.toList();
		assertThat(this.template.threads().timers()).isEqualTo(500);
		cancelled.forEach((claim) -> claim.cancel(true));
		first.close();
		for (int i = 0; i < 500; i++) {
			assertThat(this.template.acquireAsync(patient)).succeedsWithin(LONG).satisfies(LockHandle::close);
		}
		Awaitility.await().until(() -> this.template.threads().timers() == 0);
	}

	@Test
	void aLockThatNobodyTookNeedNotStayTaken() {
		hangs("acquire", 1);
		CompletableFuture<LockHandle> claim = this.template
			.acquireAsync(LockRequest.builder("k").minHold(Duration.ofHours(1)).build());
		awaitSent();
		claim.cancel(true);
		this.latch.countDown();
		Awaitility.await().until(() -> this.store.count("release") == 1 && this.store.holders() == 0);
		assertThat(this.store.kept).isEmpty();
	}

	@Test
	void aLockWhoseWorkIsCancelledBeforeItBeginsNeedNotStayTaken() {
		LockHandle handle = this.template.acquire(LockRequest.builder("k").minHold(Duration.ofHours(1)).build());
		List<Runnable> elsewhere = new ArrayList<>();
		CompletableFuture<String> result = new AsyncExecution<String>((held) -> {
			throw new IllegalStateException("Nobody waits for it");
		}, (held) -> Scope.NONE, (held) -> null, LockTemplate::unused, elsewhere::add, CallerContext.NONE)
			.run(List.of(), List.of(REQUEST).iterator(), (request) -> CompletableFuture.completedFuture(handle));
		result.cancel(false);
		elsewhere.get(0).run();
		assertThat(this.store.holders()).isZero();
		assertThat(this.store.kept).isEmpty();
	}

	@Test
	void aFutureThatTimedOutReleasesWhatIsGrantedLater() {
		hangs("acquire", 1);
		CompletableFuture<LockHandle> claim = this.template.acquireAsync(REQUEST);
		awaitSent();
		assertThat(claim.orTimeout(1, TimeUnit.MILLISECONDS)).failsWithin(LONG)
			.withThrowableOfType(ExecutionException.class);
		this.latch.countDown();
		Awaitility.await().until(() -> this.store.count("release") == 1 && this.store.holders() == 0);
		assertThat(this.template.held()).isZero();
	}

	@Test
	void aFutureCompletedByAnotherReleasesWhatIsGrantedLater() {
		hangs("acquire", 1);
		LockHandle mine = new UnlockedLockOperations(ConfiguredSettings.NONE, LockClock.system(), CallerContext.NONE)
			.acquire(REQUEST);
		CompletableFuture<LockHandle> claim = this.template.acquireAsync(REQUEST);
		awaitSent();
		assertThat(claim.complete(mine)).isTrue();
		this.latch.countDown();
		Awaitility.await().until(() -> this.store.count("release") == 1 && this.store.holders() == 0);
	}

	@Test
	void aClaimOfAStoppedClientIsAnswered() {
		hangs("acquire", 1);
		CompletableFuture<LockHandle> claim = this.template.acquireAsync(REQUEST);
		CompletableFuture<LockHandle> behind = this.template.acquireAsync(REQUEST);
		awaitSent();
		this.template.stop(Duration.ofMillis(1));
		assertThat(claim).failsWithin(LONG).withThrowableOfType(ExecutionException.class);
		assertThat(behind).failsWithin(LONG).withThrowableOfType(ExecutionException.class);
	}

	@Test
	void aClaimThatIsHandedALockAtTheStopIsAnswered() throws InterruptedException {
		PausingClock clock = new PausingClock();
		// A busy machine must not end the turn
		LockTemplate stopping = new LockTemplate(this.store,
				new ClientOptions(ConfiguredSettings.NONE, new LockOwner("app", "1", "host", 42, ""), clock, List.of())
					.withHandOver(new HandOver(Duration.ofHours(1), 100)));
		LockRequest patient = LockRequest.builder("k").waitTimeout(Duration.ofHours(1)).build();
		LockHandle first = stopping.acquire(patient);
		// Granted to one that waited, so with fences for those behind
		CompletableFuture<LockHandle> second = stopping.acquireAsync(patient);
		first.close();
		LockHandle held = second.join();
		CompletableFuture<LockHandle> handed = stopping.acquireAsync(patient);
		Thread behind = new Thread(() -> assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> stopping.acquire(patient)));
		behind.start();
		Awaitility.await().atMost(LONG).until(() -> behind.getState() == Thread.State.TIMED_WAITING);
		Thread stop = new Thread(() -> stopping.stop(LONG));
		clock.once(() -> stopping.waiting() == 1, () -> {
			// Handed over, and about to hear of it: the one behind wakes up after the
			// stop
			clock.pauses(behind, this.latch);
			stop.start();
			Awaitility.await().atMost(LONG).until(() -> stopping.held() == 0);
		});
		held.close();
		stop.join();
		this.latch.countDown();
		behind.join();
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> handed.get(LONG.toMillis(), TimeUnit.MILLISECONDS))
			.withCauseInstanceOf(LockUnavailableException.class);
	}

	@Test
	void workIsHeldUntilItsStageEndsAndThenReleased() {
		CompletableFuture<String> stage = new CompletableFuture<>();
		AtomicReference<LockHandle> seen = new AtomicReference<>();
		CompletableFuture<String> result = this.template.executeAsync(REQUEST, (handle) -> {
			assertThat(LockContext.current()).isSameAs(handle);
			seen.set(handle);
			return stage;
		});
		Awaitility.await().until(() -> seen.get() != null);
		assertThat(seen.get().isHeld()).isTrue();
		assertThat(result).isNotDone();
		stage.complete("done");
		assertThat(result).succeedsWithin(LONG).isEqualTo("done");
		assertThat(this.store.count("release")).isEqualTo(1);
		assertThat(this.store.holders()).isZero();
	}

	@Test
	void theFailureOfTheStageIsTheResult() {
		IOException failure = new IOException("mine");
		assertThat(this.template.executeAsync(REQUEST, (handle) -> CompletableFuture.failedFuture(failure)))
			.failsWithin(LONG)
			.withThrowableOfType(ExecutionException.class)
			.withCause(failure);
		assertThat(this.store.holders()).isZero();
	}

	@Test
	void theExceptionOfTheCallbackIsTheResult() {
		IOException failure = new IOException("mine");
		assertThat(this.template.<String>executeAsync(REQUEST, (handle) -> {
			throw failure;
		})).failsWithin(LONG).withThrowableOfType(ExecutionException.class).withCause(failure);
		assertThat(this.store.holders()).isZero();
	}

	@Test
	void aStageWhoseEndCannotBeWaitedForIsAnErrorAndTheLockIsReleased() {
		CompletableFuture<String> stage = new CompletableFuture<>() {

			@Override
			public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
				throw new UnsupportedOperationException("by script");
			}

		};
		assertThat(this.template.executeAsync(REQUEST, (handle) -> stage)).failsWithin(LONG)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(UnsupportedOperationException.class);
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void workWithoutAStageIsAnError() {
		assertThat(this.template.<String>executeAsync(REQUEST, (handle) -> null)).failsWithin(LONG)
			.withThrowableOfType(ExecutionException.class)
			.withMessageContaining("The work under lock 'k' must return a CompletionStage, but it returned null");
		assertThat(this.store.holders()).isZero();
	}

	@Test
	void aLossIsToldWhenTheStageHasEnded() {
		assertThat(this.template.executeAsync(REQUEST, (handle) -> {
			this.store.forget("k");
			return CompletableFuture.completedFuture("done");
		})).failsWithin(LONG)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockLostException.class);
		LockRequest ignoring = LockRequest.builder("k").onLost(OnLost.IGNORE).build();
		assertThat(this.template.executeAsync(ignoring, (handle) -> {
			this.store.forget("k");
			return CompletableFuture.completedFuture("done");
		})).succeedsWithin(LONG).isEqualTo("done");
	}

	@Test
	void aLossDoesNotHideWhatTheStageFailedWith() {
		IOException failure = new IOException("mine");
		assertThat(this.template.executeAsync(REQUEST, (handle) -> {
			this.store.forget("k");
			return CompletableFuture.failedFuture(failure);
		})).failsWithin(LONG).withThrowableOfType(ExecutionException.class);
		assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
	}

	@Test
	void aCancelBeforeTheGrantEndsTheWaitAndTheWorkNeverBegins() {
		LockHandle first = this.template.acquire(REQUEST);
		CompletableFuture<String> result = this.template.executeAsync(REQUEST, (handle) -> {
			throw new AssertionError("began");
		});
		assertThat(this.template.waiting()).isEqualTo(1);
		result.cancel(true);
		assertThat(this.template.waiting()).isZero();
		first.close();
		assertThat(this.store.holders()).isZero();
	}

	@Test
	void aCancelLeavesTheLockToWorkThatHasBegunUntilItsStageEnds() {
		heldUntilTheStageEnds((result) -> result.cancel(true));
	}

	@Test
	void aTimeoutLeavesTheLockToWorkThatHasBegunUntilItsStageEnds() {
		heldUntilTheStageEnds((result) -> result.orTimeout(1, TimeUnit.MILLISECONDS));
	}

	private void heldUntilTheStageEnds(Consumer<CompletableFuture<String>> end) {
		CompletableFuture<String> stage = new CompletableFuture<>();
		AtomicReference<LockHandle> seen = new AtomicReference<>();
		CompletableFuture<String> result = this.template.executeAsync(REQUEST, (handle) -> {
			seen.set(handle);
			return stage;
		});
		Awaitility.await().until(() -> seen.get() != null);
		CompletableFuture<LockHandle> next = this.template.acquireAsync(REQUEST);
		end.accept(result);
		assertThat(result).failsWithin(LONG);
		assertThat(stage).as("the work goes on").isNotDone();
		assertThat(seen.get().isHeld()).isTrue();
		assertThat(next).isNotDone();
		stage.complete("done");
		assertThat(next).succeedsWithin(LONG);
		assertThat(seen.get().isHeld()).isFalse();
	}

	@Test
	void aStageThatTheWorkItselfEndsFreesTheLock() {
		CompletableFuture<String> stage = new CompletableFuture<>();
		AtomicReference<LockHandle> seen = new AtomicReference<>();
		CompletableFuture<String> result = this.template.executeAsync(REQUEST, (handle) -> {
			seen.set(handle);
			return stage;
		});
		Awaitility.await().until(() -> seen.get() != null);
		stage.cancel(true);
		assertThat(result).failsWithin(LONG);
		assertThat(this.store.holders()).isZero();
	}

	@Test
	void aLossInterruptsTheThreadThatBeginsTheWork() {
		LockRequest interrupting = LockRequest.builder("k").onLost(OnLost.INTERRUPT).build();
		assertThat(this.template.executeAsync(interrupting, (handle) -> {
			this.store.forget("k");
			assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::renew);
			// Throws at once
			this.latch.await();
			return CompletableFuture.completedFuture("done");
		})).failsWithin(LONG)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(InterruptedException.class);
	}

	@Test
	void aLossWhileSharedWorkBeginsStillInterruptsTheCallerThatHoldsTheLock() {
		LockRequest interrupting = LockRequest.builder("k").onLost(OnLost.INTERRUPT).build();
		AtomicBoolean interrupted = new AtomicBoolean();
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.execute(interrupting, (outer) -> {
				this.template.executeAsync(interrupting, (inner) -> {
					this.store.forget("k");
					assertThatExceptionOfType(LockLostException.class).isThrownBy(inner::renew);
					return CompletableFuture.completedFuture("begun");
				});
				interrupted.set(Thread.currentThread().isInterrupted());
				return null;
			}));
		assertThat(interrupted).isTrue();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void aLossEndsTheCallThatHoldsTheLockThoughSharedWorkGoesOn() {
		CompletableFuture<String> unfinished = new CompletableFuture<>();
		AtomicReference<CompletableFuture<String>> shared = new AtomicReference<>();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.execute(REQUEST, (outer) -> {
			shared.set(this.template.executeAsync(REQUEST, (inner) -> unfinished));
			this.store.forget("k");
			assertThatExceptionOfType(LockLostException.class).isThrownBy(outer::renew);
			return null;
		}));
		unfinished.complete("done");
		assertThat(shared.get()).failsWithin(LONG)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockLostException.class);
	}

	@Test
	void workThatHasEndedAtOnceHearsOfNoLoss() {
		LeaseHandle handle = (LeaseHandle) this.template.acquire(REQUEST);
		HoldState hold = handle.heldLock().state();
		assertThat(hold.add()).isTrue();
		AtomicInteger cancels = new AtomicInteger();
		CompletableFuture<String> ended = new CompletableFuture<>() {

			@Override
			public boolean cancel(boolean mayInterruptIfRunning) {
				cancels.incrementAndGet();
				return super.cancel(mayInterruptIfRunning);
			}

		};
		ended.complete("done");
		assertThat(new AsyncExecution<String>((held) -> ended, (held) -> Scope.NONE, (held) -> hold, (held) -> {
		}, Runnable::run, CallerContext.NONE).run(List.of(handle))).isCompletedWithValue("done");
		this.store.forget("k");
		this.template.renew("k");
		assertThat(handle.heldLock().lease().isHeld(ClockReading.of(LockClock.system()))).isFalse();
		assertThat(cancels).hasValue(0);
	}

	@Test
	@SuppressWarnings("try") // closing is what the resource is for
	void aLockThatTheCallerReleasesAsItIsSharedIsClaimedAnew() {
		AtomicReference<Runnable> atNextReading = new AtomicReference<>();
		Thread caller = Thread.currentThread();
		LockTemplate locks = new LockTemplate(this.store,
				new ClientOptions(ConfiguredSettings.NONE, new LockOwner("app", "1", "host", 42, ""), new LockClock() {

					@Override
					public long nanoTime() {
						if (Thread.currentThread() == caller) {
							Runnable action = atNextReading.getAndSet(null);
							if (action != null) {
								action.run();
							}
						}
						return System.nanoTime();
					}

					@Override
					public long currentTimeMillis() {
						return System.currentTimeMillis();
					}

				}, List.of()));
		LockHandle outer = locks.acquire(REQUEST);
		CompletableFuture<Long> result;
		try (LockContext.Scope scope = LockContext.enter(outer)) {
			atNextReading.set(outer::close);
			result = locks.executeAsync(REQUEST, (inner) -> CompletableFuture.completedFuture(inner.fence()));
		}
		assertThat(result).succeedsWithin(LONG).satisfies((fence) -> assertThat(fence).isGreaterThan(outer.fence()));
		assertThat(this.store.holders()).isZero();
		locks.stop(Duration.ofSeconds(1));
	}

	@Test
	void workBeginsOnTheThreadThatHoldsTheLockAlready() {
		Thread caller = Thread.currentThread();
		this.template.execute(REQUEST,
				(outer) -> this.template
					.executeAsync(REQUEST, (inner) -> CompletableFuture.completedFuture(Thread.currentThread()))
					.thenAccept((begun) -> assertThat(begun).isSameAs(caller))
					.join());
	}

	@Test
	void workDoesNotBeginOnTheCallerBecauseTheGrantCameAtOnce() {
		LockHandle handle = this.template.acquire(REQUEST);
		List<Runnable> elsewhere = new ArrayList<>();
		CompletableFuture<String> result = new AsyncExecution<String>(
				(held) -> CompletableFuture.completedFuture("done"), (held) -> Scope.NONE, (held) -> null, (held) -> {
				}, elsewhere::add, CallerContext.NONE)
			.run(List.of(), List.of(REQUEST).iterator(), (request) -> CompletableFuture.completedFuture(handle));
		assertThat(result).isNotDone();
		// To begin, and to end
		elsewhere.get(0).run();
		elsewhere.get(1).run();
		assertThat(result).isCompletedWithValue("done");
		assertThat(this.store.holders()).isZero();
	}

	@Test
	void aLockHeldInTheSameCallIsSharedWithTheWork() {
		this.template.execute(REQUEST, (outer) -> {
			assertThat(this.template.executeAsync(REQUEST, (inner) -> CompletableFuture.completedFuture(inner.fence())))
				.succeedsWithin(LONG)
				.isEqualTo(outer.fence());
			assertThat(outer.isHeld()).isTrue();
			return null;
		});
	}

	@Test
	void aClaimThatFailsIsTheResultOfTheWork() {
		this.store.nextFails("acquire", Outcome.REFUSED, false);
		assertThat(this.template.executeAsync(REQUEST, (handle) -> CompletableFuture.completedFuture("done")))
			.failsWithin(LONG)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockStoreException.class);
	}

	private void hangs(String kind, int times) {
		Consumer<Runnable> hang = (request) -> {
			await(this.latch);
			request.run();
		};
		IntStream.range(0, times).forEach((i) -> this.store.next(kind, hang));
	}

	private void awaitSent() {
		Awaitility.await().until(() -> this.store.count("acquire") == 1);
	}

	private static LockRequest once(String key) {
		return LockRequest.builder(key).ttl(Duration.ofMillis(500)).waitTimeout(Duration.ZERO).build();
	}

	private static Outcome outcome(CompletableFuture<LockHandle> claim) {
		return ((LockStoreException) claim.handle((handle, failure) -> failure).join()).getOutcome();
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * A clock that may hold up those who read it.
	 */
	private static final class PausingClock implements LockClock {

		private final Thread thread = Thread.currentThread();

		private final AtomicReference<Runnable> once = new AtomicReference<>(() -> {
		});

		private volatile BooleanSupplier due = () -> false;

		private volatile Runnable pause = () -> {
		};

		void once(BooleanSupplier due, Runnable action) {
			this.once.set(action);
			this.due = due;
		}

		void pauses(Thread paused, CountDownLatch until) {
			this.pause = () -> {
				if (Thread.currentThread() == paused) {
					await(until);
				}
			};
		}

		@Override
		public long nanoTime() {
			if (Thread.currentThread() == this.thread && this.due.getAsBoolean()) {
				this.due = () -> false;
				this.once.get().run();
			}
			this.pause.run();
			return System.nanoTime();
		}

		@Override
		public long currentTimeMillis() {
			return System.currentTimeMillis();
		}

	}

}
