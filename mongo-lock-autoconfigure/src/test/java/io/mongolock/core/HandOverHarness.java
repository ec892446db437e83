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
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;

/**
 * The lock of one key in one JVM, with whoever holds and waits for it, and no store: what
 * would be asked of one is written down. Ttl 30 s, margin 6 s, wait 5 s.
 */
final class HandOverHarness {

	static final LockOwner OWNER = new LockOwner("app", "1", "host", 42, "");

	final LocalWaitQueues<LockAcquisition, HeldLock> queues = new LocalWaitQueues<>();

	/** Turns, losses and releases. */
	final List<String> log = new ArrayList<>();

	final HandOver handOver;

	private final ClientQueues client = new ClientQueues(this.queues, new QueuePlaces(Duration.ofSeconds(6)),
			this::lost, (bound) -> 0);

	/** Whether the store finds what it is asked to lengthen. */
	boolean finds = true;

	/** How many milliseconds its answer to that takes. */
	long answersIn = 5;

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
		StoredHolder entry = new StoredHolder("first", 100, LockDefaults.NONE.limit(request), OWNER.onThread("first"),
				Instant.EPOCH, Instant.EPOCH, first.acquisition.terms().ttl());
		HeldLock heldLock = new HeldLock(first.acquisition, new Grant(entry, reserve, at(0), unknown, contended), null,
				at(0), this::lost);
		this.queues.granted("k", first.acquisition, heldLock);
		return heldLock;
	}

	private void lost(HeldLock lost) {
		this.log.add("lost by " + lost.toHolder(at(0)).owner().thread() + " " + lost.lossReason());
		ClientQueues.released(this.queues, lost);
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
		ResolvedLockSettings terms = ResolvedLockSettings.of(request.settings());
		Claim claim = Claim.of(new LeaseId("k", name), OWNER.onThread(name), terms.ttl())
			.withLimit(LockDefaults.NONE.limit(request))
			.withReserve(this.handOver.reserve());
		return new Waiter(name, new LockAcquisition(this.client, request, claim, terms, at(0)));
	}

	/**
	 * The holder lets go, as the client has it do.
	 */
	boolean release(HeldLock heldLock, long now) {
		boolean passed = pass(heldLock, now) || lengthen(heldLock, now) && pass(heldLock, now + this.answersIn);
		if (!passed) {
			this.log.add("released");
			heldLock.ending().release(at(now));
			ClientQueues.released(this.queues, heldLock);
		}
		return passed;
	}

	private boolean pass(HeldLock heldLock, long now) {
		return this.handOver.pass(heldLock, this.queues, at(now), (successor) -> {
		}, () -> {
		});
	}

	private boolean lengthen(HeldLock heldLock, long now) {
		Duration ttl = this.handOver.longerTtl(heldLock, this.queues, at(now));
		if (ttl == null) {
			return false;
		}
		this.log.add("lengthened to " + ttl.toSeconds() + "s");
		heldLock.lengthens(ttl);
		return heldLock.lengthened(this.finds, ttl, at(now), at(now + this.answersIn));
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
			this.step = this.acquisition.begin(this);
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
