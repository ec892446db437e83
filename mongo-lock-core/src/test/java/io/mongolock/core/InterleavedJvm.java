package io.mongolock.core;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.core.AcquisitionStep.Ask;
import io.mongolock.core.AcquisitionStep.Cancelled;
import io.mongolock.core.AcquisitionStep.Granted;
import io.mongolock.core.AcquisitionStep.LostOnTheWay;
import io.mongolock.core.AcquisitionStep.Wait;
import io.mongolock.core.Interleavings.Scenario;
import io.mongolock.linger.IdleLeases;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One JVM, which holds the lock by a grant with fence 1, and the entry in the store. What
 * its threads do pauses wherever another may go on instead.
 */
final class InterleavedJvm {

	private static final int NOW = 100;

	private static final int TOO_LATE = 10_000;

	private final Interleavings all;

	private final LockTerms terms;

	private final HandOver handOver = new HandOver(Duration.ofSeconds(5), 100);

	private final LocalWaitQueues<LocalWaiter, HeldLock> queues;

	private final ClientQueues client;

	private final IdleLeases idle;

	private final List<Object> monitors = new ArrayList<>();

	private final List<Long> fences = new ArrayList<>();

	private final List<String> served = new ArrayList<>();

	private final List<String> toServe = new ArrayList<>();

	/** The leases of which this JVM has heard that others want them. */
	private final Set<LeaseId> recalled = new HashSet<>();

	private boolean missed;

	/** Whether idle leases may have to be released. */
	private boolean work;

	private int going;

	private final Runnable onTaken;

	private final HeldLock first;

	private @Nullable String stored;

	private long fence;

	InterleavedJvm(Interleavings all) {
		this(all, Duration.ZERO, () -> {
		});
	}

	/**
	 * Create it with a lock whose lease may be idle.
	 * @param onTaken is run when somebody takes such a lease
	 */
	InterleavedJvm(Interleavings all, Duration linger, Runnable onTaken) {
		this.all = all;
		this.onTaken = onTaken;
		this.terms = LockTerms.of(LockSettings.builder().linger(linger).build());
		this.queues = new LocalWaitQueues<>(new PausingMap<>(this::pause));
		this.client = new ClientQueues(this.queues,
				new QueuePlaces(Duration.ofSeconds(6), QueuePlaces.MAX_PLACES, (bound) -> 0), () -> true);
		this.idle = new IdleLeases(this.client,
				(held) -> this.client.pass(held, HandOverHarness.at(NOW), this.monitors::add, () -> {
				}));
		this.client.linger(this.idle);
		this.idle.onWork(() -> this.work = true);
		Contender contender = new Contender(this, "first");
		contender.acquisition.begin(contender, contender.acquisition.attempt().begun());
		this.stored = "first";
		this.first = new HeldLock(contender.acquisition.attempt(),
				new Grant(entry("first"), 100, HandOverHarness.at(0), false, false, false,
						(linger.isZero()) ? null : new Recall(contender.acquisition.attempt())),
				null, HandOverHarness.at(NOW), this::lost);
		this.monitors.add(this.first);
		this.queues.granted("k", contender.acquisition, this.first);
	}

	Scenario scenario(Runnable... threads) {
		this.going = threads.length;
		return new Scenario(Stream.of(threads).map(this::thread).toList(), this::check);
	}

	private Runnable thread(Runnable work) {
		return () -> {
			work.run();
			this.going--;
		};
	}

	// A thread that has a monitor does not wait for others, which may want it
	private void pause() {
		if (this.monitors.stream().noneMatch(Thread::holdsLock)) {
			this.all.pause();
		}
	}

	private StoredHolder entry(String token) {
		this.fence++;
		StoredHolder entry = new StoredHolder(token, this.fence, 1, HandOverHarness.OWNER, Instant.EPOCH, Instant.EPOCH,
				Duration.ofSeconds(30));
		this.fence += 100;
		return entry;
	}

	private void lost(HeldLock lost) {
		this.client.wakeNext(lost);
	}

	Runnable patient(String name) {
		this.toServe.add(name);
		return attempt(name, (attempt, begun) -> attempt.awaitTurn(begun));
	}

	Runnable impatient(String name) {
		return attempt(name, (attempt, begun) -> attempt.timeOut(begun));
	}

	Runnable cancelled(String name) {
		return attempt(name, (attempt, begun) -> attempt.cancel());
	}

	private Runnable attempt(String name, BiFunction<Contender, AcquisitionStep, AcquisitionStep> manner) {
		Contender contender = new Contender(this, name);
		// In the queue before anything happens, in order
		AcquisitionStep begun = contender.acquisition.begin(contender, contender.acquisition.attempt().begun());
		return () -> end(contender, manner.apply(contender, begun));
	}

	// Comes after the release began, maybe
	Runnable late(String name) {
		this.toServe.add(name);
		Contender contender = new Contender(this, name);
		return () -> {
			this.all.pause();
			Set<LeaseId> wanted = Set.copyOf(this.recalled);
			AcquisitionStep begun = contender.acquisition.begin(contender, HandOverHarness.at(NOW));
			AcquisitionStep end = contender.awaitTurn(contender.ask(begun, NOW));
			if (end instanceof Granted granted && granted.held().wasIdle()) {
				this.onTaken.run();
				assertThat(wanted).doesNotContain(granted.held().id());
			}
			end(contender, end);
		};
	}

	private void end(Contender attempt, AcquisitionStep step) {
		if (step instanceof Granted granted) {
			this.served.add(attempt.name);
			this.monitors.add(granted.held());
			work(granted.held());
		}
		else if (step instanceof Cancelled cancelled && cancelled.unwanted() != null) {
			release(cancelled.unwanted());
		}
	}

	private void work(HeldLock heldLock) {
		List<HeldLock> holders = this.queues.holders("k");
		assertThat(holders.stream().filter(InterleavedJvm::isHeld)).hasSizeLessThanOrEqualTo(1);
		if (isHeld(heldLock)) {
			this.fences.add(heldLock.fence());
			assertThat(holders).contains(heldLock);
			assertThat(this.stored).isEqualTo(heldLock.id().leaseToken());
		}
		release(heldLock);
	}

	private static boolean isHeld(HeldLock heldLock) {
		return heldLock.lease().remaining(HandOverHarness.at(NOW)).compareTo(Duration.ZERO) > 0;
	}

	void release() {
		work(this.first);
	}

	// A call inside the locked section, on whatever thread
	void share() {
		this.all.pause();
		if (this.first.state().add()) {
			this.all.pause();
			assertThat(isHeld(this.first) || this.first.lossReason() != null).isTrue();
			letGo();
		}
	}

	void letGo() {
		this.all.pause();
		if (this.first.state().remove()) {
			release();
		}
	}

	// As the client does
	private void release(HeldLock heldLock) {
		if (heldLock.lingers() && this.idle.keep(heldLock, HandOverHarness.at(NOW), this.all::pause)) {
			return;
		}
		if (!this.handOver.pass(heldLock, this.client, HandOverHarness.at(NOW), this.monitors::add, () -> {
		})) {
			ReleaseDecision decision = heldLock.state().release(HandOverHarness.at(NOW));
			this.all.pause();
			if (decision.asks() && heldLock.id().leaseToken().equals(this.stored)) {
				this.stored = null;
			}
			this.client.wakeNext(heldLock);
		}
	}

	// Somebody removes what is stored, and a renewal for the first holder finds that
	void lose() {
		this.all.pause();
		if ("first".equals(this.stored)) {
			this.stored = null;
			this.first.renewed(false, HandOverHarness.at(NOW), HandOverHarness.at(NOW));
		}
	}

	// Another JVM waits for the first holder's entry
	void recall() {
		this.all.pause();
		LeaseId id = this.first.id();
		this.idle.recall(id);
		this.recalled.add(id);
	}

	// Another JVM waits for whoever has the entry, once for each that has. Counts those
	// of
	// which this JVM does not know yet that they have
	int recallAll() {
		int unknown = 0;
		Set<String> tokens = new HashSet<>();
		while (this.going > 2) {
			this.all.await(() -> this.going == 2 || this.stored != null && !tokens.contains(this.stored));
			if (this.stored != null && tokens.add(this.stored)) {
				LeaseId id = new LeaseId("k", this.stored);
				unknown += (this.queues.holders("k").stream().noneMatch((held) -> held.id().equals(id))) ? 1 : 0;
				this.idle.recall(id);
				this.recalled.add(id);
			}
		}
		return unknown;
	}

	// Anything may have been recalled unheard, as all was granted at this very moment
	void miss() {
		this.all.pause();
		this.idle.missed(HandOverHarness.at(NOW));
		this.missed = true;
	}

	// The watch, which releases idle leases for as long as anybody else does anything
	void keep() {
		while (this.work || this.going > 1) {
			this.all.await(() -> this.work || this.going == 1);
			this.work = false;
			this.idle.due(false, HandOverHarness.at(NOW)).forEach(this::free);
		}
	}

	private void free(HeldLock idle) {
		this.all.pause();
		if (idle.id().leaseToken().equals(this.stored)) {
			this.stored = null;
		}
		this.client.wakeNext(idle);
	}

	private ClaimAnswer ask(Claim claim) {
		if (this.stored != null) {
			return new ClaimAnswer(new StoredLock("k", List.of(), List.of(), List.of(), 0, Instant.EPOCH));
		}
		this.stored = claim.id().leaseToken();
		StoredHolder entry = entry(this.stored);
		return new ClaimAnswer(
				new StoredLock("k", List.of(entry), List.of(), List.of(), entry.fence() + 100, Instant.EPOCH));
	}

	private void check() {
		assertThat(this.client.idle()).as("idle though others want them")
			.noneMatch((idle) -> this.missed || this.recalled.contains(idle.id()));
		this.idle.stop().forEach(this::free);
		assertThat(this.served).containsAll(this.toServe);
		assertThat(this.fences).isSorted().doesNotHaveDuplicates();
		assertThat(this.queues.waiters()).isEmpty();
		assertThat(this.queues.holders("k")).isEmpty();
		assertThat(this.stored).isNull();
	}

	/**
	 * One thread that wants the lock.
	 */
	private static final class Contender implements LockAcquisition.Caller {

		private final InterleavedJvm jvm;

		private final String name;

		private final LockAcquisition acquisition;

		private boolean turn;

		private Contender(InterleavedJvm jvm, String name) {
			this.jvm = jvm;
			this.name = name;
			Attempt attempt = new Attempt(LockRequest.of("k"), new LeaseId("k", name), 1,
					HandOverHarness.OWNER.onThread(name), jvm.terms, HandOverHarness.at(0));
			this.acquisition = new LockAcquisition(jvm.client, attempt, 100, jvm::lost);
			jvm.monitors.add(this.acquisition.state);
		}

		@Override
		public void turn() {
			this.turn = true;
			this.jvm.pause();
		}

		@Override
		public void stop() {
			throw new UnsupportedOperationException();
		}

		private AcquisitionStep awaitTurn(AcquisitionStep begun) {
			AcquisitionStep step = begun;
			while (step instanceof Wait) {
				this.jvm.all.await(() -> this.turn);
				this.turn = false;
				step = ask(this.acquisition.turn(HandOverHarness.at(NOW)), NOW);
			}
			return step;
		}

		private AcquisitionStep timeOut(AcquisitionStep begun) {
			this.jvm.all.pause();
			boolean turn = this.turn;
			this.jvm.all.pause();
			return ask((turn) ? this.acquisition.turn(HandOverHarness.at(TOO_LATE))
					: this.acquisition.timer(HandOverHarness.at(TOO_LATE)), TOO_LATE);
		}

		private AcquisitionStep cancel() {
			this.jvm.all.pause();
			return this.acquisition.cancel();
		}

		// The store answers at once; what it denies is asked for again when it is free
		private AcquisitionStep ask(AcquisitionStep step, int now) {
			AcquisitionStep next = step;
			if (next instanceof LostOnTheWay lost) {
				this.jvm.release(lost.unwanted());
				next = lost.next();
			}
			while (next instanceof Ask) {
				Claim claim = Objects.requireNonNull(this.acquisition.send(HandOverHarness.at(now)));
				ClaimAnswer answer = this.jvm.ask(claim);
				this.jvm.all.pause();
				next = this.acquisition.answered(answer, HandOverHarness.at(now));
				if (next instanceof Granted granted) {
					this.jvm.monitors.add(granted.held());
				}
				if (next instanceof Wait) {
					this.jvm.all.await(() -> this.jvm.stored == null);
					next = this.acquisition.timer(HandOverHarness.at(now + 1));
				}
			}
			return next;
		}

	}

	private static final class PausingMap<V> extends ConcurrentHashMap<String, V> {

		private final transient Runnable pause;

		private PausingMap(Runnable pause) {
			this.pause = pause;
		}

		@Override
		public @Nullable V compute(String key, BiFunction<? super String, ? super V, ? extends @Nullable V> change) {
			this.pause.run();
			return super.compute(key, change);
		}

		@Override
		public @Nullable V computeIfPresent(String key,
				BiFunction<? super String, ? super V, ? extends @Nullable V> change) {
			this.pause.run();
			return super.computeIfPresent(key, change);
		}

	}

}
