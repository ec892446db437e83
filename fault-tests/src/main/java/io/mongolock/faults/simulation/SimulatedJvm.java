package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.LossReason;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.HandOver;
import io.mongolock.core.HeldLock;
import io.mongolock.core.LockAcquisition;
import io.mongolock.core.ReleaseDecision.ReleaseOutcome;
import io.mongolock.event.LockInstrumentation;
import io.mongolock.faults.simulation.Coverage.Event;
import io.mongolock.faults.simulation.SimulatedCall.Kind;
import io.mongolock.faults.simulation.SimulatedCall.Request;
import io.mongolock.store.LeaseId;

/**
 * One JVM with the product's own client in it, whose threads stand still here and there.
 */
final class SimulatedJvm extends SimulatedProcess implements LockClock, LockInstrumentation {

	private static final LockOwner OWNER = new LockOwner("simulation", "", "", 0, "");

	private final Batons batons;

	private final SimulatedStore store;

	private final boolean standsStill;

	private final boolean disturbed;

	final HandOver handOver;

	final LockTemplate client;

	private int attempts;

	/** Whether a stop has ended, and no start followed. */
	private boolean stopped;

	private long stoppedAt;

	/** Whether it takes no claims now. */
	boolean restarts;

	/** When it was first seen to take none. */
	private long stopsAt = -1;

	private @Nullable Runnable restart;

	private int working;

	SimulatedJvm(String name, Timeline timeline, SimulatedNetwork network, SimulatedServers servers, Judge judge,
			HandOver handOver, Duration placeTtl, Batons batons, boolean standsStill, boolean disturbed) {
		super(name, timeline, judge);
		this.batons = batons;
		this.standsStill = standsStill;
		this.disturbed = disturbed;
		this.handOver = handOver;
		this.store = new SimulatedStore(this, network, servers, batons);
		this.client = new SimulatedRuntime(batons, this).client(this.store, OWNER, this, this, handOver, placeTtl);
	}

	void start(Runnable task) {
		this.batons.start(this, task);
	}

	@Override
	public long nanoTime() {
		mayStandStill();
		if (this.restarts && this.stopsAt < 0 && !this.client.isRunning()) {
			this.stopsAt = this.timeline.now();
		}
		return now().nanos();
	}

	@Override
	public long currentTimeMillis() {
		return now().millis();
	}

	// Mostly for as long as a message takes
	private void mayStandStill() {
		if (this.standsStill && Thread.currentThread() instanceof BatonThread thread && thread.process == this
				&& this.timeline.chance(0.02)) {
			boolean stalls = thread.stalls && this.timeline.chance(0.02);
			this.judge.count(Event.STOOD_STILL);
			this.batons.standStill(this.timeline.between(0, (stalls) ? 500_000_000 : 2_000_000));
		}
	}

	// A token of its own for the attempt that the thread is about to make
	String begins() {
		BatonThread thread = Batons.current();
		String token = this.name + "." + ++this.attempts;
		SimulatedErrand errand = Objects.requireNonNull(thread.errand);
		LeaseHistory history = this.judge.histories.begins(new LeaseId(errand.request().key(), token), this,
				errand.terms(), errand.limit(), errand.last());
		Violation.check(thread.history == null, Violation.Kind.OUTCOME,
				() -> thread.history + " claims anew what it holds as " + history);
		thread.history = history;
		history.wants = thread;
		return token;
	}

	void sends(Request<?> request) {
		// About to send, a thread may stand still for longer than a stop may take
		BatonThread thread = Batons.current();
		boolean stoodStill = thread.stillFrom <= this.stoppedAt && this.stoppedAt <= thread.stillUntil;
		thread.stillUntil = -1;
		Violation.check(!this.stopped || stoodStill, Violation.Kind.STOPPED,
				() -> this.name + " sends " + request.kind() + " after it was stopped");
		boolean ends = request.kind() == Kind.RELEASE || request.kind() == Kind.KEEP;
		for (LeaseId id : (ends) ? request.ids() : List.<LeaseId>of()) {
			this.judge.histories.of(id.leaseToken()).releaseAsked = true;
		}
	}

	void fails(Kind kind) {
		if (kind == Kind.RENEW) {
			this.judge.count(Event.RENEWAL_UNKNOWN);
		}
		else if (kind == Kind.RELEASE) {
			this.judge.count(Event.RELEASE_UNKNOWN);
		}
	}

	// Stop while something else happens, or before long
	void restartSoon(Runnable restart) {
		this.restarts = true;
		this.restart = restart;
		after(this.timeline.between(0, 500_000_000), this::restart);
	}

	private void restart() {
		Runnable restart = this.restart;
		this.restart = null;
		if (restart != null) {
			start(restart);
		}
	}

	// Where the client calls out, its thread may be held up, by a stop among others
	private void calledOut() {
		if (this.restart != null && this.timeline.chance(0.3)) {
			restart();
			this.batons.standStill(this.timeline.between(0, 10_000_000));
		}
		else {
			mayStandStill();
		}
	}

	@Override
	public void attempting(Object attempt, LockRequest request) {
		calledOut();
	}

	@Override
	public Scope asking(Object attempt) {
		calledOut();
		return Scope.NONE;
	}

	@Override
	public void queued(Object attempt) {
		calledOut();
	}

	@Override
	public void woken(Object attempt) {
		calledOut();
	}

	@Override
	public void granted(Object attempt, LockRequest request, LockHandle handle) {
		calledOut();
	}

	// As an application that is deployed anew, but with its memory
	void restart(long budget, long pause, Runnable onStopped) {
		this.judge.event(this.name, "stops", Event.STOPPED);
		this.wasStopped = true;
		this.client.stop(Duration.ofNanos(budget));
		this.judge.event(this.name, "has stopped", null);
		this.stopped = true;
		this.stoppedAt = this.timeline.now();
		this.judge.histories.all().stream().filter((history) -> history.client == this).forEach(this::notified);
		onStopped.run();
		this.batons.sleep(pause);
		this.stopped = false;
		this.client.start();
		this.restarts = false;
		this.stopsAt = -1;
	}

	// At the very moment of the grant some do not want the lock any more
	@Override
	public void attempted(Object attempt, LockRequest request, AttemptOutcome outcome,
			@Nullable LockStoreException failure, Duration waited) {
		this.judge.event(this.name, "attempt ends " + outcome, null);
		LeaseHistory history = this.judge.histories.of(((LockAcquisition) attempt).attempt().id().leaseToken());
		BatonThread wants = history.wants;
		if (outcome == AttemptOutcome.GRANTED && wants != null && this.disturbed && !history.last
				&& this.timeline.chance(0.03)) {
			this.timeline.after(this.timeline.between(0, 200_000), () -> {
				if (wants.history == history) {
					this.judge.count(Event.UNWANTED_AT_THE_GRANT);
					wants.interrupt();
				}
			});
		}
	}

	@Override
	public void lost(LockHandle handle, LockRequest request, LossReason reason) {
		if (reason == LossReason.REFUSED) {
			this.judge.histories.all()
				.stream()
				.filter((history) -> history.heldLock != null && history.id.key().equals(handle.key())
						&& history.heldLock.fence() == handle.fence())
				.forEach(this.store::checkGone);
		}
		this.judge.notifiedOfLoss(handle.key(), handle.fence());
	}

	@Override
	public void ended(LockHandle handle, LockRequest request, ReleaseOutcome outcome, Duration heldFor) {
		if (Thread.currentThread() instanceof BatonThread thread && thread.history != null) {
			this.judge.outcome(thread.history, outcome);
		}
	}

	// A thread of the application, which has to come to its end
	void startWork(Runnable work) {
		this.working++;
		start(() -> {
			work.run();
			this.working--;
		});
	}

	boolean isAtRest() {
		return isCrashed() || this.client.waiting() == 0 && this.working == 0;
	}

	// Nothing is held between a stop and the next start
	void notified(LeaseHistory history) {
		Violation.check(!this.stopped || history.relied() == 0, Violation.Kind.STOPPED,
				() -> history + " is held although its client was stopped");
		HeldLock held = history.heldLock;
		if (held != null && held.isHandedOver() && this.stopsAt >= 0 && !wasSuspended()) {
			long at = this.timeline.now() - held.heldFor(now()).toNanos();
			Violation.check(at <= this.stopsAt, Violation.Kind.STOPPED,
					() -> history + " was handed over while its client stopped");
		}
	}

}
