package io.mongolock.core;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.mongolock.core.AcquisitionStep.Ask;
import io.mongolock.core.AcquisitionStep.Granted;
import io.mongolock.faults.harness.ThreadOrders;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;

/**
 * Tests for {@link IdleLeases} with their {@link LocalWaitQueues}, on several threads: a
 * lease becomes idle, is taken, recalled, lost and released; and is recalled before its
 * grant is known.
 */
@Tag("orders")
class IdleOrdersTests {

	private static final Duration LINGER = Duration.ofSeconds(2);

	@Test
	void anIdleLeaseIsTakenOrReleasedOnceAndKeepsNobodyWaiting() {
		ThreadOrders.check(OfIdle.class, 3, 3, 2);
	}

	@Test
	void aRecallThatComesBeforeTheGrantIsKnownIsNotForgotten() {
		ThreadOrders.checkBeside(OfGrant.class, 500);
	}

	private static void require(boolean holds, String otherwise) {
		if (!holds) {
			throw new AssertionError(otherwise);
		}
	}

	/**
	 * One JVM, one of whose threads is granted the lock and is done with it, and another
	 * hears of a recall.
	 */
	public static class OfGrant {

		private final ClientQueues client = new ClientQueues(
				new QueuePlaces(Duration.ofSeconds(6), QueuePlaces.MAX_PLACES, (bound) -> 0));

		private final Attempt attempt = CoreParts.attempt("a", LINGER);

		/** Whether the store has granted it. */
		private volatile boolean granted;

		private volatile boolean recalled;

		{
			this.client.idle().released(CoreParts.held(CoreParts.attempt("before", LINGER), 1, (lost) -> {
			}), CoreParts.at(0));
		}

		@Operation(runOnce = true)
		public void claim() {
			LockAcquisition acquisition = new LockAcquisition(this.client, this.attempt, 100, this.client::wakeNext);
			require(acquisition.begin(new Alone(), CoreParts.NOW) instanceof Ask, "does not ask");
			acquisition.send(CoreParts.NOW);
			this.granted = true;
			StoredHolder entry = CoreParts.entry("a", 1000);
			StoredLock lock = new StoredLock("k", List.of(entry), List.of(), List.of(), 1100, Instant.EPOCH);
			HeldLock held = ((Granted) acquisition.answered(new ClaimAnswer(lock), CoreParts.NOW)).held();
			boolean wanted = this.recalled;
			boolean rests = this.client.idle().keepIdle(held, CoreParts.NOW, () -> {
			});
			require(!rests || !wanted, "kept though others want it");
		}

		@Operation(runOnce = true)
		public void recall() {
			if (this.granted) {
				this.client.idle().recalled(this.attempt.id());
				this.recalled = true;
			}
		}

		@Validate
		public void aRecalledLeaseIsNotIdle() {
			require(!this.recalled || this.client.idle().all().isEmpty(), "idle though others want it");
		}

	}

	/** Nobody else of its JVM wants the lock. */
	private static final class Alone implements LockAcquisition.Caller {

		@Override
		public void turn() {
		}

		@Override
		public void stop() {
		}

	}

	/** One JVM, one of whose threads holds the lock, and the entry in the store. */
	public static class OfIdle {

		private final LocalWaitQueues<LocalWaiter, HeldLock> queues = new LocalWaitQueues<>();

		private final ClientQueues client = new ClientQueues(this.queues,
				new QueuePlaces(Duration.ofSeconds(6), QueuePlaces.MAX_PLACES, (bound) -> 0));

		/** Whose token stands in the store. */
		private final AtomicReference<String> stored = new AtomicReference<>("first");

		private final AtomicInteger fences = new AtomicInteger(1000);

		private final AtomicInteger working = new AtomicInteger();

		private final HeldLock first;

		private final Comer a = new Comer("a");

		private final Comer b = new Comer("b");

		private volatile boolean recalled;

		{
			Comer holder = new Comer("first");
			holder.acquisition.begin(holder, CoreParts.at(0));
			this.first = CoreParts.held(holder.acquisition.attempt(), 1, this.client::wakeNext);
			this.queues.granted("k", holder.acquisition, this.first);
		}

		@Operation(runOnce = true)
		public void done() {
			release(this.first);
		}

		@Operation(runOnce = true)
		public void comesA() {
			this.a.come();
		}

		@Operation(runOnce = true)
		public void comesB() {
			this.b.come();
		}

		@Operation(runOnce = true)
		public void recall() {
			this.client.idle().recalled(this.first.id());
			this.recalled = true;
		}

		@Operation(runOnce = true)
		public void lose() {
			if (this.stored.compareAndSet("first", null)) {
				this.first.renewed(false, CoreParts.NOW, CoreParts.NOW);
			}
		}

		@Operation(nonParallelGroup = "watch")
		public void watch() {
			this.client.idle().due(false, CoreParts.NOW).forEach(this::free);
		}

		private void free(HeldLock idle) {
			this.stored.compareAndSet(idle.id().leaseToken(), null);
			this.client.wakeNext(idle);
		}

		// As the client does
		private void release(HeldLock held) {
			if (!this.client.idle().keepIdle(held, CoreParts.NOW, () -> {
			})) {
				held.state().release(CoreParts.NOW);
				free(held);
			}
		}

		@Validate
		public void waitersAreServedAndNothingIsLeft() {
			require(!this.recalled
					|| this.client.idle().all().stream().noneMatch((idle) -> idle.held().id().equals(this.first.id())),
					"idle though others want it");
			done();
			this.client.idle().takeAll().forEach(this::free);
			this.a.goOn();
			this.client.idle().takeAll().forEach(this::free);
			this.b.goOn();
			this.client.idle().takeAll().forEach(this::free);
			this.a.goOn();
			this.client.idle().takeAll().forEach(this::free);
			require(!this.a.waits && !this.b.waits, "waits for ever");
			require(this.client.idle().all().isEmpty() && this.queues.present("k").isEmpty()
					&& this.queues.waiting("k") == 0, "left behind");
			require(this.stored.get() == null, "still stored");
		}

		/** Wants the lock. */
		private final class Comer implements LockAcquisition.Caller {

			private final LockAcquisition acquisition;

			private volatile boolean turn;

			private volatile boolean waits;

			private Comer(String name) {
				this.acquisition = new LockAcquisition(OfIdle.this.client, CoreParts.attempt(name, LINGER), 100,
						OfIdle.this.client::wakeNext);
			}

			private void come() {
				boolean wanted = OfIdle.this.recalled;
				goOn(this.acquisition.begin(this, CoreParts.NOW), wanted);
				goOn();
			}

			private void goOn() {
				if (this.turn && this.waits) {
					this.turn = false;
					goOn(this.acquisition.turn(CoreParts.NOW), OfIdle.this.recalled);
				}
			}

			private void goOn(AcquisitionStep begun, boolean wanted) {
				AcquisitionStep step = begun;
				while (step instanceof Ask) {
					this.acquisition.send(CoreParts.NOW);
					step = this.acquisition.answered(ask(), CoreParts.NOW);
				}
				this.waits = !(step instanceof Granted);
				if (step instanceof Granted granted) {
					HeldLock held = granted.held();
					require(!wanted || !held.id().equals(OfIdle.this.first.id()), "taken though others want it");
					work(held);
				}
			}

			private ClaimAnswer ask() {
				String token = this.acquisition.attempt().id().leaseToken();
				if (!OfIdle.this.stored.compareAndSet(null, token)) {
					throw new AssertionError("asks while it is held in this JVM");
				}
				StoredHolder entry = CoreParts.entry(token, OfIdle.this.fences.addAndGet(1000));
				return new ClaimAnswer(
						new StoredLock("k", List.of(entry), List.of(), List.of(), entry.fence() + 100, Instant.EPOCH));
			}

			private void work(HeldLock held) {
				require(OfIdle.this.working.incrementAndGet() == 1, "two work");
				OfIdle.this.working.decrementAndGet();
				release(held);
			}

			@Override
			public void turn() {
				this.turn = true;
			}

			@Override
			public void stop() {
			}

		}

	}

}
