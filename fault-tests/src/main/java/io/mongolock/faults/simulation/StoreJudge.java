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
		LeaseHistory tenure = this.histories.of(id.leaseToken());
		this.histories.event("store", (changed) ? "executes" : "changes nothing at", kind,
				request.ids().stream().map(LeaseId::leaseToken).toList());
		if (kind == Kind.CLAIM) {
			tenure.claimedAt = this.timeline.now();
			if (tenure.isOver()) {
				this.histories.count((grant != null) ? Event.CLAIM_GRANTED_TO_NOBODY : Event.CLAIM_EXECUTED_LATE);
			}
		}
		if (kind == Kind.CLAIM && changed && grant == null) {
			placed(tenure);
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

	private void placed(LeaseHistory tenure) {
		if (tenure.placedAt < 0) {
			tenure.placedAt = this.timeline.now();
			this.histories.event(tenure, "stands in the queue", Event.IN_LINE);
		}
	}

	// Whoever came earlier, still waits and asks when called must not be passed, unless
	// there is room for both
	private void checkOrder(Grant grant, Set<String> holders) {
		LeaseHistory granted = this.histories.of(grant.token());
		long since = (granted.placedAt >= 0) ? granted.placedAt : this.timeline.now();
		List<LeaseHistory> passed = this.histories.all()
			.stream()
			.filter((tenure) -> tenure != granted && tenure.id.key().equals(grant.key()) && tenure.placedAt >= 0
					&& tenure.placedAt < since && !tenure.slow && !tenure.isOver() && tenure.heldLock == null
					&& !holders.contains(tenure.id.leaseToken()))
			.toList();
		int limit = passed.stream().mapToInt((tenure) -> tenure.limit).min().orElse(Integer.MAX_VALUE);
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
		for (LeaseHistory tenure : this.histories.all()) {
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
		boolean early = tenure.kept && !tenure.entry.deleted && tenure.id.key().equals(grant.key())
				&& this.timeline.now() < until && !holders.contains(tenure.entry.id.leaseToken());
		Violation.check(!early, Violation.Kind.MIN_HOLD, () -> "another is granted "
				+ (until - this.timeline.now()) / 1_000_000 + "ms before the minimum hold of " + tenure + " is over");
	}

	// Nothing is promised to whoever held it
	void deleted(Set<String> holders) {
		holders.forEach((token) -> this.histories.of(token).deleted = true);
	}

	void forgets(StoreLog log, int length) {
		if (length == log.length()) {
			return;
		}
		this.truth.forget(log, length, this.histories.coverage);
		for (LeaseHistory tenure : this.histories.all()) {
			if (tenure.overtakenAt >= 0) {
				tenure.overtakenAt = this.truth.overtakenAt(tenure);
			}
		}
	}

	long clockError() {
		return this.exclusion.clockError();
	}

}
