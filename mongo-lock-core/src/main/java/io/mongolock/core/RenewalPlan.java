package io.mongolock.core;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The time at which one lease is renewed next, and with how many others; the most urgent
 * comes first. Belongs to the thread that owns the {@link RenewalSchedule}.
 */
final class RenewalPlan implements Comparable<RenewalPlan> {

	/** One request may carry many renewals, but not so many that it takes long itself. */
	static final int MAX_BATCH = 1000;

	/** So that the order of plans is the same in every run. */
	private final long number;

	private final Lease lease;

	/** Whether it is renewed at all, or only watched. */
	private final boolean renews;

	/**
	 * The batch that is to renew it, by identity; while there is one, no other is made.
	 */
	private @Nullable Object batch;

	/** Whether it was asked for in vain, or has to be asked for now. */
	private boolean dueAtOnce;

	private long urgency;

	private int most = MAX_BATCH;

	/** The fewest leases that a request for this one carried since it was confirmed. */
	private int fewest = Integer.MAX_VALUE;

	RenewalPlan(Lease lease, boolean renews, boolean dueAtOnce, long number) {
		this.lease = lease;
		this.renews = renews;
		this.number = number;
		this.dueAtOnce = dueAtOnce;
	}

	/**
	 * Group what is due, one request each: the most urgent first, like operation timeouts
	 * only, so that a short one never cuts short the request for others, and none with
	 * more others than it may go with.
	 * @param leases how many are renewed in all
	 * @return the groups in the order of their most urgent lease, each with one that is
	 * due
	 */
	static List<List<RenewalPlan>> groups(Collection<RenewalPlan> plans, int leases, ClockReading now) {
		List<RenewalPlan> due = new ArrayList<>();
		for (RenewalPlan plan : plans) {
			if (plan.isWaiting() && plan.isDueSoon(leases, now)) {
				// Compared by the time left now, which another thread may change
				// meanwhile
				plan.urgency = plan.deadlineIn(now);
				due.add(plan);
			}
		}
		Collections.sort(due);
		List<List<RenewalPlan>> groups = new ArrayList<>();
		Map<Kind, List<RenewalPlan>> open = new HashMap<>();
		for (RenewalPlan plan : due) {
			Kind kind = new Kind(plan.most, timeoutClass(plan.lease));
			List<RenewalPlan> group = open.get(kind);
			if (group == null || group.size() == plan.most) {
				group = new ArrayList<>();
				groups.add(group);
				open.put(kind, group);
			}
			group.add(plan);
		}
		groups.removeIf((group) -> group.stream().noneMatch((plan) -> plan.isDue(leases, now)));
		return groups;
	}

	// Within one class the longest timeout is less than twice the shortest
	private static int timeoutClass(Lease lease) {
		return Long.SIZE - Long.numberOfLeadingZeros(lease.terms().operationTimeout().toMillis());
	}

	Lease lease() {
		return this.lease;
	}

	/**
	 * The most leases that a request may carry with this one in it.
	 * @return the number, less than a full batch if a request that carried it hung or
	 * missed some, and it was not confirmed since
	 */
	int most() {
		return this.most;
	}

	boolean isSuspect() {
		return this.most < MAX_BATCH;
	}

	boolean isRenewed() {
		return this.renews;
	}

	boolean isWaiting() {
		return this.renews && this.batch == null;
	}

	boolean isDue(int leases, ClockReading now) {
		return dueIn(leases, now) <= 0;
	}

	/**
	 * Whether the lease may go along with one that is due.
	 */
	boolean isDueSoon(int leases, ClockReading now) {
		return dueIn(leases, now) <= this.lease.terms().renewInterval().nanos(leases) / 2;
	}

	// From the number of leases there are now, and not from when it was renewed
	long dueIn(int leases, ClockReading now) {
		return (this.dueAtOnce) ? 0 : this.lease.renewalDueAt(leases) - now.nanos();
	}

	long deadlineIn(ClockReading now) {
		return this.lease.deadline() - now.nanos();
	}

	@Override
	public int compareTo(RenewalPlan other) {
		int byUrgency = Long.compare(this.urgency, other.urgency);
		return (byUrgency != 0) ? byUrgency : Long.compare(this.number, other.number);
	}

	void joins(Object batch, int size) {
		this.batch = batch;
		this.fewest = Math.min(this.fewest, size);
	}

	/**
	 * Whether a failure says more than the one before it.
	 * @return whether it is the first for this lease, or the first for this lease alone
	 */
	boolean isNews(int size) {
		return this.fewest == Integer.MAX_VALUE || (size == 1 && this.fewest > 1);
	}

	boolean isIn(Object batch) {
		return this.batch == batch;
	}

	/**
	 * It was not confirmed, so it is due at once, with so many others at most.
	 * @param most how many leases one request may carry
	 */
	void retry(int most) {
		this.batch = null;
		this.most = most;
		this.dueAtOnce = true;
	}

	/**
	 * Nothing that happened before says anything of the document.
	 */
	void forgive() {
		this.most = MAX_BATCH;
	}

	void confirmed() {
		this.batch = null;
		this.most = MAX_BATCH;
		this.fewest = Integer.MAX_VALUE;
		this.dueAtOnce = false;
	}

	private record Kind(int most, int timeoutClass) {

	}

}
