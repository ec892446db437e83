package io.mongolock.core;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.core.AcquisitionStep.Ask;
import io.mongolock.core.AcquisitionStep.Cancelled;
import io.mongolock.core.AcquisitionStep.Granted;
import io.mongolock.core.AcquisitionStep.LostOnTheWay;
import io.mongolock.core.AcquisitionStep.Wait;
import io.mongolock.core.Interleavings.Scenario;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A release, waits that go on, end or are cancelled, and a loss, in every order in which
 * the steps of their threads may follow each other. In each order at most one holds at a
 * time, fences rise, everybody who waits on is served, and nothing is left behind.
 */
class HandOverInterleavingsTests {

	private static final int NOW = 100;

	private static final int TOO_LATE = 10_000;

	@Test
	void whoWaitsIsServedWhateverThePredecessorsDo() throws Exception {
		int orders = Interleavings.explore(2, (all) -> {
			Jvm jvm = new Jvm(all);
			return jvm.scenario(jvm::release, jvm.patient("a"), jvm.patient("b"));
		});
		assertThat(orders).isGreaterThan(100);
	}

	@Test
	void whoIsCancelledKeepsNobodyWaiting() throws Exception {
		int orders = Interleavings.explore(2, (all) -> {
			Jvm jvm = new Jvm(all);
			return jvm.scenario(jvm::release, jvm.cancelled("a"), jvm.patient("b"));
		});
		assertThat(orders).isGreaterThan(100);
	}

	@Test
	void whoseWaitEndsKeepsNobodyWaiting() throws Exception {
		int orders = Interleavings.explore(2, (all) -> {
			Jvm jvm = new Jvm(all);
			return jvm.scenario(jvm::release, jvm.impatient("a"), jvm.patient("b"));
		});
		assertThat(orders).isGreaterThan(100);
	}

	@Test
	void twoWhoGiveUpLeaveNothingBehind() throws Exception {
		int orders = Interleavings.explore(2, (all) -> {
			Jvm jvm = new Jvm(all);
			return jvm.scenario(jvm::release, jvm.impatient("a"), jvm.cancelled("b"));
		});
		assertThat(orders).isGreaterThan(100);
	}

	@Test
	void aLossReachesWhoHoldsThenAndTheNextIsServed() throws Exception {
		int orders = Interleavings.explore(2, (all) -> {
			Jvm jvm = new Jvm(all);
			return jvm.scenario(jvm::release, jvm.patient("a"), jvm::lose);
		});
		assertThat(orders).isGreaterThan(100);
	}

	@Test
	void aLossAndACancelAtOnce() throws Exception {
		int orders = Interleavings.explore(2, (all) -> {
			Jvm jvm = new Jvm(all);
			return jvm.scenario(jvm::release, jvm.cancelled("a"), jvm.patient("b"), jvm::lose);
		});
		assertThat(orders).isGreaterThan(100);
	}

	@Test
	void whoSharesAHandleHoldsTheLockUntilTheLastLetsGo() throws Exception {
		int orders = Interleavings.explore(2, (all) -> {
			Jvm jvm = new Jvm(all);
			return jvm.scenario(jvm::letGo, jvm::share, jvm.patient("a"), jvm.cancelled("b"));
		});
		assertThat(orders).isGreaterThan(100);
	}

	@Test
	void aLossWhileAHandleIsSharedReachesAllAndTheNextIsServed() throws Exception {
		int orders = Interleavings.explore(2, (all) -> {
			Jvm jvm = new Jvm(all);
			return jvm.scenario(jvm::letGo, jvm::share, jvm.patient("a"), jvm::lose);
		});
		assertThat(orders).isGreaterThan(100);
	}

	/**
	 * One JVM, which holds the lock by a grant with fence 1, and the entry in the store.
	 */
	private static final class Jvm {

		private final Interleavings all;

		private final HandOver handOver = new HandOver(Duration.ofSeconds(5), 100);

		private final LocalWaitQueues<LocalWaiter, HeldLock> queues;

		private final ClientQueues client;

		private final List<Object> monitors = new ArrayList<>();

		private final List<Long> fences = new ArrayList<>();

		private final List<String> served = new ArrayList<>();

		private final List<String> toServe = new ArrayList<>();

		private final HeldLock first;

		private @Nullable String stored;

		private long fence;

		private Jvm(Interleavings all) {
			this.all = all;
			this.queues = new LocalWaitQueues<>(new PausingMap<>(this::pause));
			this.client = new ClientQueues(this.queues, new QueuePlaces(Duration.ofSeconds(6), (bound) -> 0));
			Contender contender = new Contender(this, "first");
			contender.acquisition.begin(contender, contender.acquisition.attempt().begun());
			this.stored = "first";
			this.first = new HeldLock(contender.acquisition.attempt(),
					new Grant(entry("first"), 100, HandOverHarness.at(0), false, false), null, HandOverHarness.at(NOW),
					this::lost);
			this.monitors.add(this.first);
			this.queues.granted("k", contender.acquisition, this.first);
		}

		private Scenario scenario(Runnable... threads) {
			return new Scenario(List.of(threads), this::check);
		}

		// A thread that has a monitor does not wait for others, which may want it
		private void pause() {
			if (this.monitors.stream().noneMatch(Thread::holdsLock)) {
				this.all.pause();
			}
		}

		private StoredHolder entry(String token) {
			this.fence++;
			StoredHolder entry = new StoredHolder(token, this.fence, 1, HandOverHarness.OWNER, Instant.EPOCH,
					Instant.EPOCH, Duration.ofSeconds(30));
			this.fence += 100;
			return entry;
		}

		private void lost(HeldLock lost) {
			this.client.wakeNext(lost);
		}

		private Runnable patient(String name) {
			this.toServe.add(name);
			return attempt(name, (attempt, begun) -> attempt.awaitTurn(begun));
		}

		private Runnable impatient(String name) {
			return attempt(name, (attempt, begun) -> attempt.timeOut(begun));
		}

		private Runnable cancelled(String name) {
			return attempt(name, (attempt, begun) -> attempt.cancel());
		}

		private Runnable attempt(String name, BiFunction<Contender, AcquisitionStep, AcquisitionStep> manner) {
			Contender contender = new Contender(this, name);
			// In the queue before anything happens, in order
			AcquisitionStep begun = contender.acquisition.begin(contender, contender.acquisition.attempt().begun());
			return () -> end(contender, manner.apply(contender, begun));
		}

		private void end(Contender attempt, AcquisitionStep step) {
			if (step instanceof Granted granted) {
				this.served.add(attempt.name);
				work(granted.held());
			}
			else if (step instanceof Cancelled cancelled && cancelled.unwanted() != null) {
				release(cancelled.unwanted());
			}
		}

		private void work(HeldLock heldLock) {
			List<HeldLock> holders = this.queues.holders("k");
			assertThat(holders.stream().filter(Jvm::isHeld)).hasSizeLessThanOrEqualTo(1);
			if (isHeld(heldLock)) {
				this.fences.add(heldLock.fence());
				assertThat(holders).contains(heldLock);
				assertThat(this.stored).isEqualTo(heldLock.id().leaseToken());
			}
			release(heldLock);
		}

		private static boolean isHeld(HeldLock heldLock) {
			return heldLock.lease().remaining(HandOverHarness.at(NOW)).compareTo(Duration.ZERO) > 0;
		}

		private void release() {
			work(this.first);
		}

		// A call inside the locked section, on whatever thread
		private void share() {
			this.all.pause();
			if (this.first.shares().add()) {
				this.all.pause();
				assertThat(isHeld(this.first) || this.first.lossReason() != null).isTrue();
				letGo();
			}
		}

		private void letGo() {
			this.all.pause();
			if (this.first.shares().remove()) {
				release();
			}
		}

		// As the client does
		private void release(HeldLock heldLock) {
			if (!this.handOver.pass(heldLock, this.client, HandOverHarness.at(NOW), this.monitors::add, () -> {
			})) {
				ReleaseDecision decision = heldLock.ending().release(HandOverHarness.at(NOW));
				this.all.pause();
				if (decision.asks() && heldLock.id().leaseToken().equals(this.stored)) {
					this.stored = null;
				}
				this.client.wakeNext(heldLock);
			}
		}

		// Somebody removes what is stored, and a renewal for the first holder finds that
		private void lose() {
			this.all.pause();
			if ("first".equals(this.stored)) {
				this.stored = null;
				this.first.renewed(false, HandOverHarness.at(NOW), HandOverHarness.at(NOW));
			}
		}

		private ClaimAnswer ask(Claim claim) {
			if (this.stored != null) {
				return new ClaimAnswer(List.of(), List.of(), List.of(), Instant.EPOCH);
			}
			this.stored = claim.id().leaseToken();
			return new ClaimAnswer(List.of(entry(this.stored)), List.of(), List.of(), Instant.EPOCH);
		}

		private void check() {
			assertThat(this.served).containsAll(this.toServe);
			assertThat(this.fences).isSorted().doesNotHaveDuplicates();
			assertThat(this.queues.waiters()).isEmpty();
			assertThat(this.queues.holders("k")).isEmpty();
			assertThat(this.stored).isNull();
		}

	}

	/**
	 * One thread that wants the lock.
	 */
	private static final class Contender implements LockAcquisition.Caller {

		private final Jvm jvm;

		private final String name;

		private final LockAcquisition acquisition;

		private boolean turn;

		private Contender(Jvm jvm, String name) {
			this.jvm = jvm;
			this.name = name;
			ResolvedLockSettings terms = ResolvedLockSettings.of(LockSettings.NONE);
			Attempt attempt = new Attempt(LockRequest.of("k"), new LeaseId("k", name), 1,
					HandOverHarness.OWNER.onThread(name), terms, HandOverHarness.at(0));
			this.acquisition = new LockAcquisition(jvm.client, attempt, 100, jvm::lost);
			jvm.monitors.add(this.acquisition.state);
		}

		@Override
		public void turn() {
			this.turn = true;
			this.jvm.pause();
		}

		@Override
		public void stop() {
			throw new UnsupportedOperationException();
		}

		private AcquisitionStep awaitTurn(AcquisitionStep begun) {
			AcquisitionStep step = begun;
			while (step instanceof Wait) {
				this.jvm.all.await(() -> this.turn);
				this.turn = false;
				step = ask(this.acquisition.turn(HandOverHarness.at(NOW)), NOW);
			}
			return step;
		}

		private AcquisitionStep timeOut(AcquisitionStep begun) {
			this.jvm.all.pause();
			boolean turn = this.turn;
			this.jvm.all.pause();
			return ask((turn) ? this.acquisition.turn(HandOverHarness.at(TOO_LATE))
					: this.acquisition.timer(HandOverHarness.at(TOO_LATE)), TOO_LATE);
		}

		private AcquisitionStep cancel() {
			this.jvm.all.pause();
			return this.acquisition.cancel();
		}

		// The store answers at once; what it denies is asked for again when it is free
		private AcquisitionStep ask(AcquisitionStep step, int now) {
			AcquisitionStep next = step;
			if (next instanceof LostOnTheWay lost) {
				this.jvm.release(lost.unwanted());
				next = lost.next();
			}
			while (next instanceof Ask) {
				Claim claim = Objects.requireNonNull(this.acquisition.send(HandOverHarness.at(now)));
				next = this.acquisition.answered(this.jvm.ask(claim), HandOverHarness.at(now));
				if (next instanceof Granted granted) {
					this.jvm.monitors.add(granted.held());
				}
				if (next instanceof Wait) {
					this.jvm.all.await(() -> this.jvm.stored == null);
					next = this.acquisition.timer(HandOverHarness.at(now + 1));
				}
			}
			return next;
		}

	}

	private static final class PausingMap<V> extends ConcurrentHashMap<String, V> {

		private final transient Runnable pause;

		private PausingMap(Runnable pause) {
			this.pause = pause;
		}

		@Override
		public @Nullable V compute(String key, BiFunction<? super String, ? super V, ? extends @Nullable V> change) {
			this.pause.run();
			return super.compute(key, change);
		}

		@Override
		public @Nullable V computeIfPresent(String key,
				BiFunction<? super String, ? super V, ? extends @Nullable V> change) {
			this.pause.run();
			return super.computeIfPresent(key, change);
		}

	}

}
