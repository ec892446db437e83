package io.mongolock.faults.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.mongolock.core.ClockReading;
import io.mongolock.core.HeldLock;
import io.mongolock.faults.simulation.Coverage.Event;
import io.mongolock.faults.simulation.SimulatedCall.Request;
import io.mongolock.linger.IdleLeases;
import io.mongolock.store.LeaseId;

/**
 * Runs the idle leases of one client as the product's own shell does, with a watch over
 * recalls that breaks at times, or without one. Judges that no lease is kept that others
 * are known to want, nor for longer than it may be.
 */
final class SimulatedIdle {

	private static final long FAR = 1_000_000_000_000L;

	/** How long the watch over the leases takes to notice that a time is over. */
	private static final long LATE = 50_000_000;

	private final SimulatedClient client;

	private final SimulatedServers servers;

	private final IdleLeases leases;

	/** Which leases others want, as far as the client was notified. */
	private final Set<LeaseId> wanted = new HashSet<>();

	/** Which it was not notified of, as its watch was not open. */
	private final Set<LeaseId> unheard = new HashSet<>();

	/** When it learnt of the grants of leases, at the latest, on the monotonic clock. */
	private final Map<LeaseId, Long> granted = new HashMap<>();

	/** Since when leases are idle, on the monotonic clock. */
	private final Map<HeldLock, Long> since = new HashMap<>();

	private int passes;

	private boolean awake;

	/** Whether any lease was ever idle. */
	private boolean used;

	/** Whether recalls are watched, once there are idle leases. */
	private boolean watches;

	private boolean live;

	SimulatedIdle(SimulatedClient client, SimulatedServers servers) {
		this.client = client;
		this.servers = servers;
		this.leases = new IdleLeases(client.acquisitions, client::handOn);
		client.acquisitions.linger(this.leases);
		this.leases.onWork(this::wake);
	}

	// The lease of who is done is kept if that may be
	boolean keepIdle(LeaseHistory history, HeldLock heldLock) {
		if (!heldLock.lingers()) {
			return false;
		}
		ClockReading now = this.client.now();
		this.since.put(heldLock, now.nanos());
		this.granted.putIfAbsent(heldLock.id(), now.nanos() - heldLock.heldFor(now).toNanos());
		if (!this.leases.keep(heldLock, now, () -> this.client.judge.rests(history))) {
			this.since.remove(heldLock);
			return false;
		}
		this.client.renewals.unregister(heldLock.lease());
		if (!this.used) {
			this.used = true;
			this.watches = this.client.timeline.chance(0.5);
			if (this.watches) {
				this.servers.watchRecalls(this::recalled);
				open(50_000_000);
			}
		}
		return true;
	}

	// By a claim of this client
	void taken(LeaseHistory history, HeldLock heldLock) {
		Violation.check(!this.wanted.contains(heldLock.id()), Violation.Kind.KEPT,
				() -> history + " takes an idle lease that others were known to want");
		this.client.judge.takes(history, heldLock);
	}

	private void open(long within) {
		this.client.after(this.client.timeline.between(1_000_000, within), () -> {
			this.live = true;
			this.leases.missed(this.client.now());
			this.wanted.addAll(this.unheard);
		});
	}

	// One that is lost breaks the watch
	private void recalled(LeaseId holder) {
		if (!this.live) {
			this.unheard.add(holder);
			return;
		}
		if (this.client.timeline.chance(0.1)) {
			this.unheard.add(holder);
			this.live = false;
			open(1_000_000_000);
			return;
		}
		this.client.after(this.client.timeline.between(0, 50_000_000), () -> {
			LeaseHistory history = this.client.judge.histories.of(holder.leaseToken());
			boolean early = history.client == this.client && !history.isOver() && history.heldLock == null;
			this.client.judge.event(this.client.name, "hears of a recall",
					(early) ? Event.RECALLED_BEFORE_THE_GRANT_WAS_KNOWN : Event.RECALLED);
			this.wanted.add(holder);
			this.leases.recall(holder);
		});
	}

	private void wake() {
		if (!this.awake) {
			this.awake = true;
			this.client.after(this.client.timeline.between(0, 100_000), () -> {
				this.awake = false;
				pass();
			});
		}
	}

	private void pass() {
		int pass = ++this.passes;
		ClockReading now = this.client.now();
		List<HeldLock> due = this.leases.due(this.live, now);
		if (!due.isEmpty()) {
			release(due);
		}
		long next = this.leases.nextIn(now);
		if (next < FAR) {
			this.client.after(Math.max(next, 0), () -> {
				if (pass == this.passes) {
					pass();
				}
			});
		}
	}

	private void release(List<HeldLock> due) {
		this.client.ask(Request.releases(ids(due), due.get(0).terms().operationTimeout()),
				(found) -> due.forEach(this.client::over), (outcome) -> due.forEach((heldLock) -> {
					heldLock.state().waiveMinHold();
					heldLock.state().release(this.client.now());
					this.client.cleanUp(heldLock.id(), heldLock.state().cleanUp(this.client.now()));
					this.client.over(heldLock);
				}));
	}

	private static List<LeaseId> ids(List<HeldLock> leases) {
		return leases.stream().map(HeldLock::id).toList();
	}

	// After whatever the client has done
	void check() {
		if (this.since.isEmpty()) {
			return;
		}
		List<HeldLock> idle = this.client.acquisitions.idle();
		this.since.keySet().retainAll(idle);
		this.since.forEach((heldLock, begun) -> {
			Violation.check(!this.wanted.contains(heldLock.id()), Violation.Kind.KEPT,
					() -> this.client.name + " keeps the idle lease of " + heldLock.id().leaseToken()
							+ " although others are known to want it");
			// Where nobody hears of recalls, others wait until then
			long from = (this.watches) ? begun : Objects.requireNonNull(this.granted.get(heldLock.id()));
			long most = Math.min(from + heldLock.terms().linger().toNanos(),
					heldLock.lease().deadline() - heldLock.terms().reliable().toNanos() / 2);
			long over = this.client.now().nanos() - most;
			// What waited while it stood still comes in any order
			boolean stoodStill = this.client.frozenUntil() + LATE > this.client.timeline.now();
			Violation.check(over <= LATE || stoodStill, Violation.Kind.KEPT,
					() -> this.client.name + " keeps the idle lease of " + heldLock.id().leaseToken() + " "
							+ over / 1_000_000 + "ms too long");
		});
	}

}
