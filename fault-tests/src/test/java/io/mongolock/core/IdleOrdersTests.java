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
import io.mongolock.core.AcquisitionStep.LostOnTheWay;
import io.mongolock.faults.harness.ThreadOrders;
import io.mongolock.linger.IdleLeases;
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

	private static boolean handOn(ClientQueues client, HeldLock held) {
		return client.pass(held, CoreParts.NOW, (successor) -> {
		}, () -> {
		});
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
				new QueuePlaces(Duration.ofSeconds(6), QueuePlaces.MAX_PLACES, (bound) -> 0), () -> true);

		private final IdleLeases idle = new IdleLeases(this.client, (held) -> handOn(this.client, held));

		private final Attempt attempt = CoreParts.attempt("a", LINGER);

		/** Whether the store has granted it. */
		private volatile boolean granted;

		private volatile boolean recalled;

		{
			this.client.linger(this.idle);
			this.idle.keep(CoreParts.held(CoreParts.attempt("before", Duration.ZERO), 1, (lost) -> {
			}), CoreParts.at(0), () -> {
			});
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
			boolean rests = this.idle.keep(held, CoreParts.NOW, () -> {
			});
			require(!rests || !wanted, "kept though others want it");
		}

		@Operation(runOnce = true)
		public void recall() {
			if (this.granted) {
				this.idle.recall(this.attempt.id());
				this.recalled = true;
			}
		}

		@Validate
		public void aRecalledLeaseIsNotIdle() {
			require(!this.recalled || this.client.idle().isEmpty(), "idle though others want it");
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
				new QueuePlaces(Duration.ofSeconds(6), QueuePlaces.MAX_PLACES, (bound) -> 0), () -> true);

		private final IdleLeases idle = new IdleLeases(this.client, this::handOn);

		/** Whose token stands in the store. */
		private final AtomicReference<String> stored = new AtomicReference<>("first");

		private final AtomicInteger fences = new AtomicInteger(1000);

		private final AtomicInteger working = new AtomicInteger();

		private final HeldLock first;

		private final Comer a = new Comer("a");

		private final Comer b = new Comer("b");

		private volatile boolean recalled;

		{
			this.client.linger(this.idle);
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
			this.idle.recall(this.first.id());
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
			this.idle.due(false, CoreParts.NOW).forEach(this::free);
		}

		private boolean handOn(HeldLock idle) {
			boolean wanted = this.recalled && idle.id().equals(this.first.id());
			boolean handed = IdleOrdersTests.handOn(this.client, idle);
			require(!handed || !wanted, "taken though others want it");
			return handed;
		}

		private void free(HeldLock idle) {
			this.stored.compareAndSet(idle.id().leaseToken(), null);
			this.client.wakeNext(idle);
		}

		// As the client does
		private void release(HeldLock held) {
			if (!this.idle.keep(held, CoreParts.NOW, () -> {
			})) {
				held.state().release(CoreParts.NOW);
				free(held);
			}
		}

		@Validate
		public void waitersAreServedAndNothingIsLeft() {
			require(!this.recalled
					|| this.client.idle().stream().noneMatch((idle) -> idle.id().equals(this.first.id())),
					"idle though others want it");
			done();
			this.idle.stop().forEach(this::free);
			this.a.goOn();
			this.idle.stop().forEach(this::free);
			this.b.goOn();
			this.idle.stop().forEach(this::free);
			this.a.goOn();
			this.idle.stop().forEach(this::free);
			require(!this.a.waits && !this.b.waits, "waits for ever");
			require(this.client.idle().isEmpty() && this.queues.holders("k").isEmpty() && this.queues.waiting("k") == 0,
					"left behind");
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
				goOn(this.acquisition.begin(this, CoreParts.NOW));
				goOn();
			}

			private void goOn() {
				if (this.turn && this.waits) {
					this.turn = false;
					goOn(this.acquisition.turn(CoreParts.NOW));
				}
			}

			private void goOn(AcquisitionStep begun) {
				AcquisitionStep step = begun;
				if (step instanceof LostOnTheWay lost) {
					release(lost.unwanted());
					step = lost.next();
				}
				while (step instanceof Ask) {
					this.acquisition.send(CoreParts.NOW);
					step = this.acquisition.answered(ask(), CoreParts.NOW);
				}
				this.waits = !(step instanceof Granted);
				if (step instanceof Granted granted) {
					work(granted.held());
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
