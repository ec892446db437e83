package io.mongolock.core;

import org.jspecify.annotations.Nullable;

/**
 * The next renewal of one lease. Knows when it is due, whether it can go along with a
 * renewal that is due earlier, and how many leases its {@link RenewalBatch} may have. In
 * the natural order, the most urgent comes first. Belongs to the thread that owns the
 * {@link RenewalSchedule}.
 */
final class LeaseRenewal implements Comparable<LeaseRenewal> {

	private final Lease lease;

	/** Whether it is renewed at all, or only watched. */
	private final boolean renews;

	/**
	 * The batch that will renew the lease, by identity. While there is one, no other is
	 * made.
	 */
	private @Nullable Object batch;

	/** Whether a request for it failed, or it has to be renewed at once. */
	private boolean dueAtOnce;

	private long urgency;

	private int most = Division.MAX_BATCH;

	/** The fewest leases that a request for this one carried since it was confirmed. */
	private int fewest = Integer.MAX_VALUE;

	LeaseRenewal(Lease lease, boolean renews, boolean dueAtOnce) {
		this.lease = lease;
		this.renews = renews;
		this.dueAtOnce = dueAtOnce;
	}

	Lease lease() {
		return this.lease;
	}

	/**
	 * The most leases that a request may carry with this one in it.
	 * @return the number. It is less than a full batch if a request with this lease hung
	 * or missed some leases, until this lease is confirmed again
	 */
	int most() {
		return this.most;
	}

	boolean isSuspect() {
		return this.most < Division.MAX_BATCH;
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
	 * Whether the lease can go along with another that is due.
	 */
	boolean isDueSoon(int leases, ClockReading now) {
		return dueIn(leases, now) <= this.lease.terms().renewInterval().nanos(leases) / 2;
	}

	// Depends on the present number of leases, not on the number at the last renewal
	long dueIn(int leases, ClockReading now) {
		return (this.dueAtOnce) ? 0 : this.lease.renewalDueAt(leases) - now.nanos();
	}

	long deadlineIn(ClockReading now) {
		return this.lease.deadline() - now.nanos();
	}

	/**
	 * Remember the time left by which it is compared, because another thread may change
	 * that time meanwhile.
	 */
	void compareAt(ClockReading now) {
		this.urgency = deadlineIn(now);
	}

	@Override
	public int compareTo(LeaseRenewal other) {
		int byUrgency = Long.compare(this.urgency, other.urgency);
		// So that the order of renewals is the same in every run
		return (byUrgency != 0) ? byUrgency : this.lease.id().leaseToken().compareTo(other.lease.id().leaseToken());
	}

	void joins(Object batch, int size) {
		this.batch = batch;
		this.fewest = Math.min(this.fewest, size);
	}

	/**
	 * Whether a failure is news.
	 * @return whether it is the first failure for this lease, or the first of a request
	 * for this lease alone
	 */
	boolean isNews(int size) {
		return this.fewest == Integer.MAX_VALUE || (size == 1 && this.fewest > 1);
	}

	boolean isIn(Object batch) {
		return this.batch == batch;
	}

	/**
	 * The lease was not confirmed, so it is due at once, in a request of limited size.
	 * @param most how many leases that request may carry
	 */
	void retry(int most) {
		this.batch = null;
		this.most = most;
		this.dueAtOnce = true;
	}

	/**
	 * Forget earlier failures, because they say nothing about the document.
	 */
	void forgive() {
		this.most = Division.MAX_BATCH;
	}

	void confirmed() {
		this.batch = null;
		this.most = Division.MAX_BATCH;
		this.fewest = Integer.MAX_VALUE;
		this.dueAtOnce = false;
	}

}
