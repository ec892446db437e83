package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

import io.mongolock.LockStoreException.Outcome;
import io.mongolock.core.ClientQueues;
import io.mongolock.core.HandOver;
import io.mongolock.core.HeldLock;
import io.mongolock.core.OrphanCleanup;
import io.mongolock.faults.simulation.Coverage.Event;
import io.mongolock.faults.simulation.SimulatedCall.Request;
import io.mongolock.store.LeaseId;

/**
 * One JVM: its local queues, what it asks of the store, and what it holds.
 */
final class SimulatedClient extends SimulatedProcess {

	private final SimulatedNetwork network;

	private final SimulatedServers servers;

	final ClientQueues acquisitions;

	final SimulatedIdle idle;

	private final SimulatedQueue queue;

	private final List<HeldLock> lost = new ArrayList<>();

	final SimulatedRenewals renewals;

	private final HandOver handOver;

	SimulatedClient(String name, Timeline timeline, SimulatedNetwork network, SimulatedServers servers, Judge judge,
			HandOver handOver, Duration placeTtl) {
		super(name, timeline, judge);
		this.handOver = handOver;
		this.network = network;
		this.servers = servers;
		this.renewals = new SimulatedRenewals(this);
		this.queue = new SimulatedQueue(this, placeTtl);
		servers.watch(this.queue::released);
		this.acquisitions = new ClientQueues(this.queue.places(), () -> true);
		this.idle = new SimulatedIdle(this, servers);
	}

	// Whether nobody waits here any more, because nobody wants a lock
	boolean isAtRest() {
		return isCrashed() || (this.acquisitions.waiting() == 0 && this.queue.places().isEmpty());
	}

	<T> void ask(Request<T> request, Consumer<T> onReply, Consumer<Outcome> onFailure) {
		this.network.send(this, this.servers, request, onReply, onFailure);
	}

	// For how long the thread that takes an answer has to wait for a processor
	long starves(Duration most) {
		return this.network.starves(most);
	}

	// Its holder is notified, and those who wait for it here may ask, as soon as what
	// noticed it has
	// run
	void lost(HeldLock heldLock) {
		this.lost.add(heldLock);
	}

	@Override
	void afterEach() {
		if (!this.lost.isEmpty()) {
			// The order in which the core notices several at once is not defined
			List<HeldLock> holds = new ArrayList<>(this.lost);
			this.lost.clear();
			holds.sort(Comparator.comparing((heldLock) -> heldLock.id().leaseToken()));
			holds.forEach((heldLock) -> {
				this.judge.notifiedOfLoss(heldLock);
				over(heldLock);
			});
		}
		this.idle.check();
		this.judge.relies(this);
	}

	int reserve() {
		return this.handOver.reserve();
	}

	// To the next one who waits for it here; if there is none, it is to be released
	boolean handOver(LeaseHistory history, HeldLock heldLock) {
		boolean waitedFor = this.handOver.mayPass(heldLock) && this.acquisitions.waiting() > 0;
		boolean passed = this.handOver.pass(heldLock, this.acquisitions, now(), (successor) -> {
			this.judge.handedOver(history, successor, this.handOver);
			this.renewals.register(successor.lease());
			this.renewals.unregister(heldLock.lease());
		}, () -> {
		});
		if (waitedFor && !passed) {
			this.judge.count(Event.TURN_ENDED);
		}
		return passed;
	}

	// After its lease was idle
	boolean handOn(HeldLock idle) {
		return this.acquisitions.pass(idle, now(), (successor) -> this.renewals.register(successor.lease()), () -> {
		});
	}

	// Nothing of it is left here
	void over(HeldLock heldLock) {
		this.acquisitions.wakeNext(heldLock);
	}

	// Until nothing can be left of it
	void cleanUp(LeaseId id, OrphanCleanup cleanup) {
		cleanUp(id, cleanup, cleanup.first(now()));
	}

	private void cleanUp(LeaseId id, OrphanCleanup cleanup, long pause) {
		if (pause >= 0) {
			after(pause, () -> release(id, cleanup));
		}
	}

	private void release(LeaseId id, OrphanCleanup cleanup) {
		Duration timeout = this.judge.histories.of(id.leaseToken()).terms.operationTimeout();
		if (cleanup.isInQueue()) {
			ask(Request.leave(List.of(id), timeout), (left) -> this.judge.count(Event.QUEUE_LEAVE), (outcome) -> {
			});
		}
		Duration keptFor = cleanup.keptFor(now());
		ask((keptFor.isZero()) ? Request.release(id, timeout) : Request.keep(id, keptFor, timeout), (there) -> {
			if (!keptFor.isZero()) {
				this.judge.kept(id, there);
			}
			else if (there) {
				this.judge.count(Event.FREED_BY_CLEAN_UP);
			}
			cleanUp(id, cleanup, cleanup.answered(now()));
		}, (outcome) -> cleanUp(id, cleanup, cleanup.failed(now())));
	}

}
