package io.mongolock.core;

import org.jspecify.annotations.Nullable;

/**
 * The next renewal of one lease: when it is due, whether it may go along with one that is
 * due before, and how many leases the {@link RenewalBatch} may have that it goes in. The
 * most urgent comes first. Belongs to the thread that owns the {@link RenewalSchedule}.
 */
final class LeaseRenewal implements Comparable<LeaseRenewal> {

	/** So that the order of renewals is the same in every run. */
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

	private int most = Division.MAX_BATCH;

	/** The fewest leases that a request for this one carried since it was confirmed. */
	private int fewest = Integer.MAX_VALUE;

	LeaseRenewal(Lease lease, boolean renews, boolean dueAtOnce, long number) {
		this.lease = lease;
		this.renews = renews;
		this.number = number;
		this.dueAtOnce = dueAtOnce;
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

	/**
	 * It is compared by the time left now, which another thread may change meanwhile.
	 */
	void compareAt(ClockReading now) {
		this.urgency = deadlineIn(now);
	}

	@Override
	public int compareTo(LeaseRenewal other) {
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
		this.most = Division.MAX_BATCH;
	}

	void confirmed() {
		this.batch = null;
		this.most = Division.MAX_BATCH;
		this.fewest = Integer.MAX_VALUE;
		this.dueAtOnce = false;
	}

}
