package io.mongolock.faults.simulation;

import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.mongolock.faults.simulation.Coverage.Event;
import io.mongolock.faults.simulation.SimulatedCall.Kind;
import io.mongolock.faults.simulation.SimulatedCall.Request;
import io.mongolock.store.LeaseId;
import io.mongolock.test.StoreLog;
import io.mongolock.test.StoreLog.Grant;

/**
 * Judges what the store does, and knows what it did: whom it may grant a lock, in which
 * order, and what a failover forgets of it.
 */
final class StoreJudge {

	private final Timeline timeline;

	private final Histories histories;

	private final Exclusion exclusion;

	final StoreTruth truth = new StoreTruth();

	private boolean ordered;

	StoreJudge(Timeline timeline, Histories histories, Exclusion exclusion) {
		this.timeline = timeline;
		this.histories = histories;
		this.exclusion = exclusion;
	}

	void goBy(StoreClock clock) {
		this.exclusion.goBy(clock);
	}

	// Nothing goes wrong in this history: grants have to follow the order of places
	void expectOrder() {
		this.ordered = true;
	}

	void executed(Request<?> request, @Nullable Grant grant, StoreLog log, boolean changed) {
		Kind kind = request.kind();
		if (kind == Kind.LOOK) {
			return;
		}
		LeaseId id = request.id();
		LeaseHistory history = this.histories.of(id.leaseToken());
		this.histories.event("store", (changed) ? "executes" : "changes nothing at", kind,
				request.ids().stream().map(LeaseId::leaseToken).toList());
		if (kind == Kind.CLAIM) {
			history.claimedAt = this.timeline.now();
			if (history.isOver()) {
				this.histories.count((grant != null) ? Event.CLAIM_GRANTED_TO_NOBODY : Event.CLAIM_EXECUTED_LATE);
			}
		}
		if (kind == Kind.CLAIM && changed && grant == null) {
			placed(history);
		}
		if (kind != Kind.RELEASE && kind != Kind.LEAVE && changed) {
			request.ids().forEach((touched) -> this.histories.of(touched.leaseToken()).touchedAt = this.timeline.now());
		}
		if ((kind == Kind.RELEASE || kind == Kind.KEEP) && changed) {
			request.ids()
				.stream()
				.filter((ended) -> kind == Kind.KEEP || !log.holders(ended.key()).contains(ended.leaseToken()))
				.map((ended) -> this.histories.of(ended.leaseToken()))
				.filter((ended) -> ended.freedAt < 0)
				.forEach((ended) -> this.truth.freed(ended, this.timeline.now(), log.length()));
		}
		if (grant != null) {
			granted(grant, log);
		}
	}

	private void placed(LeaseHistory history) {
		if (history.placedAt < 0) {
			history.placedAt = this.timeline.now();
			this.histories.event(history, "stands in the queue", Event.IN_QUEUE);
		}
	}

	// A claim that came earlier, still waits and asks when called must not be passed,
	// unless there is room for both
	private void checkOrder(Grant grant, Set<String> holders) {
		LeaseHistory granted = this.histories.of(grant.token());
		long since = (granted.placedAt >= 0) ? granted.placedAt : this.timeline.now();
		List<LeaseHistory> passed = this.histories.all()
			.stream()
			.filter((history) -> history != granted && history.id.key().equals(grant.key()) && history.placedAt >= 0
					&& history.placedAt < since && !history.slow && !history.isOver() && history.heldLock == null
					&& !holders.contains(history.id.leaseToken()))
			.toList();
		int limit = passed.stream().mapToInt((history) -> history.limit).min().orElse(Integer.MAX_VALUE);
		Violation.check(passed.isEmpty() || holders.size() + passed.size() <= Math.min(limit, granted.limit),
				Violation.Kind.ORDER, () -> granted + " passed " + passed + ", who stood in the queue before it");
		this.histories.count(Event.GRANTED_IN_ORDER);
	}

	private void granted(Grant grant, StoreLog log) {
		Set<String> holders = log.holders(grant.key());
		this.exclusion.together(holders.stream().map(this.histories::of).toList());
		if (this.ordered) {
			checkOrder(grant, holders);
		}
		this.truth.granted(grant, this.timeline.now(), holders);
		this.histories.event("store", "grants", grant);
		for (LeaseHistory history : this.histories.all()) {
			checkMinHold(history, grant, holders);
			boolean other = !history.isOver() && history.heldLock != null && history.id.key().equals(grant.key())
					&& !holders.contains(history.entry.id.leaseToken());
			if (other) {
				this.exclusion.overtaken(history, this.timeline.now());
			}
		}
	}

	private void checkMinHold(LeaseHistory history, Grant grant, Set<String> holders) {
		long until = history.grantedAt + history.terms.minHold().toNanos() - clockError();
		boolean early = history.kept && !history.entry.deleted && history.id.key().equals(grant.key())
				&& this.timeline.now() < until && !holders.contains(history.entry.id.leaseToken());
		Violation.check(!early, Violation.Kind.MIN_HOLD, () -> "another is granted "
				+ (until - this.timeline.now()) / 1_000_000 + "ms before the minimum hold of " + history + " is over");
	}

	// Nothing is promised to its holder
	void deleted(Set<String> holders) {
		holders.forEach((token) -> this.histories.of(token).deleted = true);
	}

	void forgets(StoreLog log, int length) {
		if (length == log.length()) {
			return;
		}
		this.truth.forget(log, length, this.histories.coverage);
		for (LeaseHistory history : this.histories.all()) {
			if (history.overtakenAt >= 0) {
				history.overtakenAt = this.truth.overtakenAt(history);
			}
		}
	}

	long clockError() {
		return this.exclusion.clockError();
	}

}
