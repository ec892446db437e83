package io.mongolock.core;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.mongolock.core.AcquisitionStep.Granted;
import io.mongolock.faults.harness.ThreadOrders;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;

/**
 * Tests for {@link AcquisitionState} and its {@link LockAcquisition}, on several threads.
 */
@Tag("orders")
class AcquisitionOrdersTests {

	@Test
	void aWaiterIsHandedTheLockOrGivesUpAndNeverBoth() {
		ThreadOrders.check(OfWaiter.class, 6);
	}

	@Test
	void anAnswerMeetsACancelOrATimeout() {
		ThreadOrders.check(OfAsking.class, 6);
	}

	private static String name(AcquisitionStep step) {
		return step.getClass().getSimpleName() + ((step instanceof Granted granted) ? granted.held().fence() : "");
	}

	/** One waits behind a holder of this JVM. */
	public static class OfWaiter {

		private final LocalWaitQueues<LocalWaiter, HeldLock> queues = new LocalWaitQueues<>();

		private final ClientQueues client = new ClientQueues(this.queues,
				new QueuePlaces(Duration.ofSeconds(6), QueuePlaces.MAX_PLACES, (bound) -> 0), () -> true);

		private final HandOver handOver = new HandOver(Duration.ofSeconds(5), 100);

		private final LockAcquisition waiter = new LockAcquisition(this.client,
				CoreParts.attempt("waiter", Duration.ZERO), 100, this.client::wakeNext);

		private final HeldLock first;

		{
			Caller nobody = new Caller();
			LockAcquisition holder = new LockAcquisition(this.client, CoreParts.attempt("first", Duration.ZERO), 100,
					this.client::wakeNext);
			holder.begin(nobody, CoreParts.at(0));
			this.first = CoreParts.held(holder.attempt(), 1, this.client::wakeNext);
			this.queues.granted("k", holder, this.first);
			this.waiter.begin(nobody, CoreParts.at(0));
		}

		@Operation(runOnce = true)
		public boolean release() {
			boolean passed = this.handOver.pass(this.first, this.client, CoreParts.NOW, (held) -> {
			}, () -> {
			});
			if (!passed) {
				this.first.state().release(CoreParts.NOW);
				this.client.wakeNext(this.first);
			}
			return passed;
		}

		@Operation
		public String turn() {
			return name(this.waiter.turn(CoreParts.NOW));
		}

		@Operation
		public String timeOut() {
			return name(this.waiter.timer(CoreParts.LATE));
		}

		@Operation(runOnce = true)
		public String cancel() {
			return name(this.waiter.cancel());
		}

	}

	/** One asks the store. */
	public static class OfAsking {

		private final LocalWaitQueues<LocalWaiter, HeldLock> queues = new LocalWaitQueues<>();

		private final ClientQueues client = new ClientQueues(this.queues,
				new QueuePlaces(Duration.ofSeconds(6), QueuePlaces.MAX_PLACES, (bound) -> 0), () -> true);

		private final LockAcquisition acquisition = new LockAcquisition(this.client,
				CoreParts.attempt("one", Duration.ZERO), 100, this.client::wakeNext);

		private boolean sent;

		{
			this.acquisition.begin(new Caller(), CoreParts.at(0));
		}

		// As a driver does, so that each request has one answer
		@Operation(nonParallelGroup = "store")
		public boolean send() {
			this.sent |= this.acquisition.send(CoreParts.NOW) != null;
			return this.sent;
		}

		@Operation(nonParallelGroup = "store")
		public String grant() {
			return answer(List.of(CoreParts.entry("one", 1)), 101);
		}

		@Operation(nonParallelGroup = "store")
		public String deny() {
			return answer(List.of(CoreParts.entry("other", 1)), 101);
		}

		private String answer(List<StoredHolder> holders, long fence) {
			if (!this.sent) {
				return "not sent";
			}
			this.sent = false;
			return name(this.acquisition.answered(
					new ClaimAnswer(new StoredLock("k", holders, List.of(), List.of(), fence, Instant.EPOCH)),
					CoreParts.NOW));
		}

		@Operation
		public String turn() {
			return name(this.acquisition.turn(CoreParts.NOW));
		}

		@Operation
		public String timeOut() {
			return name(this.acquisition.timer(CoreParts.LATE));
		}

		@Operation(runOnce = true)
		public String cancel() {
			return name(this.acquisition.cancel());
		}

	}

	/** Hears, and does nothing. */
	private static final class Caller implements LockAcquisition.Caller {

		@Override
		public void turn() {
		}

		@Override
		public void stop() {
		}

	}

}
