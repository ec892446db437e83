package io.mongolock.core;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.mongolock.core.AcquisitionStep.Ask;
import io.mongolock.faults.harness.ThreadOrders;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.store.StoredWaiter;

/**
 * Tests for {@link QueuePlaces} with their {@link QueuePlace}, on several threads: those
 * ahead go, which is notified or seen, while the waiter asks and its place is looked at.
 * No release is missed.
 */
@Tag("orders")
class QueuePlaceOrdersTests {

	private static final Duration TTL = Duration.ofSeconds(6);

	@Test
	void aWaiterNotifiedOfAllReleasesIsCalledByTheLast() {
		ThreadOrders.check(OfHints.class, 6);
	}

	@Test
	void aWaiterNotifiedOfNoReleaseIsLookedAtSoon() {
		ThreadOrders.check(OfLooks.class, 3);
	}

	/** Two are before a waiter of this JVM, which is called in vain. */
	public abstract static class Waiting implements LockAcquisition.Caller {

		private static final StoredHolder HOLDER = CoreParts.entry("holder", 1);

		final QueuePlaces places = new QueuePlaces(TTL, QueuePlaces.MAX_PLACES, (bound) -> bound - 1);

		final LockAcquisition acquisition = new LockAcquisition(new ClientQueues(this.places, () -> true),
				CoreParts.attempt("waiter", Duration.ZERO), 0, (lost) -> {
				});

		private final AtomicInteger before = new AtomicInteger(2);

		/** Steps, of which each takes a millisecond. */
		private final AtomicInteger steps = new AtomicInteger(100);

		private final Deque<PlaceRequest> looks = new ArrayDeque<>();

		private final Deque<List<StoredLock>> answers = new ArrayDeque<>();

		private volatile boolean called;

		private volatile boolean granted;

		{
			this.acquisition.begin(this, now());
			ask();
			ask();
			// Two from behind it leave, which looks the same
			this.places.wakeIfAdmitted("k");
			this.places.wakeIfAdmitted("k");
		}

		abstract boolean isLive();

		final ClockReading now() {
			return CoreParts.at(this.steps.getAndIncrement());
		}

		/** One of those before it goes. */
		final boolean goes() {
			return this.before.getAndUpdate((number) -> Math.max(0, number - 1)) > 0;
		}

		/** The waiter has heard its call. */
		@Operation(nonParallelGroup = "waiter")
		public void goOn() {
			if (this.called) {
				this.called = false;
				AcquisitionStep step = this.acquisition.turn(now());
				while (step instanceof Ask) {
					step = ask();
				}
			}
		}

		// As any driver does
		private AcquisitionStep ask() {
			this.acquisition.send(now());
			StoredLock lock = stored();
			this.granted = lock.holders().isEmpty();
			List<StoredHolder> holders = (this.granted) ? List.of(CoreParts.entry("waiter", 2)) : lock.holders();
			return this.acquisition.answered(
					new ClaimAnswer(new StoredLock("k", holders, lock.queue(), List.of(), 0, Instant.EPOCH)), now());
		}

		@Operation(nonParallelGroup = "watch")
		public void looks() {
			for (PlaceRequest request : this.places.due(isLive(), now())) {
				if (request.kind() != PlaceRequest.Kind.LEAVE) {
					this.looks.add(request);
					this.answers.add(List.of(stored()));
				}
			}
		}

		@Operation(nonParallelGroup = "watch")
		public void looked() {
			PlaceRequest look = this.looks.poll();
			if (look != null) {
				this.places.answered(look, this.answers.remove(), now());
			}
		}

		private StoredLock stored() {
			int number = this.before.get();
			List<StoredWaiter> queue = new ArrayList<>();
			for (String token : (number > 1) ? List.of("ahead", "waiter") : List.of("waiter")) {
				queue.add(new StoredWaiter(token, 1, HOLDER.owner(), Instant.EPOCH, TTL));
			}
			return new StoredLock("k", (number > 0) ? List.of(HOLDER) : List.of(), queue, List.of(), 1, Instant.EPOCH);
		}

		/** Until nothing more happens by itself. */
		final void settle() {
			while (!this.looks.isEmpty()) {
				looked();
			}
			while (this.called) {
				goOn();
			}
		}

		/** So much later looks leave, and refreshes do not. */
		final void settleIn(Duration time) {
			settle();
			this.steps.addAndGet((int) time.toMillis());
			looks();
			settle();
		}

		final void requireNoReleaseMissed() {
			if (this.before.get() == 0 && !this.granted) {
				throw new AssertionError("a release was missed");
			}
		}

		@Override
		public void turn() {
			this.called = true;
		}

		@Override
		public void stop() {
		}

	}

	/** Each release is notified. */
	public static class OfHints extends Waiting {

		@Override
		boolean isLive() {
			return true;
		}

		@Operation
		public void release() {
			if (goes()) {
				this.places.wakeIfAdmitted("k");
			}
		}

		@Validate
		public void isCalledWhenTheLastHasGone() {
			settle();
			requireNoReleaseMissed();
		}

	}

	/** No release is notified. */
	public static class OfLooks extends Waiting {

		@Override
		boolean isLive() {
			return false;
		}

		@Operation
		public void release() {
			goes();
		}

		@Operation(nonParallelGroup = "watch")
		public void failed() {
			this.places.due(isLive(), now()).forEach((request) -> this.places.failed(request, now()));
		}

		@Validate
		public void isLookedAtWithinItsRetryInterval() {
			settleIn(Duration.ofMillis(250));
			requireNoReleaseMissed();
		}

	}

}
