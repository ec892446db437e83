package io.mongolock.core;

import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.mongolock.faults.harness.ThreadOrders;

/**
 * Tests for {@link LocalWaitQueues} with their {@link WaitQueue}, on several threads.
 */
@Tag("orders")
class LocalQueueOrdersTests {

	@Test
	void eachChangeOfAQueueIsOneStep() {
		ThreadOrders.check(OfQueue.class, 8);
	}

	/** One holds, another waits, a third comes. */
	public static class OfQueue {

		private final LocalWaitQueues<Member, Member> queues = new LocalWaitQueues<>();

		private final Member holder = new Member("holder");

		private final Member waiter = new Member("waiter");

		private final Member third = new Member("third");

		{
			this.queues.join("k", this.holder);
			this.queues.granted("k", this.holder, this.holder);
			this.queues.join("k", this.waiter);
		}

		@Operation(runOnce = true)
		public boolean join() {
			return this.queues.join("k", this.third);
		}

		@Operation
		public String granted() {
			return name(this.queues.granted("k", this.waiter, this.waiter));
		}

		@Operation
		public String left() {
			return name(this.queues.left("k", this.waiter));
		}

		@Operation
		public String released() {
			return name(this.queues.released("k", this.holder));
		}

		@Operation
		public String successor() {
			return name(this.queues.successor("k", this.holder, (any) -> true));
		}

		@Operation
		public String handedOver() {
			return name(this.queues.handedOver("k", this.holder, this.third, this.third));
		}

		@Operation
		public String holders() {
			return this.queues.holders("k").stream().map(Member::name).toList().toString();
		}

		@Operation
		public int waiting() {
			return this.queues.waiting("k");
		}

		private static String name(Member member) {
			return (member != null) ? member.name() : "nobody";
		}

	}

	/**
	 * Waits or holds.
	 *
	 * @param name who it is
	 */
	private record Member(String name) implements WaitQueue.Member {

		@Override
		public int limit() {
			return 1;
		}

	}

}
