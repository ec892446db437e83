package io.mongolock.core;

import org.jspecify.annotations.Nullable;

/**
 * When one lease is renewed next, and with how many others; the most urgent comes first.
 * Belongs to the thread that owns the {@link RenewalSchedule}.
 */
final class RenewalPlan implements Comparable<RenewalPlan> {

	/** So that the order of plans is the same in every run. */
	private final long number;

	private final Lease lease;

	/** Whether it is renewed at all, or only watched. */
	private final boolean renews;

	/** The request that is to renew it; while there is one, no other is made. */
	private @Nullable RenewalBatch batch;

	private final long interval;

	private long next;

	private long urgency;

	private int most = RenewalSchedule.MAX_BATCH;

	/** The fewest leases that a request for this one carried since it was confirmed. */
	private int fewest = Integer.MAX_VALUE;

	RenewalPlan(Lease lease, boolean renews, long number, long next) {
		this.lease = lease;
		this.renews = renews;
		this.number = number;
		this.interval = lease.terms().renewInterval().toNanos();
		this.next = next;
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
		return this.most < RenewalSchedule.MAX_BATCH;
	}

	boolean isWaiting() {
		return this.renews && this.batch == null;
	}

	boolean isDue(ClockReading now) {
		return this.next - now.nanos() <= 0;
	}

	/**
	 * Whether the lease may go along with one that is due.
	 */
	boolean isDueSoon(ClockReading now) {
		return this.next - this.interval / 2 - now.nanos() <= 0;
	}

	long dueIn(ClockReading now) {
		return this.next - now.nanos();
	}

	long deadlineIn(ClockReading now) {
		return this.lease.deadline() - now.nanos();
	}

	/**
	 * Be compared by the time left, which another thread may change meanwhile.
	 */
	void queue(ClockReading now) {
		this.urgency = deadlineIn(now);
	}

	@Override
	public int compareTo(RenewalPlan other) {
		int byUrgency = Long.compare(this.urgency, other.urgency);
		return (byUrgency != 0) ? byUrgency : Long.compare(this.number, other.number);
	}

	void joins(RenewalBatch batch) {
		this.batch = batch;
		this.fewest = Math.min(this.fewest, batch.leases().size());
	}

	/**
	 * Whether a failure says more than the one before it.
	 * @return whether it is the first for this lease, or the first for this lease alone
	 */
	boolean isNews(int size) {
		return this.fewest == Integer.MAX_VALUE || (size == 1 && this.fewest > 1);
	}

	boolean isIn(RenewalBatch batch) {
		return this.batch == batch;
	}

	/**
	 * Not confirmed: due at once, with so many others at most.
	 * @param most how many leases one request may carry
	 */
	void retry(int most, ClockReading now) {
		this.batch = null;
		this.most = most;
		if (!isDue(now)) {
			this.next = now.nanos();
		}
	}

	void confirmed() {
		this.batch = null;
		this.most = RenewalSchedule.MAX_BATCH;
		this.fewest = Integer.MAX_VALUE;
		this.next = this.lease.renewalDueAt();
	}

}
