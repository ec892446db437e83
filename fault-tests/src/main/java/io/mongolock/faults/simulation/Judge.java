package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.mongolock.core.HandOver;
import io.mongolock.core.HeldLock;
import io.mongolock.core.ReleaseOutcome;
import io.mongolock.core.ResolvedLockSettings;
import io.mongolock.faults.simulation.Coverage.Event;
import io.mongolock.faults.simulation.SimulatedCall.Kind;
import io.mongolock.faults.simulation.SimulatedCall.Request;
import io.mongolock.store.LeaseId;
import io.mongolock.test.StoreLog;
import io.mongolock.test.StoreLog.Grant;

/**
 * Sees both sides of a history, the store's and the clients', writes down what happens,
 * and throws a {@link Violation} as soon as a promise is broken.
 */
final class Judge {

	private final Timeline timeline;

	private final Trace trace;

	private final Coverage coverage;

	private final Exclusion exclusion;

	private final Map<String, LeaseHistory> tenures = new LinkedHashMap<>();

	private final Map<Grant, List<Long>> handOvers = new HashMap<>();

	private boolean ordered;

	private final StoreTruth truth = new StoreTruth();

	private Consumer<LeaseHistory> onOver = (tenure) -> {
	};

	Judge(Timeline timeline, Trace trace, Coverage coverage) {
		this.timeline = timeline;
		this.trace = trace;
		this.coverage = coverage;
		this.exclusion = new Exclusion(timeline, coverage);
	}

	void goBy(StoreClock clock) {
		this.exclusion.goBy(clock);
	}

	void onOver(Consumer<LeaseHistory> onOver) {
		this.onOver = onOver;
	}

	void count(Event event) {
		this.coverage.count(event);
	}

	void event(String who, String what, @Nullable Event event) {
		this.trace.add(this.timeline.now(), who, what);
		if (event != null) {
			count(event);
		}
	}

	void event(LeaseHistory tenure, String what, Event event) {
		this.trace.add(this.timeline.now(), tenure.client.name(), what, tenure.id.key(), tenure);
		count(event);
	}

	Collection<LeaseHistory> tenures() {
		return this.tenures.values();
	}

	LeaseHistory begins(LeaseId id, SimulatedClient client, ResolvedLockSettings terms, int limit, boolean last) {
		LeaseHistory tenure = new LeaseHistory(id, client, terms, limit, last);
		this.tenures.put(id.leaseToken(), tenure);
		return tenure;
	}

	ResolvedLockSettings terms(LeaseId id) {
		return tenure(id.leaseToken()).terms;
	}

	void doubled(Kind kind, LeaseId id) {
		if (kind == Kind.CLAIM) {
			tenure(id.leaseToken()).doubled = true;
		}
	}

	/**
	 * The primary executed a statement.
	 * @param request which
	 * @param grant what it granted
	 * @param log the primary, after it
	 * @param changed whether it changed anything
	 */
	void executed(Request<?> request, @Nullable Grant grant, StoreLog log, boolean changed) {
		Kind kind = request.kind();
		LeaseId id = request.id();
		LeaseHistory tenure = tenure(id.leaseToken());
		this.trace.add(this.timeline.now(), "store", (changed) ? "executes" : "changes nothing at", kind, id);
		if (kind == Kind.CLAIM) {
			tenure.claimedAt = this.timeline.now();
			if (tenure.isOver()) {
				count((grant != null) ? Event.CLAIM_GRANTED_TO_NOBODY : Event.CLAIM_EXECUTED_LATE);
			}
		}
		if (kind == Kind.CLAIM && changed && grant == null) {
			placed(tenure);
		}
		if (kind != Kind.RELEASE && kind != Kind.LEAVE && changed) {
			request.ids().forEach((touched) -> tenure(touched.leaseToken()).touchedAt = this.timeline.now());
		}
		if ((kind == Kind.RELEASE || kind == Kind.KEEP) && changed) {
			this.truth.freed(tenure, this.timeline.now(), log.length());
		}
		if (grant != null) {
			granted(grant, log);
		}
	}

	private void placed(LeaseHistory tenure) {
		if (tenure.placedAt < 0) {
			tenure.placedAt = this.timeline.now();
			event(tenure, "stands in line", Event.IN_LINE);
		}
	}

	/**
	 * Nothing goes wrong in this history: grants have to follow the order of places.
	 */
	void expectOrder() {
		this.ordered = true;
	}

	// Whoever came earlier and still waits must not be passed, unless there is room for
	// both
	private void checkOrder(Grant grant, Set<String> holders) {
		LeaseHistory granted = tenure(grant.token());
		long since = (granted.placedAt >= 0) ? granted.placedAt : this.timeline.now();
		List<LeaseHistory> passed = this.tenures.values()
			.stream()
			.filter((tenure) -> tenure != granted && tenure.id.key().equals(grant.key()) && tenure.placedAt >= 0
					&& tenure.placedAt < since && !tenure.isOver() && tenure.heldLock == null
					&& !holders.contains(tenure.id.leaseToken()))
			.toList();
		int limit = passed.stream().mapToInt((tenure) -> tenure.limit).min().orElse(Integer.MAX_VALUE);
		check(passed.isEmpty() || holders.size() + passed.size() <= Math.min(limit, granted.limit),
				Violation.Kind.ORDER, () -> granted + " passed " + passed + ", who stood in line before it");
		count(Event.GRANTED_IN_ORDER);
	}

	private void granted(Grant grant, StoreLog log) {
		Set<String> holders = log.holders(grant.key());
		this.exclusion.together(holders.stream().map(this::tenure).toList());
		if (this.ordered) {
			checkOrder(grant, holders);
		}
		this.truth.granted(grant, this.timeline.now(), holders);
		this.trace.add(this.timeline.now(), "store", "grants", grant);
		for (LeaseHistory tenure : this.tenures.values()) {
			checkMinHold(tenure, grant, holders);
			boolean other = !tenure.isOver() && tenure.heldLock != null && tenure.id.key().equals(grant.key())
					&& !holders.contains(tenure.entry.id.leaseToken());
			if (other) {
				this.exclusion.overtaken(tenure, this.timeline.now());
			}
		}
	}

	private void checkMinHold(LeaseHistory tenure, Grant grant, Set<String> holders) {
		long until = tenure.grantedAt + tenure.terms.minHold().toNanos() - clockError();
		boolean early = tenure.kept && tenure.id.key().equals(grant.key()) && this.timeline.now() < until
				&& !holders.contains(tenure.entry.id.leaseToken());
		check(!early, Violation.Kind.MIN_HOLD, () -> "another is granted " + (until - this.timeline.now()) / 1_000_000
				+ "ms before the minimum hold of " + tenure + " is over");
	}

	/**
	 * A clean-up was answered on a lock that has to stay taken.
	 * @param id the token
	 * @param there whether the store has its lease
	 */
	void kept(LeaseId id, boolean there) {
		tenure(id.leaseToken()).kept |= there;
	}

	/**
	 * A client was told of its grant, or of what it was handed.
	 * @param tenure the token
	 * @param heldLock what it holds
	 */
	void told(LeaseHistory tenure, HeldLock heldLock) {
		check(!tenure.isOver(), Violation.Kind.GHOST, () -> tenure + " is granted a lock after it gave up");
		tenure.heldLock = heldLock;
		tenure.entry = tenure(heldLock.id().leaseToken());
		tenure.told = heldLock.lossReason() != null;
		if (tenure.entry.holder == null) {
			tenure.entry.holder = heldLock;
		}
		Grant grant = grant(heldLock);
		Long at = this.truth.at(grant);
		if (at == null) {
			throw new IllegalStateException("The store never granted " + tenure);
		}
		tenure.grantedAt = at;
		tenure.leftWhenTold = tenure.relied();
		event(tenure, "is granted", Event.GRANTED);
		long overtakenAt = this.truth.overtakenAt(tenure);
		if (overtakenAt >= 0) {
			this.exclusion.overtaken(tenure, overtakenAt);
		}
	}

	/**
	 * A client hands a lock on to another of its attempts.
	 * @param from the lock
	 * @param to the lock as the other holds it
	 * @param turn how long locks may be handed on
	 */
	void handedOver(LeaseHistory from, HeldLock to, HandOver turn) {
		LeaseHistory entry = from.entry;
		check(entry.holder == from.heldLock, Violation.Kind.OVERLAP,
				() -> from + " hands over what another of its client holds");
		check(to.lease().remaining(from.client.now()).compareTo(Duration.ZERO) > 0, Violation.Kind.REVIVED,
				() -> from + " hands over what has run out");
		long age = this.timeline.now() - from.grantedAt;
		// A grant that is answered only when asked again counts from there
		check(entry.unknown || from.client.wasSuspended() || age < turn.maxTime().toNanos(), Violation.Kind.TURN,
				() -> from + " hands over " + age / 1_000_000 + "ms after the grant");
		entry.holder = to;
		this.handOvers.computeIfAbsent(grant(to), (same) -> new ArrayList<>()).add(to.fence());
		event(from, "hands over", Event.HANDED_OVER);
		from.outcome = ReleaseOutcome.RELEASED;
		end(from);
	}

	/**
	 * The fences that were handed out after that of a grant.
	 * @param grant the grant
	 * @return the fences in the order of the holders
	 */
	List<Long> handOvers(Grant grant) {
		return this.handOvers.getOrDefault(grant, List.of());
	}

	/**
	 * The grant by which a lock is held.
	 * @param heldLock the lock
	 * @return the grant
	 */
	static Grant grant(HeldLock heldLock) {
		return new Grant(heldLock.key(), heldLock.id().leaseToken(), heldLock.grantFence());
	}

	void toldLost(HeldLock heldLock) {
		for (LeaseHistory tenure : this.tenures.values()) {
			if (tenure.heldLock == heldLock) {
				tenure.told = true;
				event(tenure, "is told of the loss", Event.TOLD_OF_A_LOSS);
				if (heldLock.isHandedOver()) {
					count(Event.LOST_IN_A_TURN);
				}
			}
		}
	}

	/**
	 * A holder acts.
	 * @param tenure the token
	 * @param checkedAt when it saw that it holds the lock
	 */
	void acts(LeaseHistory tenure, long checkedAt) {
		event(tenure, "acts", Event.ACTS);
		this.exclusion.acts(tenure, checkedAt);
	}

	void over(LeaseHistory tenure) {
		end(tenure);
		this.onOver.accept(tenure);
	}

	private void end(LeaseHistory tenure) {
		tenure.overAt = this.timeline.now();
		tenure.told = true;
	}

	void outcome(LeaseHistory tenure, ReleaseOutcome outcome) {
		tenure.outcome = outcome;
		event(tenure, "is told " + outcome, switch (outcome) {
			case RELEASED -> Event.RELEASED;
			case EXPIRED_UNCONTESTED -> Event.EXPIRED_UNCONTESTED;
			case LEFT_TO_EXPIRE -> Event.LEFT_TO_EXPIRE;
			case LOST -> Event.LOST;
		});
	}

	void stops(SimulatedClient client, String how, Event heldLock) {
		this.trace.add(this.timeline.now(), client.name(), how);
		for (LeaseHistory tenure : this.tenures.values()) {
			if (tenure.client == client && tenure.relied() > 0) {
				count(heldLock);
			}
		}
	}

	/**
	 * A client is about to run again: what it finds run out must stay so.
	 * @param client the client
	 */
	void continues(SimulatedClient client) {
		this.trace.add(this.timeline.now(), client.name(), "continues");
		for (LeaseHistory tenure : this.tenures.values()) {
			if (tenure.client == client && tenure.expiredAt < 0 && tenure.heldLock != null && tenure.relied() == 0) {
				tenure.expiredAt = this.timeline.now();
			}
		}
	}

	/**
	 * A client set its wall clock. What had run out by a clock that was ahead, and was
	 * not looked at by the client before it was set right, has not run out.
	 * @param client the client
	 */
	void setsWallClock(SimulatedClient client) {
		event(client.name(), "sets its wall clock", null);
		for (LeaseHistory tenure : this.tenures.values()) {
			if (tenure.client == client && !client.wasSuspended() && tenure.relied() > 0) {
				tenure.expiredAt = -1;
			}
		}
	}

	void crashes(SimulatedClient client) {
		stops(client, "crashes", Event.CRASHED_HOLDING);
		for (LeaseHistory tenure : this.tenures.values()) {
			if (tenure.client == client && !tenure.isOver()) {
				over(tenure);
			}
		}
	}

	/**
	 * A failover forgets the last writes.
	 * @param log the primary before it
	 * @param length how many writes survive
	 */
	void forgets(StoreLog log, int length) {
		if (length == log.length()) {
			return;
		}
		this.truth.forget(log, length, this.coverage);
		for (LeaseHistory tenure : this.tenures.values()) {
			if (tenure.overtakenAt >= 0) {
				tenure.overtakenAt = this.truth.overtakenAt(tenure);
			}
		}
	}

	/**
	 * By how much the store's clock may have ended a lease early.
	 * @return nanoseconds
	 */
	long clockError() {
		return this.exclusion.clockError();
	}

	/**
	 * Whether a grant took the place of a holder.
	 * @param grant the grant
	 * @param tenure the holder
	 * @return whether that was no longer there after it
	 */
	boolean replaces(Grant grant, LeaseHistory tenure) {
		return this.truth.replaces(grant, tenure);
	}

	static void check(boolean kept, Violation.Kind kind, Complaint complaint) {
		if (!kept) {
			throw new Violation(kind, complaint.text());
		}
	}

	private LeaseHistory tenure(String token) {
		return Objects.requireNonNull(this.tenures.get(token));
	}

	/**
	 * Says what is wrong.
	 */
	@FunctionalInterface
	interface Complaint {

		String text();

	}

}
