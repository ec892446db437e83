package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.util.StringUtils;

import io.mongolock.LockClock;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LossReason;
import io.mongolock.OnLost;
import io.mongolock.application.CarelessCode;
import io.mongolock.client.ClientOptions.LeakDetection;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HeldLock;
import io.mongolock.store.LeaseEnd;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HandleLeaks}.
 */
@Timeout(180)
@ExtendWith(OutputCaptureExtension.class)
class HandleLeaksTests {

	private static final String TOLD = "was garbage-collected without being closed";

	private final ScriptedStore store = new ScriptedStore();

	private LockTemplate template = template(LeakDetection.RELEASE);

	@AfterEach
	void stop() {
		this.template.stop(Duration.ofSeconds(1));
	}

	@Test
	void leaksOfOnePlaceAreToldOnceAndAllReleased(CapturedOutput output) {
		for (int i = 0; i < 3; i++) {
			CarelessCode.acquireAndForget(this.template, "k" + i);
		}
		awaitCollected(() -> this.store.holders() == 0);
		assertThat(output)
			.containsPattern("WARN .* - A handle of lock 'k\\d' \\(fence \\d\\) acquired at "
					+ "io.mongolock.application.CarelessCode.acquireAndForget\\(CarelessCode.java:\\d+\\) " + TOLD
					+ ". The lock is released now.")
			.satisfies((text) -> assertThat(StringUtils.countOccurrencesOf(text.toString(), TOLD)).isEqualTo(1));
		assertThat(this.template.held()).isZero();
		CarelessCode.tryAndForget(this.template, "k");
		awaitCollected(() -> this.store.holders() == 0);
		assertThat(output).contains("CarelessCode.tryAndForget(CarelessCode.java:");
	}

	@Test
	void byDefaultALeakIsOnlyTold(CapturedOutput output) {
		this.template = new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of()));
		CarelessCode.acquireAndForget(this.template, "k");
		awaitCollected(() -> output.toString().contains(TOLD));
		assertThat(output).contains("The lock is renewed until this application stops. With "
				+ "mongo-lock.leak-detection=release, the lock would be released now. Close every handle");
		assertThat(this.store.holder("k")).isPresent();
		assertThat(this.template.held()).isEqualTo(1);
	}

	@Test
	void whenLockIsNotRenewedThenLeakSaysThatItsLeaseRunsOut(CapturedOutput output) {
		LockSettings settings = LockSettings.builder().autoRenew(false).build();
		this.template = new LockTemplate(this.store, new ClientOptions(new ConfiguredSettings(settings, Map.of()),
				new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of()));
		CarelessCode.acquireAndForget(this.template, "k");
		awaitCollected(() -> output.toString().contains(TOLD));
		assertThat(output).contains("The lock stays taken until its lease runs out. With "
				+ "mongo-lock.leak-detection=release, the lock would be released now. Close every handle");
	}

	@Test
	void whenALockWasLostThenItsLeakSaysSo(CapturedOutput output) {
		this.template = template(LeakDetection.OFF);
		Queue<HeldLock> collected = new ConcurrentLinkedQueue<>();
		HandleLeaks leaks = new HandleLeaks(LeakDetection.WARN, Thread::new, collected::add);
		watchAndForget(leaks, (handle) -> handle.heldLock().lease().lose(LossReason.REFUSED));
		awaitCollected(() -> output.getOut().contains(TOLD));
		assertThat(output).containsPattern("WARN .* " + TOLD)
			.contains("The lock was lost before. Close every handle")
			.doesNotContain("is renewed until");
		leaks.stop();
	}

	@Test
	void whenALockWasReleasedThenItsLeakIsNoWarning(CapturedOutput output) {
		this.template = template(LeakDetection.OFF);
		Queue<HeldLock> collected = new ConcurrentLinkedQueue<>();
		HandleLeaks leaks = new HandleLeaks(LeakDetection.RELEASE, Thread::new, collected::add);
		watchAndForget(leaks, (handle) -> handle.end(LeaseEnd.RELEASED));
		awaitCollected(() -> collected.size() == 1);
		assertThat(output).doesNotContainPattern("WARN .* " + TOLD);
		watchAndForget(leaks, (handle) -> {
		});
		awaitCollected(() -> collected.size() == 2);
		assertThat(output).containsPattern("WARN .* " + TOLD);
		leaks.stop();
	}

	private void watchAndForget(HandleLeaks leaks, Consumer<LeaseHandle> action) {
		LeaseHandle handle = (LeaseHandle) this.template.acquire(LockRequest.of("k"));
		leaks.watch(handle, null);
		action.accept(handle);
		this.store.forget("k");
	}

	@Test
	void whenAThreadHasOnlyTakenALockThenItsLeakNamesNoPlace(CapturedOutput output) throws Exception {
		runAndForget(this.template.asLock(LockRequest.of("k"))::lock);
		awaitCollected(() -> this.store.holders() == 0);
		assertThat(output).containsPattern("WARN .* - A handle of lock 'k' \\(fence \\d+\\) " + TOLD)
			.contains("Further handles from unknown places are logged only at DEBUG.");
	}

	private static void runAndForget(Runnable task) throws InterruptedException {
		Thread thread = new Thread(task);
		thread.start();
		thread.join();
	}

	@Test
	void aClosedHandleIsNoLeak(CapturedOutput output) {
		CarelessCode.acquireAndClose(this.template, 50);
		CarelessCode.acquireAndForget(this.template, "k");
		awaitCollected(() -> this.store.holders() == 0);
		assertThat(output).doesNotContain("CarelessCode.acquireAndClose");
		assertThat(this.store.count("release closed")).isEqualTo(50);
	}

	@Test
	void aResultThatNobodyTakesIsALeakOfItsCaller(CapturedOutput output) {
		CountDownLatch latch = new CountDownLatch(1);
		this.store.next("acquire", (request) -> {
			await(latch);
			request.run();
		});
		CarelessCode.giveUpAndForget(this.template, "k");
		latch.countDown();
		awaitCollected(() -> this.store.count("release") == 1);
		assertThat(output).contains("CarelessCode.giveUpAndForget(CarelessCode.java:");
	}

	@ParameterizedTest
	@EnumSource
	void workThatCannotEndAnyMoreIsALeakOfItsCaller(OnLost onLost, CapturedOutput output) {
		LockRequest request = LockRequest.builder("k").onLost(onLost).build();
		CarelessCode.workAndForget(this.template, request);
		awaitCollected(() -> this.store.holders() == 0);
		assertThat(output).contains("CarelessCode.workAndForget(CarelessCode.java:");
		this.template.execute(request, (handle) -> {
			CarelessCode.workAndForget(this.template, request);
			return null;
		});
		awaitCollected(() -> this.store.holders() == 0);
	}

	@Test
	void withoutDetectionNothingIsLookedAt() {
		HandleLeaks leaks = new HandleLeaks(LeakDetection.OFF, Thread::new, HandleLeaksTests::releaseNothing);
		assertThat(leaks.caller()).isNull();
	}

	@Test
	void aThreadThatCannotBeStartedCostsNobodyTheLockAndIsStartedForTheNextHandle() {
		List<Thread> started = new CopyOnWriteArrayList<>();
		HandleLeaks leaks = new HandleLeaks(LeakDetection.WARN, (watch) -> new Thread() {

			@Override
			public synchronized void start() {
				started.add(this);
				if (started.size() == 1) {
					throw new InternalError("unable to create native thread, says the test");
				}
			}

		}, HandleLeaksTests::releaseNothing);
		for (int handle = 1; handle <= 3; handle++) {
			leaks.watch((LeaseHandle) this.template.acquire(LockRequest.of("k" + handle)), null).close();
			assertThat(started).hasSize(Math.min(handle, 2));
		}
	}

	@Test
	void aHandleThatComesWithTheStopIsNotWatched() {
		LeaseHandle handle = (LeaseHandle) this.template.acquire(LockRequest.of("k"));
		this.template.stop(Duration.ofSeconds(1));
		List<Thread> threads = new CopyOnWriteArrayList<>();
		HandleLeaks leaks = new HandleLeaks(LeakDetection.WARN, (watch) -> {
			threads.add(new Thread(watch));
			return threads.get(0);
		}, HandleLeaksTests::releaseNothing);
		leaks.watch(handle, null);
		assertThat(threads).as("which nothing would end").isEmpty();
	}

	@Test
	void theThreadOutlivesAHoldThatWasOverBeforeItRan() throws InterruptedException {
		CountDownLatch closed = new CountDownLatch(1);
		List<Thread> threads = new CopyOnWriteArrayList<>();
		HandleLeaks leaks = new HandleLeaks(LeakDetection.WARN, (watch) -> {
			threads.add(new Thread(() -> {
				await(closed);
				watch.run();
			}));
			return threads.get(0);
		}, HandleLeaksTests::releaseNothing);
		leaks.watch((LeaseHandle) this.template.acquire(LockRequest.of("k")), null).close();
		closed.countDown();
		Awaitility.await("lingers").until(() -> threads.get(0).getState() == Thread.State.TIMED_WAITING);
		threads.get(0).interrupt();
		threads.get(0).join();
	}

	private LockTemplate template(LeakDetection detection) {
		return new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of())
			.withLeakDetection(detection));
	}

	private static void releaseNothing(HeldLock heldLock) {
		throw new AssertionError("released");
	}

	private static void awaitCollected(BooleanSupplier condition) {
		Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> {
			System.gc();
			return condition.getAsBoolean();
		});
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
