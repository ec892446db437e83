package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.mongolock.LockClock;
import io.mongolock.event.LockEvents;
import io.mongolock.faults.harness.ThreadOrders;

/**
 * Tests for {@link ClientLifecycle}, on several threads: claims begin and end while the
 * client is started and stopped.
 */
@Tag("orders")
class ClientPhaseOrdersTests {

	@Test
	void aFirstClaimDoesNotStartItAfterAStop() {
		ThreadOrders.check(OfFirst.class, 4);
	}

	@Test
	void noClaimBeginsAfterAStopAndNoRequestAfterAClose() {
		ThreadOrders.check(OfRequests.class, 2);
	}

	@Test
	void aStopWaitsForAllThatIsUnderway() {
		ThreadOrders.check(OfWait.class, 3);
	}

	/** A client whose threads never start. */
	public abstract static class Client {

		final ClientLifecycle phase;

		{
			ClientRuntime runtime = new StillRuntime();
			LockEvents events = new LockEvents(List.of(), LockClock.system(), runtime::daemons);
			this.phase = new ClientLifecycle(runtime, (threads) -> new ClientLoop(null, LockClock.system(),
					threads.renewals(), events, List.of(), new ReleaseRequestPoller(null, events), runtime));
		}

	}

	/** It is used for the first time as it is stopped. */
	public static class OfFirst extends Client {

		@Operation
		public void startIfNew() {
			this.phase.startIfNew();
		}

		@Operation
		public boolean isRunning() {
			return this.phase.isRunning();
		}

		@Operation
		public void stop() {
			this.phase.stop();
		}

	}

	/** Requests begin while it is started and stopped. */
	public static class OfRequests extends Client {

		@Operation
		public void start() {
			this.phase.start();
		}

		@Operation
		public void close() {
			this.phase.close();
		}

		@Operation
		public boolean beginClaim() {
			return this.phase.beginClaim();
		}

		@Operation
		public boolean beginRequest() {
			return this.phase.beginRequest();
		}

		@Operation
		public boolean isClosed() {
			return this.phase.isClosed();
		}

		@Operation
		public void stop() {
			this.phase.stop();
		}

	}

	/** Claims begin and end while it is stopped, which waits for them. */
	public static class OfWait extends Client {

		private final AtomicInteger underway = new AtomicInteger();

		private volatile boolean stopped;

		{
			this.phase.start();
		}

		@Operation
		public void claim() {
			if (this.phase.beginClaim()) {
				this.underway.incrementAndGet();
				require(!this.stopped);
				this.underway.decrementAndGet();
				this.phase.endRequest();
			}
		}

		@Operation(runOnce = true)
		public void stop() {
			this.phase.stop();
			this.phase.awaitRequests(Duration.ofMinutes(1));
			require(this.underway.get() == 0);
			this.stopped = true;
		}

		private static void require(boolean holds) {
			if (!holds) {
				throw new AssertionError("underway after the stop");
			}
		}

	}

}
