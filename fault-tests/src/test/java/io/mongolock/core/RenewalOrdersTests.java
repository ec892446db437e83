package io.mongolock.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.mongolock.faults.harness.ThreadOrders;
import io.mongolock.store.RenewalAnswer;

/**
 * Tests for {@link RenewalSchedule}, on several threads: leases come and go while the
 * watch has them renewed.
 */
@Tag("orders")
class RenewalOrdersTests {

	@Test
	void leasesComeAndGoWhileOthersAreRenewed() {
		ThreadOrders.check(OfSchedule.class, 2);
	}

	/** One lease, which its holder keeps, pauses and lets go, and the watch. */
	public static class OfSchedule {

		private final RenewalSchedule schedule = new RenewalSchedule((bound) -> 0);

		private final Lease lease = CoreParts.held(CoreParts.attempt("first", Duration.ZERO), 1, (lost) -> {
		}).lease();

		private final List<RenewalBatch> sent = new ArrayList<>();

		{
			this.schedule.add(this.lease, CoreParts.NOW);
		}

		@Operation
		public void add() {
			this.schedule.addAgain(this.lease, CoreParts.LATE);
		}

		@Operation
		public void watch() {
			this.schedule.watch(this.lease, CoreParts.LATE);
		}

		@Operation
		public void remove() {
			this.schedule.remove(this.lease);
		}

		@Operation(nonParallelGroup = "watch")
		public int due() {
			List<RenewalBatch> due = this.schedule.due(CoreParts.LATE);
			this.sent.addAll(due);
			return due.size();
		}

		@Operation(nonParallelGroup = "watch")
		public boolean answered() {
			if (!this.sent.isEmpty()) {
				this.schedule.answered(this.sent.remove(0), RenewalAnswer.of(1), CoreParts.LATE, CoreParts.LATE);
			}
			return this.lease.isHeld(CoreParts.LATE);
		}

		@Operation(nonParallelGroup = "watch")
		public boolean isIdle() {
			return this.schedule.nextIn(CoreParts.LATE) == ClockReading.NEVER;
		}

	}

}
