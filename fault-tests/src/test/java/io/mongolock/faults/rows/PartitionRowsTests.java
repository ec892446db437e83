package io.mongolock.faults.rows;

import java.time.Duration;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.LossReason;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.RecordingLockListener;
import io.mongolock.faults.harness.ReplicaSetHarness;
import io.mongolock.faults.harness.ScriptedSet;
import io.mongolock.faults.harness.SetMember;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Rows 18 to 21: a primary without a majority, which does not notice.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class PartitionRowsTests {

	private static final Duration TTL = Duration.ofSeconds(4);

	/** What {@link #TTL} leaves for a request. */
	private static final Duration OPERATION_TIMEOUT = Duration.ofMillis(1067);

	@AutoClose
	private final ReplicaSetHarness harness = new ReplicaSetHarness();

	private final ScriptedSet set = this.harness.set();

	@Test
	@ShowsRow(value = 18, level = Level.PROXY)
	void aHolderThatIsIsolatedWithThePrimaryIsToldBeforeTheNextGrant(RowFigures figures) {
		HarnessClient client = this.harness.clientOf(this.set.primary(), Duration.ofSeconds(10), Harness.LONG);
		HarnessClient other = this.harness.client(Harness.LONG, Harness.LONG);
		LockHandle handle = client.acquire();
		SetMember stale = this.set.isolatePrimary();
		SetMember next = this.set.elect();
		LockHandle granted = Expect.notifiedBeforeTheNextGrant(client, handle, other.warm(),
				figures.server(ScriptedSet.SERVER));
		assertThat(client.heard().losses()).extracting(RecordingLockListener.Loss::reason)
			.containsExactly(LossReason.DEADLINE);
		// Renewed where nobody confirms it
		Expect.heldBy(handle, stale.holders());
		this.set.heal();
		Expect.lost(handle::close);
		Expect.heldBy(granted, next.holders());
		figures.add("overlap", "0 ms");
	}

	@Test
	@ShowsRow(value = 18, level = Level.PROXY)
	void aHolderWhoseLeaseRanOutIsNotToldByAMinorityThatItOverran(RowFigures figures) {
		HarnessClient client = this.harness.clientOf(this.set.primary(), TTL, Harness.LONG);
		HarnessClient other = this.harness.client(Harness.LONG, Harness.LONG);
		LockHandle handle = client.acquireUnrenewed();
		this.set.isolatePrimary();
		this.set.elect();
		LockHandle granted = other.warm().acquire();
		Expect.lost(handle::close);
		assertThat(granted.isHeld()).isTrue();
		figures.server(ScriptedSet.SERVER).add("false overruns", 0);
	}

	@Test
	@ShowsRow(value = 19, level = Level.PROXY)
	void aContenderThatIsIsolatedWithThePrimaryIsNotGrantedThere(RowFigures figures) {
		HarnessClient holder = this.harness.client(TTL, Harness.LONG);
		// For longer than the lease lasts there, even if it was renewed before the cut
		HarnessClient contender = this.harness.clientOf(this.set.primary(), TTL, Duration.ofSeconds(6));
		LockHandle handle = holder.acquire();
		SetMember stale = this.set.isolatePrimary();
		this.set.elect();
		holder.warm();
		handle.close();
		LockHandle next = holder.locks().acquire(LockRequest.builder(Harness.KEY).ttl(Harness.LONG).build());
		Expect.outcomeUnknown(contender);
		assertThat(stale.stored().orElseThrow().fence()).as("executed where nobody confirms it")
			.isGreaterThan(handle.fence());
		assertThat(next.isHeld()).isTrue();
		this.set.heal();
		assertEverywhereHeldBy(next);
		next.close();
		assertThat(this.set.members()).allSatisfy((member) -> assertThat(member.holders()).isEmpty());
		figures.server(ScriptedSet.SERVER).add("grants on the minority's side", 0).add("orphans", 0);
	}

	@Test
	@ShowsRow(value = 20, level = Level.PROXY)
	void aClaimThatOneMemberAloneConfirmsIsGrantedTwice(RowFigures figures) {
		HarnessClient contender = this.harness.clientOf(this.set.primary(), Harness.LONG, Duration.ZERO);
		HarnessClient other = this.harness.client(Harness.LONG, Harness.LONG);
		SetMember stale = this.set.isolatePrimary();
		this.set.elect();
		LockHandle confirmed = other.warm().acquire();
		this.set.confirmAlone();
		LockHandle handle = contender.acquire();
		assertThat(handle.isHeld() && confirmed.isHeld()).as("the harness reaches what must not be").isTrue();
		this.set.heal();
		assertEverywhereHeldBy(confirmed);
		assertThat(stale.isPrimary()).isFalse();
		figures.server(ScriptedSet.SERVER).add("double grants", "1, with w: 1 forced on the way");
	}

	@Test
	@ShowsRow(value = 20, level = Level.PROXY)
	void aClientThatIsSetToOneMemberStillAsksTheMajority(RowFigures figures) {
		HarnessClient contender = this.harness.client(this.set.primary().connectionString() + "&w=1", TTL,
				Duration.ZERO);
		HarnessClient other = this.harness.client(Harness.LONG, Harness.LONG);
		SetMember stale = this.set.isolatePrimary();
		this.set.elect();
		LockHandle confirmed = other.warm().acquire();
		Expect.outcomeUnknown(contender);
		assertThat(stale.stored()).as("executed where nobody confirms it").isPresent();
		assertThat(confirmed.isHeld()).isTrue();
		this.set.heal();
		assertEverywhereHeldBy(confirmed);
		figures.server(ScriptedSet.SERVER).add("double grants", 0);
	}

	@ParameterizedTest(name = "{0}")
	@ValueSource(strings = { "the primary does not notice", "the primary steps down" })
	@ShowsRow(value = 21, level = Level.PROXY)
	void aClaimWithoutAMajorityFailsInTimeAndLeavesNothing(String primary, RowFigures figures) {
		HarnessClient client = this.harness.client(TTL, Duration.ZERO);
		boolean stepsDown = primary.endsWith("steps down");
		this.set.loseMajority();
		if (stepsDown) {
			this.set.stepDown();
		}
		long start = System.nanoTime();
		Expect.outcomeUnknown(client);
		Duration blocked = Duration.ofNanos(System.nanoTime() - start);
		// The rest is for a busy machine; the driver itself would wait for 30 s
		assertThat(blocked).isLessThan(OPERATION_TIMEOUT.plusSeconds(10));
		this.set.heal();
		SetMember leader = (stepsDown) ? this.set.elect() : this.set.primary();
		long healed = System.nanoTime();
		await().atMost(Harness.LONG).until(() -> leader.holders().isEmpty());
		Duration orphan = Duration.ofNanos(System.nanoTime() - healed);
		assertThat(orphan).isLessThan(TTL.plusSeconds(10));
		LockHandle handle = this.harness.client(TTL, Harness.LONG).acquire();
		assertEverywhereHeldBy(handle);
		figures.server(ScriptedSet.SERVER)
			.add("failed after", blocked.toMillis() + " ms with a timeout of " + OPERATION_TIMEOUT.toMillis() + " ms")
			.add("orphan", orphan.toMillis() + " ms of a ttl of " + TTL.toMillis() + " ms");
	}

	private void assertEverywhereHeldBy(LockHandle handle) {
		assertThat(this.set.members()).allSatisfy((member) -> Expect.heldBy(handle, member.holders()));
	}

}
