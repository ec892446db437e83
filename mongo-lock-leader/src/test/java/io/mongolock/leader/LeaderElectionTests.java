package io.mongolock.leader;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.ArgumentMatchers;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockApplicationEvent;
import io.mongolock.LockClock;
import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockSettings;
import io.mongolock.LossReason;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.test.InMemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link LeaderElection} in memory.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeaderElectionTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final SteppedClock clock = new SteppedClock();

	private final Candidate first = new Candidate(this.store, this.clock, LockSettings.NONE);

	private final Candidate second = new Candidate(this.store, LockClock.system(), LockSettings.NONE);

	private final ExecutorService others = Executors.newCachedThreadPool();

	@AfterEach
	void end() {
		this.others.shutdownNow();
		this.first.end();
		this.second.end();
	}

	@Test
	void oneLeadsAndTheOtherWaitsInTheQueue() {
		this.first.start().awaitLeader();
		this.second.start().awaitWaiting();
		assertThat(this.second.election.isLeader()).isFalse();
		assertThat(this.second.election.term()).isEmpty();
		assertThat(this.first.election.term()).hasValue(holder().fence());
		assertThat(this.first.election).hasToString("election of 'reports' (leads, term " + holder().fence() + ")");
		assertThat(this.second.election).hasToString("election of 'reports' (waits)");
		Awaitility.await().until(() -> lock().queue().size() == 1);
		this.first.awaitHeard("granted");
	}

	@Test
	void theNextLeadsWhenTheLeaderIsStopped() {
		this.first.start().awaitHeard("granted");
		long term = this.first.election.term().getAsLong();
		this.second.start().awaitWaiting();
		this.first.onEvent = () -> {
			assertThat(this.first.election.isLeader()).isFalse();
			assertThat(holder().fence()).isEqualTo(term);
		};
		this.first.election.stop();
		assertThat(this.first.election.isRunning()).isFalse();
		this.first.awaitHeard("granted", "revoked");
		this.second.awaitLeader();
		assertThat(this.second.election.term().getAsLong()).isGreaterThan(term);
	}

	@Test
	void anElectionKeepsTheJvmUpUntilItIsStoppedOrDestroyed() {
		Set<Thread> before = keepingAlive(Set.of());
		this.first.start();
		this.second.start();
		assertThat(keepingAlive(before)).hasSize(2).allSatisfy((one) -> assertThat(one.isDaemon()).isFalse());
		this.first.election.stop();
		this.second.election.destroy();
		Awaitility.await().until(() -> keepingAlive(before).isEmpty());
		this.first.start();
		assertThat(keepingAlive(before)).hasSize(1);
	}

	// Some of an earlier test may end meanwhile
	private static Set<Thread> keepingAlive(Set<Thread> before) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((one) -> one.getName().equals("mongo-lock-leader-keep-alive") && !before.contains(one))
			.collect(Collectors.toSet());
	}

	@Test
	void aCandidateThatIsStoppedWhileItWaitsNeverLeads() {
		this.first.start().awaitLeader();
		this.second.start().awaitWaiting();
		this.second.election.stop();
		this.first.election.stop();
		Awaitility.await().until(() -> this.second.client.waiting() == 0);
		assertThat(lock().holders()).isEmpty();
		assertThat(this.second.heard).isEmpty();
		this.second.start().awaitLeader();
	}

	@Test
	void aLeaderWhoseDeadlineHasComeIsRevokedAndStandsAgain() {
		this.first.start().awaitHeard("granted");
		this.clock.step(Duration.ofSeconds(25));
		this.clock.wake();
		this.first.awaitHeard("granted", "revoked", "granted");
	}

	@Test
	void aLeaderThatLosesItsLockStepsDownAndStandsAgain() {
		this.first.start().awaitHeard("granted");
		this.second.start().awaitWaiting();
		lose();
		this.first.client.renew(Candidate.KEY);
		this.first.awaitHeard("granted", "revoked");
		this.second.awaitLeader();
		this.first.awaitWaiting();
		this.second.election.stop();
		this.first.awaitHeard("granted", "revoked", "granted");
	}

	@Test
	void aLeaderThatNobodyTellsOfALossNoticesItByItself() {
		List<Object> heard = new CopyOnWriteArrayList<>();
		LeaderElection untold = new LeaderElection(Candidate.ROLE, this.first.client, heard::add, Duration.ofMillis(10),
				Runnable::run);
		untold.start();
		Awaitility.await().until(untold::isLeader);
		lose();
		this.first.client.renew(Candidate.KEY);
		Awaitility.await().until(() -> heard.size() == 3);
		assertThat(heard.get(1)).isInstanceOf(LeaderElectionEvent.Revoked.class);
		assertThat(untold.isLeader()).isTrue();
		untold.stop();
	}

	@Test
	void aLeaderStepsDownOnRequestAndStandsAgainAtTheEndOfTheQueue() {
		Candidate asked = new Candidate(this.store, this.clock,
				LockSettings.builder().renewInterval(Duration.ofMillis(200)).build());
		asked.start().awaitHeard("granted");
		this.second.start().awaitWaiting();
		assertThat(this.second.client.requestRelease(Candidate.KEY, "for the test")).isOne();
		this.second.awaitLeader();
		asked.awaitHeard("granted", "revoked");
		asked.awaitWaiting();
		this.second.election.stepDown();
		asked.awaitLeader();
		asked.end();
	}

	@Test
	void aSoleCandidateThatStepsDownLeadsAgainInANewTerm() {
		this.first.start().awaitLeader();
		this.first.awaitHeard("granted");
		long term = this.first.election.term().getAsLong();
		this.first.election.stepDown();
		this.first.awaitHeard("granted", "revoked", "granted");
		assertThat(this.first.election.term().getAsLong()).isGreaterThan(term);
		this.second.election.stepDown();
		assertThat(this.second.heard).isEmpty();
	}

	@Test
	void aCandidateThatIsNotReadyNeitherLeadsNorStandsUntilItIs() {
		this.first.start().awaitLeader();
		this.first.awaitHeard("granted");
		this.second.start().awaitWaiting();
		this.second.election.ready(false);
		Awaitility.await().until(() -> lock().queue().isEmpty());
		this.first.election.ready(false);
		this.first.awaitHeard("granted", "revoked");
		Awaitility.await().until(() -> lock().holders().isEmpty() && lock().queue().isEmpty());
		assertThat(this.second.heard).isEmpty();
		this.second.election.ready(true);
		this.second.awaitLeader();
		this.first.election.ready(true);
		this.first.awaitWaiting();
		assertThat(this.first.election.isLeader()).isFalse();
	}

	@Test
	void workIsDoneByTheLeaderUnderItsLock() {
		this.first.start().awaitLeader();
		OptionalLong term = this.first.election.term();
		assertThat(this.first.election.ifLeader(() -> {
			assertThat(LockContext.current().key()).isEqualTo(Candidate.KEY);
			assertThat(LockContext.current().fence()).isEqualTo(term.getAsLong());
		})).isTrue();
		assertThat(LockContext.find((lock) -> true)).isEmpty();
		assertThat(this.second.election.ifLeader(() -> {
			throw new AssertionError("It leads");
		})).isFalse();
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> this.first.election.ifLeader(() -> {
				throw new UnsupportedOperationException();
			}));
		assertThat(LockContext.find((lock) -> true)).isEmpty();
	}

	@Test
	void workThatLeavesAScopeOpenKeepsNoRole() {
		this.first.start().awaitLeader();
		LockHandle other = Mockito.mock();
		assertThatIllegalStateException().isThrownBy(() -> this.first.election.ifLeader(() -> LockContext.enter(other)))
			.withMessageContaining("Close the innermost scope first");
		this.first.election.stop();
		assertThat(lock().holders()).isEmpty();
	}

	@Test
	void nobodyLeadsBesideWorkThatHasNotEnded() throws Exception {
		this.first.start().awaitHeard("granted");
		this.second.start().awaitWaiting();
		CountDownLatch working = new CountDownLatch(2);
		CountDownLatch end = new CountDownLatch(1);
		CountDownLatch endOfOther = new CountDownLatch(1);
		Future<Boolean> work = this.others.submit(() -> this.first.election.ifLeader(() -> {
			working.countDown();
			end.await();
		}));
		Future<Boolean> otherWork = this.others.submit(() -> this.first.election.ifLeader(() -> {
			working.countDown();
			endOfOther.await();
		}));
		working.await();
		long term = holder().fence();
		this.first.election.stepDown();
		assertThat(this.first.election.isLeader()).isFalse();
		this.first.awaitHeard("granted", "revoked");
		assertThat(this.first.election.ifLeader(() -> {
			throw new AssertionError("It leads");
		})).isFalse();
		endOfOther.countDown();
		assertThat(otherWork.get(10, TimeUnit.SECONDS)).isTrue();
		assertThat(holder().fence()).isEqualTo(term);
		end.countDown();
		assertThat(work.get(10, TimeUnit.SECONDS)).isTrue();
		this.second.awaitLeader();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aListenerThatFailsDoesNotKeepTheLock(boolean error, CapturedOutput output) {
		this.first.onEvent = () -> {
			if (error) {
				throw new AssertionError("by the test");
			}
			throw new IllegalStateException("by the test");
		};
		this.first.start().awaitLeader();
		Awaitility.await().untilAsserted(() -> assertThat(output).contains("A listener failed on Granted["));
		this.second.start().awaitWaiting();
		this.first.election.stepDown();
		assertThat(output).contains("A listener failed on Revoked[");
		this.second.awaitLeader();
	}

	@Test
	void aTermThatEndsWhileItsBeginningIsPublishedIsRevokedAfterItAndAStopAwaitsThat() throws Exception {
		CountDownLatch publishing = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		this.first.onEvent = () -> {
			publishing.countDown();
			await(goOn);
		};
		this.first.start();
		publishing.await();
		long term = holder().fence();
		this.second.start().awaitWaiting();
		Future<?> stop = this.others.submit(() -> this.first.election.stop());
		Awaitility.await().until(() -> !this.first.election.isLeader());
		assertThat(this.first.heard).containsExactly("granted");
		assertThat(holder().fence()).isEqualTo(term);
		goOn.countDown();
		stop.get(10, TimeUnit.SECONDS);
		assertThat(this.first.heard).containsExactly("granted", "revoked");
		this.second.awaitLeader();
	}

	@Test
	void aStopLeavesTheLockToWorkThoughAListenerIsSlow() throws Exception {
		CountDownLatch goOn = new CountDownLatch(1);
		LeaderElection election = new LeaderElection("slow", this.first.client, (event) -> {
			if (event instanceof LeaderElectionEvent.Revoked) {
				await(goOn);
			}
		}, Duration.ofMillis(1), Runnable::run);
		election.start();
		Awaitility.await().until(election::isLeader);
		CountDownLatch working = new CountDownLatch(1);
		CountDownLatch done = new CountDownLatch(1);
		Future<Boolean> work = this.others.submit(() -> election.ifLeader(() -> {
			working.countDown();
			done.await();
		}));
		working.await();
		this.others.submit(election::stepDown);
		Awaitility.await().until(() -> !election.isLeader());
		CountDownLatch stopped = new CountDownLatch(1);
		election.stop(stopped::countDown);
		assertThat(stopped.getCount()).as("while work goes on").isOne();
		done.countDown();
		goOn.countDown();
		assertThat(work.get()).isTrue();
		stopped.await();
	}

	@Test
	void aListenerOfItsBeginningMayStopTheElection() {
		this.first.onEvent = () -> {
			if (this.first.election.isRunning()) {
				this.first.election.stop();
			}
		};
		this.first.start();
		this.first.awaitHeard("granted", "revoked");
		this.second.start().awaitLeader();
	}

	@Test
	void aGrantThatWasLostAtOnceIsNotAnnounced() {
		LockHandle lost = Mockito.mock();
		CompletableFuture<LockHandle> next = new CompletableFuture<>();
		LockOperations locks = Mockito.mock();
		BDDMockito.given(locks.acquireAsync(ArgumentMatchers.any()))
			.willReturn(CompletableFuture.completedFuture(lost))
			.willReturn(next);
		LeaderElection election = election(locks);
		election.start();
		BDDMockito.then(lost).should().close();
		assertThat(this.first.heard).isEmpty();
		election.stop();
		assertThat(next).isCancelled();
	}

	@Test
	void aTermIsOverOnceItsLockIsNotHeldThoughNobodyHasSaidSo() {
		LockHandle held = Mockito.mock();
		BDDMockito.given(held.isHeld()).willReturn(true);
		LockOperations locks = granting(held);
		LeaderElection election = election(locks);
		election.start();
		assertThat(election.isLeader()).isTrue();
		BDDMockito.given(held.isHeld()).willReturn(false);
		assertThat(election.isLeader()).isFalse();
		assertThat(election.term()).isEmpty();
		assertThat(election.ifLeader(() -> {
			throw new AssertionError("It leads");
		})).isFalse();
		assertThat(this.first.heard).containsExactly("granted");
	}

	@Test
	void theRoleIsOfOneRenewedAwaitedForeverAndNeverKeptIdleWhateverIsSetForLocks() {
		LockOperations locks = Mockito.mock();
		BDDMockito.given(locks.acquireAsync(ArgumentMatchers.any())).willReturn(new CompletableFuture<>());
		election(locks).start();
		BDDMockito.then(locks)
			.should()
			.acquireAsync(ArgumentMatchers
				.assertArg((request) -> assertThat(request.settings()).returns(true, LockSettings::autoRenew)
					.returns(1, LockSettings::limit)
					.returns(Duration.ofDays(10_000), LockSettings::waitTimeout)
					.returns(Duration.ZERO, LockSettings::linger)));
	}

	@ParameterizedTest
	@CsvSource({ "leader:role, 6", "leader:other, 7" })
	void theEndOfAnotherLockOrTermEndsNoTerm(String key, long fence) {
		LockHandle held = handle("leader:role", 7);
		LockOperations locks = granting(held);
		LeaderElection election = election(locks);
		election.start();
		election.onLost(new LockApplicationEvent.Lost(handle(key, fence), LossReason.DEADLINE));
		assertThat(election.term()).hasValue(7);
		assertThat(this.first.heard).containsExactly("granted");
	}

	private static LockHandle handle(String key, long fence) {
		LockHandle handle = Mockito.mock();
		BDDMockito.given(handle.key()).willReturn(key);
		BDDMockito.given(handle.fence()).willReturn(fence);
		BDDMockito.given(handle.isHeld()).willReturn(true);
		return handle;
	}

	@Test
	void aGrantThatComesAfterTheStopIsReleased() {
		LockHandle granted = Mockito.mock();
		CompletableFuture<LockHandle> claim = new CompletableFuture<>() {
			@Override
			public boolean cancel(boolean mayInterruptIfRunning) {
				return false;
			}
		};
		LockOperations locks = Mockito.mock();
		BDDMockito.given(locks.acquireAsync(ArgumentMatchers.any())).willReturn(claim);
		LeaderElection election = election(locks);
		election.start();
		election.stop();
		claim.complete(granted);
		BDDMockito.then(granted).should().close();
		assertThat(this.first.heard).isEmpty();
	}

	@Test
	void aClaimThatFailsAfterItsStopEndsNoLaterOne(CapturedOutput output) {
		CompletableFuture<LockHandle> former = new CompletableFuture<>() {
			@Override
			public boolean cancel(boolean mayInterruptIfRunning) {
				return false;
			}
		};
		CompletableFuture<LockHandle> next = new CompletableFuture<>();
		LockOperations locks = Mockito.mock();
		BDDMockito.given(locks.acquireAsync(ArgumentMatchers.any())).willReturn(former).willReturn(next);
		LeaderElection election = election(locks);
		election.start();
		election.stop();
		election.start();
		former.completeExceptionally(new IllegalStateException("by the test"));
		next.complete(handle("leader:role", 7));
		assertThat(election.term()).hasValue(7);
		assertThat(output).doesNotContain("Could not claim");
	}

	@Test
	void anElectionRestartedDuringWorkOfItsTermStandsOnlyOnce() {
		LockHandle held = handle("leader:role", 7);
		LockOperations locks = Mockito.mock();
		BDDMockito.given(locks.acquireAsync(ArgumentMatchers.any()))
			.willReturn(CompletableFuture.completedFuture(held))
			.willReturn(new CompletableFuture<>());
		LeaderElection election = election(locks);
		election.start();
		assertThat(election.ifLeader(() -> {
			election.stop();
			election.start();
			BDDMockito.then(held).should(Mockito.never()).close();
		})).isTrue();
		BDDMockito.then(held).should().close();
		BDDMockito.then(locks).should(Mockito.times(2)).acquireAsync(ArgumentMatchers.any());
	}

	@Test
	void anElectionRestartedWhileItsTermEndsStandsOnceAfterTheRelease() {
		LockHandle former = handle("leader:role", 7);
		CompletableFuture<LockHandle> claim = new CompletableFuture<>();
		Iterator<CompletableFuture<LockHandle>> claims = List
			.of(CompletableFuture.completedFuture(former), claim, new CompletableFuture<LockHandle>())
			.iterator();
		LockOperations locks = Mockito.mock();
		BDDMockito.given(locks.acquireAsync(ArgumentMatchers.any())).willAnswer((call) -> {
			this.first.heard.add("stands");
			return claims.next();
		});
		LockHandle next = handle("leader:role", 8);
		BDDMockito.willAnswer((call) -> {
			this.first.heard.add("released");
			return claim.complete(next);
		}).given(former).close();
		LeaderElection election = election(locks);
		this.first.onEvent = () -> {
			if (!election.isRunning()) {
				election.start();
			}
		};
		election.start();
		election.stop();
		assertThat(this.first.heard).containsExactly("stands", "granted", "revoked", "released", "stands", "granted");
		assertThat(election.term()).hasValue(8);
	}

	@Test
	void anElectionRestartedInItsOwnWorkLeadsInANewTermAfterIt() {
		this.first.start().awaitHeard("granted");
		long term = this.first.election.term().getAsLong();
		this.first.election.ifLeader(() -> {
			this.first.election.stop();
			this.first.election.start();
			assertThat(this.first.election.isLeader()).isFalse();
			assertThat(this.first.heard).containsExactly("granted", "revoked");
		});
		this.first.awaitHeard("granted", "revoked", "granted");
		assertThat(this.first.election.term().getAsLong()).isGreaterThan(term);
	}

	@Test
	void aLeaderThatStepsDownInATransactionReleasesAfterItAndStandsBehindTheOthers() {
		this.first.start().awaitHeard("granted");
		long term = this.first.election.term().getAsLong();
		this.second.start().awaitWaiting();
		// The turn in which it would hand the lock on to itself is over
		this.clock.step(Duration.ofSeconds(1));
		new TransactionTemplate(new NoTransactions()).executeWithoutResult((status) -> {
			this.first.election.stepDown();
			this.first.awaitWaiting();
			assertThat(this.first.election.isLeader()).isFalse();
			assertThat(holder().fence()).isEqualTo(term);
		});
		this.second.awaitLeader();
		this.first.awaitHeard("granted", "revoked");
		this.first.awaitWaiting();
		this.second.election.stop();
		this.first.awaitHeard("granted", "revoked", "granted");
		assertThat(this.first.election.term().getAsLong()).isGreaterThan(term);
	}

	@Test
	void workInATransactionThatEndsATermIsFollowedByANewOne() throws Exception {
		this.first.start().awaitHeard("granted");
		long term = this.first.election.term().getAsLong();
		new TransactionTemplate(new NoTransactions())
			.executeWithoutResult((status) -> this.first.election.ifLeader(this.first.election::stepDown));
		this.first.awaitHeard("granted", "revoked", "granted");
		assertThat(this.first.election.term().getAsLong()).isGreaterThan(term);
	}

	@Test
	void aLeaderThatStepsDownAfterItsLockIsLostLeadsAgain() {
		this.first.start().awaitHeard("granted");
		lose();
		assertThatNoException().isThrownBy(this.first.election::stepDown);
		this.first.awaitHeard("granted", "revoked", "granted");
	}

	@Test
	void aStopAwaitsAnEndThatIsPublishedAlready() throws Exception {
		CountDownLatch publishing = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		this.first.start().awaitHeard("granted");
		this.first.onEvent = () -> {
			publishing.countDown();
			await(goOn);
			this.first.heard.add("done");
		};
		this.others.submit(this.first.election::stepDown);
		publishing.await();
		List<String> heard = new ArrayList<>();
		Thread stop = new Thread(() -> {
			this.first.election.stop();
			heard.addAll(this.first.heard);
		});
		stop.start();
		Awaitility.await()
			.until(() -> stop.getState() == Thread.State.TIMED_WAITING || stop.getState() == Thread.State.TERMINATED);
		goOn.countDown();
		stop.join();
		assertThat(heard).containsExactly("granted", "revoked", "done");
	}

	@Test
	void aStopThatIsInterruptedAwaitsNothingAndLeavesTheInterrupt() throws Exception {
		CountDownLatch publishing = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		this.first.onEvent = () -> {
			publishing.countDown();
			await(goOn);
		};
		this.first.start();
		publishing.await();
		Thread.currentThread().interrupt();
		this.first.election.stop();
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.first.heard).containsExactly("granted");
		goOn.countDown();
		this.first.awaitHeard("granted", "revoked");
	}

	@Test
	void aListenerOfItsEndMayStopTheElection() {
		LockHandle held = handle("leader:role", 7);
		LockOperations locks = granting(held);
		LeaderElection election = new LeaderElection("role", locks, this.first, Duration.ofDays(1), Runnable::run);
		election.start();
		this.first.onEvent = () -> {
			election.stop(() -> this.first.heard.add("stopped"));
			this.first.heard.add("done");
		};
		Future<?> end = this.others.submit(election::stepDown);
		Awaitility.await().until(end::isDone);
		assertThat(this.first.heard).containsExactly("granted", "revoked", "stopped", "done");
		BDDMockito.then(held).should().close();
	}

	@Test
	void aStopOfTheApplicationIsOverWhenWorkThatHasBegunHasEnded() throws Exception {
		this.first.start().awaitHeard("granted");
		CountDownLatch working = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		Future<Boolean> work = this.others.submit(() -> this.first.election.ifLeader(() -> {
			working.countDown();
			end.await();
		}));
		working.await();
		CountDownLatch stopped = new CountDownLatch(1);
		this.first.election.stop(stopped::countDown);
		assertThat(this.first.heard).containsExactly("granted", "revoked");
		assertThat(stopped.getCount()).isOne();
		assertThat(lock().holders()).isNotEmpty();
		end.countDown();
		assertThat(work.get(10, TimeUnit.SECONDS)).isTrue();
		assertThat(stopped.getCount()).isZero();
		assertThat(lock().holders()).isEmpty();
	}

	@Test
	void aStopOfTheApplicationIsOverWhenAReleaseThatHasBegunHasEnded() throws Exception {
		CountDownLatch releasing = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		LockHandle held = handle("leader:role", 7);
		BDDMockito.willAnswer((call) -> {
			releasing.countDown();
			await(goOn);
			return null;
		}).given(held).close();
		LeaderElection election = election(granting(held));
		election.start();
		Future<?> end = this.others.submit(election::stepDown);
		releasing.await();
		CountDownLatch stopped = new CountDownLatch(1);
		election.stop(stopped::countDown);
		assertThat(stopped.getCount()).isOne();
		goOn.countDown();
		Awaitility.await().until(end::isDone);
		assertThat(stopped.getCount()).isZero();
	}

	@Test
	void aStopOfTheApplicationAwaitsNothingWhereNoWorkOrItsOwnGoesOn() {
		CountDownLatch stopped = new CountDownLatch(3);
		this.second.election.stop(stopped::countDown);
		this.first.start().awaitHeard("granted");
		this.first.election.stop(stopped::countDown);
		assertThat(stopped.getCount()).isOne();
		assertThat(lock().holders()).isEmpty();
		this.first.start().awaitLeader();
		this.first.election.ifLeader(() -> {
			this.first.election.stop(stopped::countDown);
			assertThat(stopped.getCount()).isZero();
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aCandidateWhoseClaimFailsTriesAgain(boolean atOnce, CapturedOutput output) {
		LockOperations locks = Mockito.mock();
		IllegalStateException failure = new IllegalStateException("by the test");
		BDDMockito.given(locks.acquireAsync(ArgumentMatchers.any())).willAnswer((call) -> {
			if (atOnce) {
				throw failure;
			}
			return CompletableFuture.failedFuture(failure);
		}).willReturn(new CompletableFuture<>());
		LeaderElection election = new LeaderElection("role", locks, this.first, Duration.ofMillis(1), Runnable::run);
		election.start();
		BDDMockito.then(locks).should(Mockito.timeout(10_000).times(2)).acquireAsync(ArgumentMatchers.any());
		assertThat(output).contains("Could not claim the role 'role'");
		election.stop();
	}

	// Up to JDK 24 the common pool of two processors is not used for this at all
	@Test
	void whenTheCommonPoolIsBusyThenWhoCouldNotStandTriesAgain() {
		LockOperations locks = Mockito.mock();
		BDDMockito.given(locks.acquireAsync(ArgumentMatchers.any()))
			.willThrow(new IllegalStateException("by the test"))
			.willReturn(new CompletableFuture<>());
		CountDownLatch over = new CountDownLatch(1);
		for (int i = 0; i <= ForkJoinPool.getCommonPoolParallelism(); i++) {
			ForkJoinPool.commonPool().execute(() -> await(over));
		}
		LeaderElection election = new LeaderElection("role", locks, this.first, Duration.ofMillis(1),
				(task) -> new Thread(task).start());
		election.start();
		try {
			BDDMockito.then(locks).should(Mockito.timeout(10_000).times(2)).acquireAsync(ArgumentMatchers.any());
		}
		finally {
			over.countDown();
			election.stop();
		}
	}

	@Test
	void aRoleIsTheKeyOfALock() {
		assertThatIllegalArgumentException().isThrownBy(() -> new LeaderElection(" ", this.first.client, this.first));
	}

	@Test
	void aListenerThatTakesLongDoesNotHoldUpTheStart() {
		LockHandle held = handle("leader:role", 7);
		LockOperations locks = granting(held);
		CountDownLatch goOn = new CountDownLatch(1);
		this.first.onEvent = () -> await(goOn);
		LeaderElection election = new LeaderElection("role", locks, this.first);
		Future<?> start = this.others.submit(election::start);
		Awaitility.await().until(start::isDone);
		goOn.countDown();
		this.first.awaitHeard("granted");
	}

	private static LockOperations granting(LockHandle held) {
		LockOperations locks = Mockito.mock();
		BDDMockito.given(locks.acquireAsync(ArgumentMatchers.any()))
			.willReturn(CompletableFuture.completedFuture(held));
		return locks;
	}

	private LeaderElection election(LockOperations locks) {
		return new LeaderElection("role", locks, this.first, Duration.ofMinutes(2), Runnable::run);
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private StoredLock lock() {
		return this.store.find(Candidate.KEY, TIMEOUT).orElseThrow();
	}

	private StoredHolder holder() {
		return lock().holders().get(0);
	}

	private void lose() {
		assertThat(this.store.release(new LeaseId(Candidate.KEY, holder().leaseToken()), TIMEOUT).ended()).isTrue();
	}

	/** Begins, commits and rolls back nothing. */
	private static final class NoTransactions extends AbstractPlatformTransactionManager {

		@Override
		protected Object doGetTransaction() {
			return this;
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
		}

	}

}
