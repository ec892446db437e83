package io.mongolock.client;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.LockClock;
import io.mongolock.LockDeadlock;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.LockUnavailableException;
import io.mongolock.client.ClientOptions.OnDeadlock;
import io.mongolock.core.AcquisitionStep.Denied;
import io.mongolock.core.Attempt;
import io.mongolock.core.ClientQueues;
import io.mongolock.core.ClockReading;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.LockAcquisition;
import io.mongolock.core.QueuePlaces;
import io.mongolock.event.LockEvents;
import io.mongolock.event.LockInstrumentation;
import io.mongolock.store.GrantId;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.store.StoredWaiter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DeadlockWatch}: its looks by a clock that only the tests move.
 */
@Timeout(120)
class DeadlockWatchTests {

	private static final LockOwner OWNER = new LockOwner("app", "1", "host", 42, "");

	private static final Duration TTL = Duration.ofMinutes(10);

	private static final long SECOND = 1_000_000_000;

	/** So that a time which wraps around is met. */
	private static final long START = Long.MAX_VALUE - 3 * SECOND;

	private long nanos = START;

	private final LockClock clock = new LockClock() {

		@Override
		public long nanoTime() {
			return DeadlockWatchTests.this.nanos;
		}

		@Override
		public long currentTimeMillis() {
			return (DeadlockWatchTests.this.nanos - START) / 1_000_000;
		}

	};

	private final Map<String, StoredLock> locks = new HashMap<>();

	private final List<Double> looks = new ArrayList<>();

	private final List<List<String>> asked = new ArrayList<>();

	/** What requests fail with, one after the other. */
	private final Deque<Throwable> failures = new ArrayDeque<>();

	private final Deque<Runnable> begun = new ArrayDeque<>();

	private Executor threads = this.begun::add;

	private Supplier<List<GrantId>> holds = List::of;

	private Runnable onLook = () -> {
	};

	private boolean running = true;

	private int told;

	private int tokens;

	private boolean woken;

	private final ClientQueues queues = new ClientQueues(new QueuePlaces(Duration.ofSeconds(6), 100, (bound) -> 0L),
			() -> true);

	/** Whose waits have ended early. */
	private final List<LockAcquisition> early = new ArrayList<>();

	private DeadlockWatch watch = watch(OnDeadlock.WARN);

	private DeadlockWatch watch(OnDeadlock onDeadlock) {
		DeadlockWatch made = new DeadlockWatch(new ScriptedStore() {

			@Override
			public List<StoredLock> findQueues(List<String> keys, Duration timeout) {
				return look(keys);
			}

		}, this.clock, new LockEvents(List.of(new LockInstrumentation() {

			@Override
			public void deadlocked() {
				DeadlockWatchTests.this.told++;
			}

		}), this.clock, new ClientRuntime()::daemons), onDeadlock, Duration.ofSeconds(3), () -> this.holds.get(),
				() -> this.running, (look) -> this.threads.execute(look));
		made.start(() -> this.woken = true);
		return made;
	}

	@Test
	void oneWaiterIsLookedAtEverLessOften() {
		waits("b", new GrantId("a", 1));
		live(60);
		assertThat(this.looks).containsExactly(1.0, 2.0, 4.0, 8.0, 13.0, 18.0, 23.0, 28.0, 33.0, 38.0, 43.0, 48.0, 53.0,
				58.0);
	}

	@Test
	void manyWaitersThatCameOneAfterTheOtherAreLookedAtTogether() {
		for (int i = 0; i < 20; i++) {
			waits("b", new GrantId("a" + i, i));
			live(0.3);
		}
		live(54);
		assertThat(this.looks).hasSizeLessThan(20);
		for (int i = 1; i < this.looks.size(); i++) {
			assertThat(this.looks.get(i) - this.looks.get(i - 1)).isBetween(1.0, 5.0);
		}
		assertThat(this.asked.get(this.asked.size() - 1)).as("one request for all").hasSize(20);
	}

	@Test
	void aLaterWaiterBringsTheNextLookForwardAndWakesTheLoopOnlyForThat() {
		waits("b", new GrantId("a", 1));
		live(34);
		this.looks.clear();
		this.woken = false;
		waits("b", new GrantId("c", 2));
		assertThat(this.woken).isTrue();
		this.woken = false;
		waits("b", new GrantId("d", 3));
		assertThat(this.woken).as("a look comes in time").isFalse();
		live(5);
		assertThat(this.looks).startsWith(35.0, 36.0);
	}

	@Test
	void aWaiterWithoutHoldsIsNotLookedAt() {
		waits("b");
		live(60);
		assertThat(this.looks).isEmpty();
	}

	@Test
	void aLongWaiterIsToldOfADeadlockHalfASecondAfterTheFirstLookSawIt() {
		LockAcquisition first = waits("b", new GrantId("a", 1));
		live(31);
		circle();
		LockAcquisition other = waits("z", new GrantId("y", 9));
		live(1);
		assertThat(this.told).isZero();
		live(0.5);
		assertThat(this.told).isOne();
		assertThat(deadlock(first)).isNotNull();
		assertThat(deadlock(other)).isNull();
	}

	@Test
	void aDeadlockIsToldOnceAlthoughOneLookMissesIt() {
		circle();
		LockAcquisition me = waits("b", new GrantId("a", 1));
		live(2);
		assertThat(this.told).isOne();
		Map<String, StoredLock> seen = Map.copyOf(this.locks);
		for (int i = 0; i < 20; i++) {
			this.locks.clear();
			live(5);
			this.locks.putAll(seen);
			live(10);
		}
		assertThat(this.told).isOne();
		assertThat(deadlock(me)).isNotNull();
	}

	@Test
	void whenTheYoungestIsToFailThenItsWaitEndsWithTheSecondLook() {
		this.watch = watch(OnDeadlock.FAIL);
		this.locks.put("a", lock("a", 3, place("other", new GrantId("b", 2))));
		this.locks.put("b", lock("b", 2));
		// Has the turn to ask
		begin("b");
		LockAcquisition youngest = waits("b", new GrantId("a", 3));
		live(1);
		assertThat(this.early).as("after one look").isEmpty();
		live(0.5);
		assertThat(this.early).containsExactly(youngest);
		assertThat(youngest.dueIn(ClockReading.of(this.clock))).isZero();
		live(60);
		assertThat(this.early).as("once").hasSize(1);
	}

	@Test
	void whenTheOtherOneIsTheYoungestOrOnlyAWarningIsAskedForThenNoWaitEnds() {
		for (OnDeadlock onDeadlock : OnDeadlock.values()) {
			this.watch = watch(onDeadlock);
			long own = (onDeadlock == OnDeadlock.FAIL) ? 1 : 3;
			this.locks.put("a", lock("a", own, place("other", new GrantId("b", 2))));
			this.locks.put("b", lock("b", 2, place("t" + this.tokens, new GrantId("a", own))));
			LockAcquisition me = waits("b", new GrantId("a", own));
			live(3);
			assertThat(deadlock(me)).isNotNull();
			assertThat(this.early).isEmpty();
		}
	}

	@Test
	void whenTheYoungestDoesNotSeeTheDeadlockThenOneThatSeesItFails() {
		this.watch = watch(OnDeadlock.FAIL);
		circle();
		LockAcquisition behindAnother = waits("b", new GrantId("a", 1));
		live(2);
		assertThat(this.early).containsExactly(behindAnother);
	}

	@Test
	void whenTheYoungestHasEndedMeanwhileThenNoThreadIsWoken() {
		this.watch = watch(OnDeadlock.FAIL);
		this.locks.put("a", lock("a", 1));
		this.locks.put("b", lock("b", 2));
		LockAcquisition me = waits("a", new GrantId("b", 2));
		waits("b", new GrantId("a", 1));
		live(1);
		this.onLook = () -> this.watch.ended(me);
		live(0.5);
		assertThat(this.early).isEmpty();
	}

	@Test
	void attemptsThatFollowEachOtherTellTheSameKeysOnceAMinuteAndAllOfThemKnow() {
		circle();
		for (int i = 0; i < 59; i++) {
			LockAcquisition next = waits("b", new GrantId("a", 1));
			live(2);
			assertThat(deadlock(next)).isNotNull();
			this.watch.ended(next);
		}
		assertThat(this.told).as("in two minutes").isEqualTo(2);
		this.locks.put("a2", lock("a2", 1, place("other", new GrantId("b2", 2))));
		this.locks.put("b2", lock("b2", 2));
		waits("b2", new GrantId("a2", 1));
		live(2);
		assertThat(this.told).as("of other keys").isEqualTo(3);
	}

	@Test
	void anEndedAttemptIsNoLongerLookedForAndTheNextAttemptIs() {
		LockAcquisition ended = waits("b", new GrantId("a", 1));
		live(3);
		this.watch.ended(ended);
		this.looks.clear();
		live(60);
		assertThat(this.looks).isEmpty();
		this.asked.clear();
		waits("b", new GrantId("c", 1));
		live(1);
		assertThat(this.asked).containsExactly(List.of("c"));
	}

	@Test
	void aLookThatFailsIsTakenAgain() {
		circle();
		waits("b", new GrantId("a", 1));
		for (Throwable failure : List.of(new IllegalStateException("by script"), new StackOverflowError("by script"),
				new LockStoreException("a", Outcome.UNKNOWN, "by script", null))) {
			this.failures.add(failure);
			int before = this.looks.size();
			live(6);
			assertThat(this.looks.size()).isGreaterThan(before);
		}
		live(11);
		assertThat(this.told).isOne();
	}

	@Test
	void aDeadlockThatALookSawBeforeItFailedIsTold() {
		this.locks.put("a", lock("a", 1, place("other", new GrantId("unreadable", 7))));
		this.locks.put("b", lock("b", 2));
		waits("b", new GrantId("a", 1));
		waits("a", new GrantId("b", 2));
		for (int i = 0; i < 2; i++) {
			live(1);
			assertThat(this.asked).contains(List.of("unreadable"));
		}
		assertThat(this.told).isOne();
	}

	@Test
	void aLookThatFindsNoThreadIsTriedAgain() {
		Executor later = this.threads;
		Deque<Throwable> rejections = new ArrayDeque<>(
				List.of(new RejectedExecutionException("by script"), new OutOfMemoryError("by script")));
		this.threads = (task) -> {
			if (rejections.isEmpty()) {
				later.execute(task);
			}
			throwNext(rejections);
		};
		waits("b", new GrantId("a", 1));
		live(2);
		assertThat(this.looks).containsExactly(2.0);
	}

	@Test
	void oneLookIsUnderwayAtATimeAndThenTheNextOneIsPlanned() {
		waits("b", new GrantId("a", 1));
		this.nanos += SECOND;
		assertThat(this.watch.run(ClockReading.of(this.clock), Runnable::run)).isEqualTo(ClockReading.NEVER);
		waits("b", new GrantId("c", 2));
		this.nanos += 10 * SECOND;
		assertThat(this.watch.run(ClockReading.of(this.clock), Runnable::run)).isEqualTo(ClockReading.NEVER);
		assertThat(this.begun).hasSize(1);
		live(6);
		assertThat(this.looks).hasSize(2);
	}

	@Test
	void aStopSendsNothingMore() {
		waits("b", new GrantId("a", 1));
		this.running = false;
		live(10);
		assertThat(this.looks).isEmpty();
		this.running = true;
		live(10);
		assertThat(this.looks).isNotEmpty();
	}

	@Test
	void aWaitDoesNotFailWithItsWatch() {
		this.holds = () -> {
			throw new StackOverflowError("by script");
		};
		LockAcquisition me = acquisition("b");
		this.watch.waits(me);
		this.watch.ended(me);
		live(10);
		assertThat(this.looks).isEmpty();
	}

	private List<StoredLock> look(List<String> keys) {
		this.looks.add((this.nanos - START) / (double) SECOND);
		this.asked.add(keys);
		this.onLook.run();
		throwNext(this.failures);
		if (keys.contains("unreadable")) {
			throw new LockStoreException("unreadable", Outcome.REFUSED, "by script", null);
		}
		return keys.stream().filter(this.locks::containsKey).map(this.locks::get).toList();
	}

	private static void throwNext(Deque<Throwable> failures) {
		Throwable failure = failures.poll();
		if (failure instanceof Error error) {
			throw error;
		}
		if (failure != null) {
			throw (RuntimeException) failure;
		}
	}

	// What the loop of the client does
	private void live(double seconds) {
		long until = this.nanos + (long) (seconds * SECOND);
		for (int round = 0; round < 1_000; round++) {
			this.woken = false;
			long pause = this.watch.run(ClockReading.of(this.clock), Runnable::run);
			for (Runnable look = this.begun.poll(); look != null; look = this.begun.poll()) {
				look.run();
			}
			if (!this.woken) {
				assertThat(pause).isPositive();
				if (pause > until - this.nanos) {
					this.nanos = until;
					return;
				}
				this.nanos += pause;
			}
		}
		throw new AssertionError("The loop does not rest");
	}

	private LockAcquisition waits(String key, GrantId... holds) {
		this.holds = () -> List.of(holds);
		LockAcquisition acquisition = begin(key);
		this.watch.waits(acquisition);
		return acquisition;
	}

	private LockAcquisition begin(String key) {
		LockAcquisition acquisition = acquisition(key);
		acquisition.begin(new LockAcquisition.Caller() {

			@Override
			public void turn() {
				DeadlockWatchTests.this.early.add(acquisition);
			}

			@Override
			public void stop() {
			}

		}, ClockReading.of(this.clock));
		return acquisition;
	}

	private LockAcquisition acquisition(String key) {
		return new LockAcquisition(this.queues, Attempt.of(LockRequest.of(key), "t" + this.tokens++, OWNER, "main",
				ConfiguredSettings.NONE, ClockReading.of(this.clock)), 0, (lost) -> {
				});
	}

	private @Nullable LockDeadlock deadlock(LockAcquisition acquisition) {
		return ((LockUnavailableException) acquisition.failure(new Denied(List.of(), false, Denied.Reason.TIMEOUT),
				ClockReading.of(this.clock)))
			.getDeadlock()
			.orElse(null);
	}

	// Of one who holds a and waits for b
	private void circle() {
		this.locks.put("a", lock("a", 1, place("other", new GrantId("b", 2))));
		this.locks.put("b", lock("b", 2));
	}

	private static StoredLock lock(String key, long fence, StoredWaiter... queue) {
		return new StoredLock(key,
				List.of(new StoredHolder("h" + fence, fence, 1, OWNER, Instant.EPOCH, Instant.EPOCH, TTL)),
				List.of(queue), List.of(), fence, Instant.EPOCH);
	}

	private static StoredWaiter place(String name, GrantId... holds) {
		return new StoredWaiter(name, 1, OWNER, Instant.EPOCH, TTL, List.of(holds));
	}

}
