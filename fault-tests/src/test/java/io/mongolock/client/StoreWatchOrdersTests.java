package io.mongolock.client;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.mongolock.background.StoreWatch;
import io.mongolock.core.ClockReading;
import io.mongolock.faults.harness.ThreadOrders;
import io.mongolock.store.StoreSubscription;

/**
 * Tests for {@link StoreWatch}, on several threads: the need comes and goes, and the
 * client stops, while it is opened and closed.
 */
@Tag("orders")
class StoreWatchOrdersTests {

	@Test
	void oneIsOpenAtMostHoweverTheNeedChanges() {
		ThreadOrders.check(OfNeed.class, 6);
	}

	@Test
	void noneStaysOpenAfterAStop() {
		ThreadOrders.check(OfStop.class, 40);
	}

	/** What the loop of the client and a thread for requests do. */
	public abstract static class Watched implements StoreWatch.Watcher {

		private final AtomicInteger open = new AtomicInteger();

		private final Queue<Runnable> requests = new ConcurrentLinkedQueue<>();

		volatile boolean needed = true;

		volatile boolean stopped;

		final StoreWatch watch = new StoreWatch(this, new StillClock());

		{
			this.watch.start();
		}

		@Override
		public StoreSubscription subscribe() {
			this.open.incrementAndGet();
			return new StoreSubscription() {

				@Override
				public boolean isLive() {
					return true;
				}

				@Override
				public void close() {
					Watched.this.open.decrementAndGet();
				}

			};
		}

		@Override
		public long watchFor() {
			return (this.needed) ? 1 : 0;
		}

		@Override
		public void missed() {
			// Only who is watched is looked at here
		}

		@Operation(nonParallelGroup = "watch")
		public void look() {
			this.watch.run(new ClockReading(20_000_000_000L, 20_000), this.requests::add);
		}

		@Operation(nonParallelGroup = "request")
		public void request() {
			Runnable request = this.requests.poll();
			if (request != null) {
				request.run();
			}
		}

		@Validate
		public void oneIsOpenAtMostAndNoneAfterTheStop() {
			int most = (this.stopped) ? 0 : 1;
			if (this.open.get() > most) {
				throw new AssertionError(this.open.get() + " open");
			}
		}

	}

	/** The need comes and goes. */
	public static class OfNeed extends Watched {

		@Operation
		public void need() {
			this.needed = true;
		}

		@Operation
		public void needNoLonger() {
			this.needed = false;
		}

	}

	/** The client stops. */
	public static class OfStop extends Watched {

		@Operation(runOnce = true)
		public void stop() {
			this.watch.stop();
			this.stopped = true;
		}

	}

}
