package io.mongolock.event;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;

import org.apache.commons.logging.LogFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.mongolock.LockClock;
import io.mongolock.LockListener;
import io.mongolock.core.ClockReading;
import io.mongolock.store.StoreServers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StoreClockStepWatch}.
 */
@ExtendWith(OutputCaptureExtension.class)
class StoreClockStepWatchTests {

	private static final Duration MARGIN = Duration.ofSeconds(6);

	private static final long STORE = 1_000_000_000_000L;

	private final List<Duration> steps = new CopyOnWriteArrayList<>();

	private String primary = "db1:27017";

	private final List<String> off = new CopyOnWriteArrayList<>();

	private final List<String> measured = new ArrayList<>();

	private final List<BiConsumer<String, Duration>> clocks = new ArrayList<>();

	private final LockLog log = new LockLog(LogFactory.getLog(LockEvents.class), (name) -> Thread::new,
			LockClock.system());

	private final Listeners listeners = new Listeners(List.of(new LockListener() {

		@Override
		public void onStoreClockStepped(Duration step) {
			StoreClockStepWatchTests.this.steps.add(step);
		}

		@Override
		public void onServerClockOff(String server, Duration offset) {
			StoreClockStepWatchTests.this.off.add(server + " " + offset);
		}

	}), (name) -> Thread::new, this.log);

	private final StoreClockStepWatch watch = new StoreClockStepWatch(this.listeners,
			new Instruments(List.of(new LockInstrumentation() {

				@Override
				public void serverClock(String server, Duration offset) {
					StoreClockStepWatchTests.this.measured.add(server + " " + offset);
				}

			}), LockClock.system(), this.log), new StoreServers() {

				@Override
				public Optional<String> primaryAddress() {
					return Optional.of(StoreClockStepWatchTests.this.primary);
				}

				@Override
				public void onClockOff(BiConsumer<String, Duration> listener) {
					StoreClockStepWatchTests.this.clocks.add(listener);
				}

			});

	private long nanos = Long.MAX_VALUE - 5;

	private long millis = 50;

	@Test
	void aStoreClockThatGoesAsOursIsSilent() {
		observe(0, 2);
		pass(Duration.ofHours(1), Duration.ofHours(1));
		observe(Duration.ofHours(1).toMillis() + 1, 2);
		assertThat(stepsAfter(Duration.ofHours(1))).isEmpty();
	}

	@Test
	void aStepAheadIsReported() {
		observe(0, 2);
		pass(Duration.ofSeconds(1), Duration.ofSeconds(1));
		observe(61_001, 2);
		assertThat(awaitStep()).isEqualTo(Duration.ofMillis(59_997));
	}

	@Test
	void aStepBackIsReported() {
		observe(0, 2);
		pass(Duration.ofSeconds(1), Duration.ofSeconds(1));
		observe(-59_000, 2);
		assertThat(awaitStep()).isEqualTo(Duration.ofMinutes(-1));
	}

	@ParameterizedTest
	@ValueSource(longs = { 1000, -1000 })
	void aSmallStepIsSilent(long step) {
		observe(0, 1);
		observe(step, 0);
		assertThat(stepsAfter(Duration.ofMillis(step))).isEmpty();
	}

	@Test
	void aSmallStepIsReportedIfTheMarginIsSmaller() {
		ClockReading now = new ClockReading(this.nanos, this.millis);
		this.watch.observe(Instant.ofEpochMilli(STORE), now, now, MARGIN);
		this.watch.observe(Instant.ofEpochMilli(STORE + 301), now, now, Duration.ofMillis(300));
		assertThat(awaitStep()).isEqualTo(Duration.ofMillis(301));
	}

	@ParameterizedTest
	@ValueSource(longs = { -5, 5 })
	void aDriftOfTheClocksOfThisMachineSinceAClaimLongAgoIsNoStep(long drift) {
		observe(0, 0);
		pass(Duration.ofDays(1), Duration.ofDays(1));
		long store = Duration.ofDays(1).plusSeconds(drift).toMillis();
		observe(store, 0);
		assertThat(stepsAfter(Duration.ofMillis(store))).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(longs = { -1, 1 })
	void aStepIsMoreThanTheClocksMayDriftSinceTheLastClaim(long sign) {
		observe(0, 0);
		pass(Duration.ofSeconds(1000), Duration.ofSeconds(1000));
		long store = 1_000_000 + sign * 1500;
		observe(store, 0);
		assertThat(this.steps).isEmpty();
		pass(Duration.ofSeconds(1000), Duration.ofSeconds(1000));
		observe(store + 1_000_000 + sign * 1501, 0);
		assertThat(awaitStep()).isEqualTo(Duration.ofMillis(sign * 1501));
	}

	@Test
	void aStepBackNamesTheOtherCause(CapturedOutput output) {
		observe(0, 2);
		observe(-60_000, 2);
		assertThat(output).contains("stepped back by 60000ms").contains(", or this machine's clocks run fast. ");
	}

	@Test
	void aMachineThatWasSuspendedTakesNothingForAStep() {
		observe(0, 2);
		pass(Duration.ZERO, Duration.ofMinutes(10));
		observe(Duration.ofMinutes(10).toMillis(), 2);
		assertThat(stepsAfter(Duration.ofMinutes(10))).isEmpty();
	}

	@Test
	void aWallClockOfOursThatStepsIsNoStepOfTheStores() {
		observe(0, 2);
		pass(Duration.ofSeconds(1), Duration.ofHours(-1));
		observe(1_000, 2);
		pass(Duration.ofSeconds(1), Duration.ofHours(2));
		observe(2_000, 2);
		assertThat(stepsAfter(Duration.ofSeconds(2))).isEmpty();
	}

	@Test
	void aPauseThatStopsBothClocksOfThisMachineIsReported(CapturedOutput output) {
		observe(0, 2);
		observe(Duration.ofMinutes(10).toMillis(), 2);
		assertThat(awaitStep()).isEqualTo(Duration.ofMinutes(10).minusMillis(4));
		assertThat(output).contains("or this machine stood still");
	}

	@Test
	void theServerIsNamedAndTheOneBefore(CapturedOutput output) {
		observe(0, 2);
		this.primary = "db2:27017";
		observe(60_000, 2);
		assertThat(output).contains("The clock of the store (db2:27017, before that db1:27017) stepped ahead by");
		observe(0, 2);
		assertThat(output).contains("The clock of the store (db2:27017) stepped back by");
	}

	@Test
	void aServerWhoseClockIsOffIsReported() {
		this.clocks.forEach((listener) -> listener.accept("db3:27017", Duration.ofSeconds(4)));
		assertThat(this.measured).containsExactly("db3:27017 PT4S");
		Awaitility.await().until(() -> !this.off.isEmpty());
		assertThat(this.off).containsExactly("db3:27017 PT4S");
	}

	@Test
	void anAnswerThatTookLongIsNoStep() {
		observe(0, 2);
		observe(8_000, 20_000);
		assertThat(stepsAfter(Duration.ofSeconds(8))).isEmpty();
	}

	private void pass(Duration monotonic, Duration wall) {
		this.nanos += monotonic.toNanos();
		this.millis += wall.toMillis();
	}

	// An answer that took some milliseconds
	private void observe(long store, long took) {
		ClockReading requested = new ClockReading(this.nanos, this.millis);
		pass(Duration.ofMillis(took), Duration.ofMillis(took));
		this.watch.observe(Instant.ofEpochMilli(STORE + store), requested, new ClockReading(this.nanos, this.millis),
				MARGIN);
	}

	private Duration awaitStep() {
		Awaitility.await().until(() -> !this.steps.isEmpty());
		return this.steps.get(0);
	}

	// All that was reported before one more step, which is
	private List<Duration> stepsAfter(Duration store) {
		observe(store.plusDays(1).toMillis(), 2);
		Awaitility.await().until(() -> this.steps.stream().anyMatch((step) -> step.toHours() > 20));
		return this.steps.stream().filter((step) -> step.toHours() <= 20).toList();
	}

}
