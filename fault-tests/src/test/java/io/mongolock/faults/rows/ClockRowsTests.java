package io.mongolock.faults.rows;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LossReason;
import io.mongolock.client.LockTemplate;
import io.mongolock.faults.harness.FakeClock;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.RecordingLockListener;
import io.mongolock.faults.harness.StepClock;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.test.InMemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rows 27 and 28: the clocks of a client.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class ClockRowsTests {

	private static final LockRequest REQUEST = LockRequest.of(Harness.KEY);

	private static final LockSettings SETTINGS = HarnessClient.settings(Duration.ofSeconds(30), Duration.ZERO);

	private final FakeClock clock = new FakeClock();

	private final RecordingLockListener heard = new RecordingLockListener();

	private final List<LockTemplate> started = new ArrayList<>();

	@AfterEach
	void stop() {
		this.started.forEach((locks) -> locks.stop(Duration.ofSeconds(1)));
	}

	@Test
	@ShowsRow(value = 28, level = Level.UNIT)
	void aHolderThatWasSuspendedHasLost(RowFigures figures) {
		LockHandle handle = locks(true).acquire(REQUEST);
		this.clock.pass(Duration.ZERO, Duration.ofMinutes(10));
		assertThat(handle.isHeld()).isFalse();
		assertThat(handle.remaining()).isZero();
		Expect.lost(handle::assertHeld).returns(LossReason.DEADLINE, LockLostException::getReason);
		assertThat(this.heard.awaitLoss().reason()).isEqualTo(LossReason.DEADLINE);
		this.clock.pass(Duration.ZERO, Duration.ofMinutes(-10));
		assertThat(handle.isHeld()).as("lost").isFalse();
		figures.add("lost", 1);
	}

	@Test
	@ShowsRow(value = 28, level = Level.UNIT)
	void aHolderThatWasSuspendedIsToldWithoutAsking(RowFigures figures) {
		locks(true).acquire(REQUEST);
		this.clock.pass(Duration.ofSeconds(2), Duration.ofMinutes(10));
		assertThat(this.heard.awaitLoss().reason()).isEqualTo(LossReason.DEADLINE);
		figures.add("notified", 1);
	}

	@Test
	@ShowsRow(value = 28, level = Level.UNIT)
	void theLeaseEndsOneMarginBeforeTheStoresDoes(RowFigures figures) {
		LockHandle handle = locks(false).acquire(REQUEST);
		this.clock.pass(Duration.ofMillis(23_999), Duration.ofMillis(23_999));
		assertThat(handle.isHeld()).isTrue();
		this.clock.pass(Duration.ofMillis(1), Duration.ZERO);
		assertThat(handle.isHeld()).isFalse();
		figures.add("relied on", "24 s of 30 s");
	}

	@Test
	@ShowsRow(value = 28, level = Level.UNIT)
	void aHolderBothOfWhoseClocksStoodStillIsToldByItsNextRenewal(RowFigures figures) {
		FakeClock servers = new FakeClock();
		InMemoryLockStore store = new InMemoryLockStore(() -> Instant.ofEpochMilli(servers.currentTimeMillis()));
		LockTemplate paused = start(store, SETTINGS, this.clock);
		LockTemplate other = start(store, SETTINGS, servers);
		LockHandle handle = paused.acquire(REQUEST);
		servers.pass(Duration.ofMinutes(10), Duration.ofMinutes(10));
		LockHandle next = other.acquire(REQUEST);
		assertThat(handle.isHeld()).as("nothing here can tell").isTrue();
		assertThat(next.fence()).as("what a guarded write goes by").isGreaterThan(handle.fence());
		// When its next renewal is due
		this.clock.pass(Duration.ofSeconds(8), Duration.ofSeconds(8));
		assertThat(this.heard.awaitLoss().reason()).isEqualTo(LossReason.REFUSED);
		assertThat(next.isHeld()).isTrue();
		figures.add("overlap", "until the next renewal").add("fence", "rose");
	}

	@Test
	@ShowsRow(value = 27, level = Level.UNIT)
	void aWallClockSetForwardEndsTheLeaseEarly(RowFigures figures) {
		LockHandle handle = locks(false).acquire(REQUEST);
		this.clock.pass(Duration.ZERO, Duration.ofHours(1));
		assertThat(handle.isHeld()).isFalse();
		figures.add("lost", "1, to be safe");
	}

	@Test
	@ShowsRow(value = 27, level = Level.UNIT)
	void aWallClockSetBackDoesNotLengthenTheLease(RowFigures figures) {
		LockHandle handle = locks(false).acquire(REQUEST);
		this.clock.pass(Duration.ZERO, Duration.ofHours(-1));
		assertThat(handle.isHeld()).isTrue();
		this.clock.pass(Duration.ofSeconds(24), Duration.ofSeconds(24));
		assertThat(handle.isHeld()).isFalse();
		figures.add("lengthened by", "0 ms");
	}

	@Test
	@ShowsRow(value = 27, level = Level.SERVER)
	void aClientWhoseWallClockStepsOverlapsWithNobody(RowFigures figures) {
		try (Harness harness = Harness.onAnyServer()) {
			StepClock stepping = new StepClock();
			LockSettings settings = HarnessClient.settings(Duration.ofSeconds(8), Duration.ofMillis(500), Harness.LONG);
			HarnessClient client = harness.client(harness.proxied(), settings, stepping).warm();
			HarnessClient other = harness.direct(Harness.LONG);
			LockHandle handle = client.acquire();
			stepping.step(Duration.ofHours(-1));
			harness.awaitMoreReplies("update", 4);
			assertThat(handle.isHeld()).as("renewed on").isTrue();
			stepping.step(Duration.ofHours(2));
			Expect.notifiedBeforeTheNextGrant(client, handle, other, figures.server(harness.label()));
			figures.add("overlap", "0 ms");
		}
	}

	private LockTemplate locks(boolean autoRenew) {
		LockSettings settings = LockSettings.builder().autoRenew(autoRenew).build().or(SETTINGS);
		InMemoryLockStore store = new InMemoryLockStore(() -> Instant.ofEpochMilli(this.clock.currentTimeMillis()));
		return start(store, settings, this.clock);
	}

	private LockTemplate start(InMemoryLockStore store, LockSettings settings, LockClock clock) {
		LockTemplate locks = HarnessClient.locks(store, settings, clock, this.heard);
		this.started.add(locks);
		return locks;
	}

}
