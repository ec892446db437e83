package io.mongolock.core;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.mongolock.LossReason;
import io.mongolock.faults.harness.ThreadOrders;

/**
 * Tests for {@link Lease} with {@link HoldState}, on several threads: renewals, losses
 * and the ends of a hold meet.
 */
@Tag("orders")
class LeaseOrdersTests {

	@Test
	void aRenewalThatMeetsTheEndBringsNothingBack() {
		ThreadOrders.check(OfRenewals.class, 10);
	}

	@Test
	void aHoldIsPassedOnOrEndsAndNeverBoth() {
		ThreadOrders.check(OfSuccessor.class, 10);
	}

	@Test
	void theLastOfSeveralReleasesOnce() {
		ThreadOrders.check(OfShares.class, 10);
	}

	/** One holds, and another may take over. */
	public abstract static class Hold {

		final AtomicInteger losses = new AtomicInteger();

		final HeldLock held = CoreParts.held(CoreParts.attempt("first", Duration.ZERO), 1,
				(lost) -> this.losses.incrementAndGet());

		final Lease next = this.held.lease().next(2, this.held.terms(), (lost) -> this.losses.incrementAndGet());

		// In the end, as a loss is first noticed and then published
		@Validate
		public void oneHoldsItAndEachLossIsPublished() {
			int lost = (this.held.lossReason() != null) ? 1 : 0;
			lost += (this.next.lossReason() != null) ? 1 : 0;
			if (this.losses.get() < lost) {
				throw new AssertionError(this.losses.get() + " published of " + lost);
			}
			if (this.held.lease().isHeld(CoreParts.NOW) && this.next.isHeld(CoreParts.NOW)) {
				throw new AssertionError("Both hold it");
			}
		}

	}

	/** Renewals are answered while it runs out or ends. */
	public static class OfRenewals extends Hold {

		@Operation
		public void renewed() {
			this.held.renewed(true, CoreParts.LATE, CoreParts.LATE);
		}

		@Operation
		public void found() {
			this.held.lease().found(CoreParts.OVER, CoreParts.OVER);
		}

		@Operation
		public boolean isHeldLater() {
			return this.held.lease().isHeld(CoreParts.OVER);
		}

		@Operation
		public void lose() {
			this.held.lease().lose(LossReason.SHUTDOWN);
		}

		@Operation(runOnce = true)
		public boolean release() {
			return this.held.state().release(CoreParts.NOW).asks();
		}

		@Operation
		public String lossReason() {
			return String.valueOf(this.held.lossReason());
		}

		@Operation
		public long remaining() {
			return this.held.lease().remaining(CoreParts.NOW).toMillis();
		}

	}

	/** It is passed on, or kept idle, while it ends. */
	public static class OfSuccessor extends Hold {

		private boolean rested;

		@Operation(runOnce = true)
		public boolean release() {
			return this.held.state().release(CoreParts.NOW).asks();
		}

		@Operation
		public boolean handOver() {
			return this.held.state().handOver(this.next, CoreParts.NOW);
		}

		@Operation(nonParallelGroup = "holder")
		public boolean keepIdle() {
			boolean rests = this.held.state().keepIdle(CoreParts.NOW);
			if (rests) {
				this.rested = true;
			}
			return rests;
		}

		@Operation(nonParallelGroup = "holder")
		public boolean take() {
			return this.rested && this.held.lease().handOver(this.next, CoreParts.NOW);
		}

	}

	/** Several rely on one hold, and a statement is underway that may end it. */
	public static class OfShares {

		private final HeldLock held = CoreParts.held(CoreParts.attempt("first", Duration.ZERO), 1, (lost) -> {
		});

		private final HoldState hold = this.held.state();

		{
			this.hold.statementBegins();
		}

		@Operation
		public boolean add() {
			return this.hold.add();
		}

		@Operation
		public boolean remove() {
			return this.hold.remove();
		}

		@Operation(nonParallelGroup = "statement")
		public void suspend() {
			this.hold.statementBegins();
		}

		@Operation(nonParallelGroup = "statement")
		public boolean resume() {
			return this.hold.statementOver();
		}

	}

}
