package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.mongolock.core.ClockReading;
import io.mongolock.core.Grant;
import io.mongolock.core.HandOver;
import io.mongolock.core.HeldLock;
import io.mongolock.core.LocalWaitQueues;
import io.mongolock.core.LockAcquisition;
import io.mongolock.core.OrphanCleanup;
import io.mongolock.faults.simulation.SimulatedCall.Execution;
import io.mongolock.faults.simulation.SimulatedCall.Kind;
import io.mongolock.faults.simulation.SimulatedCall.Request;
import io.mongolock.store.LeaseId;

/**
 * One JVM: its clocks, its local queues, and whatever stops it. All its code runs by
 * {@link #run} and {@link #after}, which wait while it stands still.
 */
final class SimulatedClient {

	private final String name;

	private final Timeline timeline;

	private final SimulatedNetwork network;

	private final SimulatedServers servers;

	private final Judge judge;

	private final LocalWaitQueues<LockAcquisition, HeldLock> queues = new LocalWaitQueues<>();

	private final LockAcquisition.Client acquisitions;

	private final SimulatedLine line;

	private final List<HeldLock> lost = new ArrayList<>();

	private final SimulatedRenewals renewals;

	private final HandOver handOver;

	private boolean crashed;

	private boolean asksOldPrimary;

	private long frozenUntil;

	private long cutUntil;

	private long suspended;

	private long suspendedFrom = Long.MAX_VALUE;

	private long wallOffset;

	SimulatedClient(String name, Timeline timeline, SimulatedNetwork network, SimulatedServers servers, Judge judge,
			HandOver handOver, Duration placeTtl) {
		this.name = name;
		this.handOver = handOver;
		this.timeline = timeline;
		this.network = network;
		this.servers = servers;
		this.judge = judge;
		this.renewals = new SimulatedRenewals(this, timeline, judge);
		this.line = new SimulatedLine(this, timeline, judge, placeTtl);
		servers.watch(this.line);
		this.acquisitions = new LockAcquisition.Client(this.queues, this.line.places(), this::granted,
				(bound) -> timeline.between(0, bound));
	}

	String name() {
		return this.name;
	}

	/**
	 * Whether nobody waits here any more, as nobody wants a lock.
	 * @return whether all queues are empty, and no place in line is kept
	 */
	boolean isAtRest() {
		return this.crashed || (this.queues.waiters().isEmpty() && this.line.places().isEmpty());
	}

	LockAcquisition.Client acquisitions() {
		return this.acquisitions;
	}

	SimulatedRenewals renewals() {
		return this.renewals;
	}

	ClockReading now() {
		long nanos = Math.min(this.timeline.now(), this.suspendedFrom) - this.suspended;
		return new ClockReading(nanos, (this.timeline.now() + this.wallOffset) / 1_000_000);
	}

	/**
	 * Run something as soon as this client runs.
	 * @param action what
	 */
	void run(Runnable action) {
		after(0, action);
	}

	/**
	 * Run something after a while on this client's own clock.
	 * @param nanos how long
	 * @param action what
	 */
	void after(long nanos, Runnable action) {
		long due = now().nanos() + nanos;
		this.timeline.after(nanos, () -> wake(due, action));
	}

	private void wake(long due, Runnable action) {
		if (this.crashed) {
			return;
		}
		if (this.frozenUntil > this.timeline.now()) {
			// Whatever waited runs in any order
			this.timeline.at(this.frozenUntil + this.timeline.between(0, 1_000_000), () -> wake(due, action));
			return;
		}
		long early = due - now().nanos();
		if (early > 0) {
			this.timeline.after(early, () -> wake(due, action));
			return;
		}
		action.run();
		tellLost();
	}

	/**
	 * Ask the store.
	 * @param kind which statement
	 * @param id the lease it is about
	 * @param majority whether the answer waits for replication
	 * @param execution what the statement does
	 * @param <T> what is answered
	 * @return takes who waits for the answer
	 */
	<T> SimulatedAsk<T> ask(Kind kind, LeaseId id, boolean majority, Execution<T> execution) {
		return ask(new Request<>(kind, List.of(id), majority, this.judge.terms(id).operationTimeout(), execution));
	}

	/**
	 * Ask the store.
	 * @param request what
	 * @param <T> what is answered
	 * @return takes who waits for the answer
	 */
	<T> SimulatedAsk<T> ask(Request<T> request) {
		return (onReply, onFailure) -> this.network.send(this, this.servers, request, onReply, onFailure);
	}

	private HeldLock granted(Grant grant) {
		HeldLock heldLock = new HeldLock(grant, now(), this::lost);
		this.renewals.register(heldLock.lease());
		return heldLock;
	}

	/**
	 * Whether the thread that takes an answer has to wait for a processor.
	 * @param most how long at most
	 * @return how long it waits, zero if it does not
	 */
	long starves(Duration most) {
		return this.network.starves(most);
	}

	/**
	 * A lease was lost: it is told, and those who wait for it here may ask, as soon as
	 * what noticed it has run.
	 * @param heldLock what was lost
	 */
	void lost(HeldLock heldLock) {
		this.lost.add(heldLock);
	}

	private void tellLost() {
		if (!this.lost.isEmpty()) {
			// The order in which the core notices several at once is not defined
			List<HeldLock> heldLocks = new ArrayList<>(this.lost);
			this.lost.clear();
			heldLocks.sort(Comparator.comparing((heldLock) -> heldLock.id().leaseToken()));
			heldLocks.forEach((heldLock) -> {
				this.judge.toldLost(heldLock);
				over(heldLock);
			});
		}
	}

	int reserve() {
		return this.handOver.reserve();
	}

	/**
	 * Hand a lock to the next one who waits for it here.
	 * @param tenure who holds it
	 * @param heldLock the lock
	 * @return whether it was handed over; if not, it is to be released
	 */
	boolean handOver(LeaseHistory tenure, HeldLock heldLock) {
		boolean waitedFor = heldLock.mayBeHandedOver() && !this.queues.waiters().isEmpty();
		boolean passed = this.handOver.pass(heldLock, this.queues, now(), (successor) -> {
			this.judge.handedOver(tenure, successor, this.handOver);
			this.renewals.register(successor.lease());
			this.renewals.unregister(heldLock.lease());
		});
		if (waitedFor && !passed) {
			this.judge.count(Coverage.Event.TURN_ENDED);
		}
		return passed;
	}

	/**
	 * Nothing of a heldLock is left here.
	 * @param heldLock what is over
	 */
	void over(HeldLock heldLock) {
		LockAcquisition.passTurn(heldLock, this.queues.released(heldLock.key(), heldLock));
	}

	/**
	 * Release a token until nothing can be left of it.
	 * @param id the token
	 * @param cleanup says when
	 */
	void cleanUp(LeaseId id, OrphanCleanup cleanup) {
		new SimulatedCleanup(this, this.judge, cleanup, id).begin();
	}

	/**
	 * Stand still while the clocks run on.
	 * @param nanos how long
	 */
	void pause(long nanos) {
		freeze(nanos);
		this.judge.stops(this, "pauses", Coverage.Event.PAUSED_HOLDING);
	}

	/**
	 * Stand still together with the monotonic clock.
	 * @param nanos how long
	 */
	void suspend(long nanos) {
		if (this.frozenUntil <= this.timeline.now()) {
			freeze(nanos);
			this.suspendedFrom = this.timeline.now();
			this.timeline.after(nanos, () -> {
				this.suspended += nanos;
				this.suspendedFrom = Long.MAX_VALUE;
			});
			this.judge.stops(this, "is suspended", Coverage.Event.SUSPENDED_HOLDING);
		}
	}

	private void freeze(long nanos) {
		this.frozenUntil = Math.max(this.frozenUntil, this.timeline.now() + nanos);
		this.timeline.at(this.frozenUntil, () -> this.judge.continues(this));
	}

	void crash() {
		this.crashed = true;

		this.judge.crashes(this);
	}

	void cut(long nanos) {
		this.cutUntil = this.timeline.now() + nanos;
		this.judge.event(this.name, "is cut off", null);
	}

	void stepWall(long nanos) {
		this.wallOffset += nanos;
		this.judge.setsWallClock(this);
	}

	void askOldPrimary(boolean asks) {
		this.asksOldPrimary = asks;
	}

	boolean asksOldPrimary() {
		return this.asksOldPrimary;
	}

	boolean isCut() {
		return cutFor() > 0;
	}

	long cutFor() {
		return Math.max(0, this.cutUntil - this.timeline.now());
	}

	/**
	 * When this client last stood still.
	 * @return until when, a true time
	 */
	long frozenUntil() {
		return this.frozenUntil;
	}

	boolean isCrashed() {
		return this.crashed;
	}

	boolean wasSuspended() {
		return this.suspended > 0 || this.suspendedFrom != Long.MAX_VALUE;
	}

}
