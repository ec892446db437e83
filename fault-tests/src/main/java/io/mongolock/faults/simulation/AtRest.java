package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.mongolock.core.ReleaseOutcome;
import io.mongolock.test.StoreLog.Grant;

/**
 * Judges what can only be told afterwards: that nothing is left behind, that whoever
 * waits gets the lock, that fences rise, and that outcomes were true.
 */
final class AtRest {

	/** More than a request takes when nothing goes wrong. */
	private static final long ROUND_TRIP = 100_000_000;

	private final Judge judge;

	private final SimulatedServers servers;

	private final long healedAt;

	/** When nothing is left of what nobody touched since it healed. */
	private final long clearedAt;

	AtRest(Judge judge, SimulatedServers servers, Duration longest, long healedAt) {
		this.judge = judge;
		this.servers = servers;
		this.healedAt = healedAt;
		this.clearedAt = healedAt + longest.toNanos();
	}

	/**
	 * A token was given up a ttl ago: if its client could, it has cleaned up.
	 * @param tenure the token
	 */
	void checkCleanedUp(LeaseHistory tenure) {
		long due = tenure.overAt + tenure.terms.ttl().toNanos();
		// The last clean-up comes a ttl after the release failed, which took a timeout
		boolean undisturbed = due >= this.healedAt && tenure.client.frozenUntil() <= tenure.overAt
				&& !tenure.client.isCrashed() && !tenure.doubled && this.servers.electedAt() <= tenure.overAt;
		// A release that an old primary answered leaves a lease that runs out by the
		// store's clock
		boolean cleaned = tenure.unknown || tenure.late
				|| (this.servers.clock().spread() < ROUND_TRIP / 2 && tenure.touchedAt <= tenure.overAt);
		boolean alive = this.servers.log().isAlive(tenure.id, this.servers.clock().now());
		Judge.check(!alive || !undisturbed || !cleaned || tenure.claimedAt > due, Violation.Kind.GHOST,
				() -> tenure + " still stands in the store a ttl after it was given up");
	}

	long cleanedUpAfter(LeaseHistory tenure) {
		return tenure.terms.ttl().plus(tenure.terms.operationTimeout()).toNanos() + ROUND_TRIP;
	}

	/**
	 * Everything has come to rest.
	 * @param weather what went wrong
	 */
	void judge(FaultProfile weather) {
		Map<Grant, LeaseHistory> told = new HashMap<>();
		for (LeaseHistory tenure : this.judge.tenures()) {
			if (tenure.heldLock != null) {
				told.put(new Grant(tenure.id.key(), tenure.id.leaseToken(), tenure.heldLock.lease().fence()), tenure);
			}
		}
		checkFences(told);
		told.values().forEach((tenure) -> checkOutcome(tenure, told));
		this.judge.tenures().forEach((tenure) -> {
			checkGranted(tenure);
			checkNeeded(tenure, weather);
		});
	}

	private void checkFences(Map<Grant, LeaseHistory> told) {
		Map<String, Grant> last = new HashMap<>();
		int found = 0;
		for (Grant grant : this.servers.log().grants()) {
			if (told.containsKey(grant)) {
				found++;
				Grant before = last.put(grant.key(), grant);
				Judge.check(before == null || before.fence() < grant.fence(), Violation.Kind.FENCE,
						() -> grant + " after " + before);
			}
		}
		if (found != told.size()) {
			throw new IllegalStateException("The store forgot a grant that it had confirmed");
		}
	}

	private void checkOutcome(LeaseHistory tenure, Map<Grant, LeaseHistory> told) {
		boolean overran = tenure.outcome == ReleaseOutcome.EXPIRED_UNCONTESTED;
		boolean promised = overran || this.judge.clockError() <= tenure.terms.margin().toNanos();
		if (tenure.outcome == null || tenure.outcome == ReleaseOutcome.LOST || !promised) {
			return;
		}
		Judge.check(!overran || tenure.freedAt >= 0, Violation.Kind.OUTCOME,
				() -> tenure + " was told that it overran, without proof");
		long end = (overran) ? tenure.freedAt : tenure.overAt;
		told.forEach((grant, other) -> {
			boolean between = other != tenure && other.grantedAt > tenure.grantedAt && other.grantedAt < end;
			Judge.check(!between || !this.judge.replaces(grant, tenure), Violation.Kind.OUTCOME,
					() -> tenure + " was told " + tenure.outcome + " although " + other + " was granted in between");
		});
	}

	private void checkGranted(LeaseHistory tenure) {
		if (tenure.last) {
			long free = this.clearedAt;
			for (LeaseHistory other : this.judge.tenures()) {
				if (other != tenure && other.id.key().equals(tenure.id.key())) {
					free = Math.max(free, Math.max(other.overAt, other.touchedAt) + other.terms.ttl().toNanos());
				}
			}
			long due = free + this.servers.clock().spread() + tenure.terms.retryInterval().toNanos() + ROUND_TRIP;
			Judge.check(tenure.heldLock != null && tenure.grantedAt <= due, Violation.Kind.PROGRESS, () -> tenure
					+ " was granted at " + tenure.grantedAt / 1_000_000 + "ms, due at " + due / 1_000_000 + "ms");
		}
	}

	private void checkNeeded(LeaseHistory tenure, FaultProfile weather) {
		boolean renewed = tenure.heldLock != null && tenure.terms.autoRenew();
		boolean lost = renewed && tenure.outcome != ReleaseOutcome.RELEASED
				&& tenure.outcome != ReleaseOutcome.LEFT_TO_EXPIRE;
		boolean calm = weather.isCalm();
		Judge.check(!calm || !lost && !tenure.unknown, Violation.Kind.NEEDLESS,
				() -> tenure + " ended " + tenure.outcome + " although nothing went wrong");
		boolean spared = weather.isMild() && !this.servers.wasBlocked(tenure.id.key())
				&& tenure.leftWhenTold > tenure.terms.operationTimeout().toNanos() / 4 + ROUND_TRIP;
		Judge.check(!spared || !lost, Violation.Kind.NEEDLESS,
				() -> tenure + " ended " + tenure.outcome + " although nothing went wrong with it");
	}

}
