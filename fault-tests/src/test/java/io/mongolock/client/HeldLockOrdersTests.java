package io.mongolock.client;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.mongolock.LockLostException;
import io.mongolock.core.ClientQueues;
import io.mongolock.core.CoreParts;
import io.mongolock.core.HandOver;
import io.mongolock.core.HeldLock;
import io.mongolock.core.QueuePlaces;
import io.mongolock.event.LockEvents;
import io.mongolock.faults.harness.ThreadOrders;
import io.mongolock.store.LeaseEnd;
import io.mongolock.store.LockStore;
import io.mongolock.store.ReleaseAnswer;

/**
 * Tests for {@link HoldRegistry}, on several threads: renewals, losses and ends of a hold
 * meet, and the client stops.
 */
@Tag("orders")
class HeldLockOrdersTests {

	@Test
	void aLockIsReleasedOnceAndNothingIsKeptOfItThoughItIsRenewedOrLost() {
		ThreadOrders.check(OfRenewals.class, 3);
	}

	@Test
	void aLockIsReleasedOnceAndNothingIsKeptOfItThoughAStatementMayEndIt() {
		ThreadOrders.check(OfStatements.class, 3);
	}

	/** A lock that two rely on. */
	public abstract static class Shared extends Client {

		final HeldLock held = granted("first");

		private final AtomicInteger left = new AtomicInteger(2);

		protected Shared() {
			this.held.state().add();
		}

		@Operation(runOnce = true)
		public void close() {
			leave();
		}

		@Operation(runOnce = true)
		public void closeOther() {
			leave();
		}

		private void leave() {
			try {
				this.holds.unshare(this.held);
			}
			catch (LockLostException ex) {
				// Lost meanwhile
			}
			this.left.decrementAndGet();
		}

		@Validate
		public void nothingIsLeft() {
			require(this.released.get() <= 1, "released " + this.released.get() + " times");
			if (this.left.get() == 0) {
				requireNothing();
			}
		}

	}

	/** Renewals and losses meet its end. */
	public static class OfRenewals extends Shared {

		@Operation
		public void renew() {
			this.holds.renew(this.held);
		}

		@Operation(runOnce = true)
		public void isGone() {
			this.held.renewed(false, CoreParts.at(0), CoreParts.at(0));
		}

	}

	/** Statements that may end it meet its end. */
	public static class OfStatements extends Shared {

		@Operation(runOnce = true, nonParallelGroup = "statement")
		public void statement() {
			this.holds.suspend(this.held);
			try {
				this.holds.resume(this.held);
			}
			catch (LockLostException ex) {
				// Lost meanwhile, and this was the last one
			}
		}

		@Operation(runOnce = true, nonParallelGroup = "statement")
		public void statementThatEndsIt() {
			this.holds.suspend(this.held);
			this.holds.endedByOthers(this.held, LeaseEnd.RELEASED);
		}

	}

	/** A client whose threads never start, on a store that answers at once. */
	abstract static class Client {

		final AtomicInteger released = new AtomicInteger();

		final ClientQueues queues = new ClientQueues(
				new QueuePlaces(Duration.ofSeconds(6), QueuePlaces.MAX_PLACES, (bound) -> 0), () -> true);

		final ClientLifecycle phase;

		final HoldRegistry holds;

		Client() {
			ClientRuntime runtime = new StillRuntime();
			StillClock clock = new StillClock();
			LockEvents events = new LockEvents(List.of(), clock, runtime::daemons);
			LockStore store = (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(),
					new Class<?>[] { LockStore.class }, (proxy, method, arguments) -> answer(method.getName()));
			this.phase = new ClientLifecycle(runtime, (threads) -> new ClientLoop(store, clock, Runnable::run, events,
					List.of(), new ReleaseRequestPoller(store, events), runtime));
			this.phase.start();
			ReleaseSender sender = new ReleaseSender(store, clock, this.phase);
			LockReleaser releaser = new LockReleaser(store, clock, events, this.phase, sender,
					new OrphanReleaser(store, clock, this.phase, sender), new StopRequests(new ClientRuntime()));
			this.holds = new HoldRegistry(clock, this.queues, this.phase, releaser, events,
					new HandOver(Duration.ofSeconds(5), 100), runtime);
		}

		private Object answer(String request) {
			return switch (request) {
				case "renew" -> true;
				case "release" -> {
					this.released.incrementAndGet();
					yield new ReleaseAnswer(true, false);
				}
				case "releaseAll" -> 1;
				// The model checker asks that
				case "equals" -> false;
				case "hashCode" -> 0;
				default -> throw new UnsupportedOperationException(request);
			};
		}

		HeldLock granted(String token) {
			HeldLock held = CoreParts.held(CoreParts.attempt(token, Duration.ZERO), 1, this::lost);
			this.holds.granted(held);
			return held;
		}

		private void lost(HeldLock lost) {
			this.holds.lost(lost);
		}

		void requireNothing() {
			require(this.holds.size() == 0, "still held");
		}

		static void require(boolean holds, String otherwise) {
			if (!holds) {
				throw new AssertionError(otherwise);
			}
		}

	}

}
