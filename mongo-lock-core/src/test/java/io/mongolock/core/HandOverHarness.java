package io.mongolock.core;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.core.AcquisitionStep.Granted;
import io.mongolock.store.Claim;
import io.mongolock.store.StoredHolder;

/**
 * The lock of one key in one JVM, with its holder and waiters, and no store: what would
 * be asked of one is written down. Ttl 30 s, margin 6 s, wait 5 s.
 */
final class HandOverHarness {

	static final LockOwner OWNER = new LockOwner("app", "1", "host", 42, "");

	final LocalWaitQueues<LocalWaiter, HeldLock> queues = new LocalWaitQueues<>();

	/** Turns, losses and releases. */
	final List<String> log = new ArrayList<>();

	final HandOver handOver;

	private final ClientQueues client = new ClientQueues(this.queues,
			new QueuePlaces(Duration.ofSeconds(6), QueuePlaces.MAX_PLACES, (bound) -> 0), () -> true);

	HandOverHarness(HandOver handOver) {
		this.handOver = handOver;
	}

	/**
	 * A lock that the store granted at 0, with fence 100 and a reserve for the turn.
	 */
	HeldLock granted(boolean unknown) {
		return granted(LockRequest.of("k"), this.handOver.reserve(), unknown);
	}

	HeldLock granted() {
		return granted(false);
	}

	HeldLock granted(LockRequest request, int reserve, boolean unknown) {
		return granted(request, reserve, unknown, false);
	}

	HeldLock granted(LockRequest request, int reserve, boolean unknown, boolean contended) {
		Waiter first = waiter("first", request);
		first.begin();
		StoredHolder entry = new StoredHolder("first", 100, ConfiguredSettings.NONE.limit(request),
				OWNER.onThread("first"), Instant.EPOCH, Instant.EPOCH, first.acquisition.attempt().terms().ttl());
		HeldLock heldLock = new HeldLock(first.acquisition.attempt(),
				new Grant(entry, reserve, at(0), unknown, false, contended, null), null, at(0), this::lost);
		this.queues.granted("k", first.acquisition, heldLock);
		return heldLock;
	}

	private void lost(HeldLock lost) {
		this.log.add("lost by " + lost.toHolder(at(0)).owner().thread() + " " + lost.lossReason());
		this.client.wakeNext(lost);
	}

	/**
	 * Somebody who waits behind all others.
	 */
	Waiter waiting(String name) {
		return waiting(name, LockRequest.of("k"));
	}

	Waiter waiting(String name, LockRequest request) {
		Waiter waiter = waiter(name, request);
		waiter.begin();
		return waiter;
	}

	private Waiter waiter(String name, LockRequest request) {
		Attempt attempt = Attempt.of(request, name, OWNER, name, ConfiguredSettings.NONE, at(0));
		return new Waiter(name, new LockAcquisition(this.client, attempt, this.handOver.reserve(), this::lost));
	}

	/**
	 * The holder lets go, as the client has it do.
	 */
	boolean release(HeldLock heldLock, long now) {
		boolean passed = pass(heldLock, now);
		if (!passed) {
			this.log.add("released");
			heldLock.state().release(at(now));
			this.client.wakeNext(heldLock);
		}
		return passed;
	}

	private boolean pass(HeldLock heldLock, long now) {
		return this.handOver.pass(heldLock, this.client, at(now), (successor) -> {
		}, () -> {
		});
	}

	static LockRequest asking(LockSettings.Builder settings) {
		return LockRequest.builder("k").settings(settings.build()).build();
	}

	static LockSettings.Builder settings() {
		return LockSettings.builder();
	}

	static HandOver atMost(long millis, int count) {
		return new HandOver(Duration.ofMillis(millis), count);
	}

	static ClockReading at(long millis) {
		return new ClockReading(millis * 1_000_000, millis);
	}

	final class Waiter implements LockAcquisition.Caller {

		final String name;

		final LockAcquisition acquisition;

		@Nullable AcquisitionStep step;

		private Waiter(String name, LockAcquisition acquisition) {
			this.name = name;
			this.acquisition = acquisition;
		}

		void begin() {
			this.step = this.acquisition.begin(this, this.acquisition.attempt().begun());
		}

		Claim claim() {
			return Objects.requireNonNull(this.acquisition.send(at(1)));
		}

		@Override
		public void turn() {
			this.step = this.acquisition.turn(at(1));
			HandOverHarness.this.log.add(this.name + ((this.step instanceof Granted) ? " holds" : " asks"));
		}

		@Override
		public void stop() {
			throw new UnsupportedOperationException();
		}

		/**
		 * What it holds, which it must.
		 */
		HeldLock held() {
			return ((Granted) Objects.requireNonNull(this.step)).held();
		}

	}

}
