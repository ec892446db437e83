package io.mongolock.core;

import java.time.Duration;
import java.util.List;

/**
 * Leases that one request renews. The public part never changes; the rest belongs to the
 * thread that owns the {@link RenewalSchedule}: sent, it is answered, or lets go of its
 * leases when it hangs, or rests until they are tried again when it failed at once.
 */
public final class RenewalBatch {

	/** A batch that hangs is divided into so many. */
	static final int PARTS = 16;

	private final List<RenewalPlan> plans;

	private final List<Lease> leases;

	private final Duration timeout;

	private final boolean suspect;

	private final boolean news;

	private Phase phase = Phase.SENT;

	private final long sent;

	/** When its leases are let go, if it has no answer until then. */
	private long until;

	/**
	 * Create a batch that is about to be sent.
	 * @param plans the plans of its leases, at least one, each of which joins it
	 */
	RenewalBatch(List<RenewalPlan> plans, ClockReading now) {
		this(plans, plans.stream().anyMatch(RenewalPlan::isSuspect), now);
		plans.forEach((plan) -> plan.joins(this, plans.size()));
	}

	private RenewalBatch(List<RenewalPlan> plans, boolean suspect, ClockReading now) {
		this.plans = plans;
		this.leases = plans.stream().map(RenewalPlan::lease).toList();
		this.suspect = suspect;
		this.news = plans.stream().anyMatch((plan) -> plan.isNews(plans.size()));
		long timeout = Long.MAX_VALUE;
		long first = Long.MAX_VALUE;
		long last = 0;
		for (Lease lease : this.leases) {
			long left = lease.remaining(now).toNanos();
			timeout = Math.min(timeout, lease.terms().operationTimeout().toNanos());
			first = Math.min(first, left);
			last = Math.max(last, left);
		}
		this.sent = now.nanos();
		this.until = this.sent + ((plans.size() > 1) ? patience(timeout, first) : ClockReading.NEVER);
		this.timeout = Duration.ofMillis(Math.max(1, timeout(timeout, last) / 1_000_000));
	}

	/**
	 * A request that goes on beside those that its leases are asked for with.
	 */
	static RenewalBatch beside(List<RenewalPlan> plans, ClockReading now) {
		RenewalBatch batch = new RenewalBatch(plans, false, now);
		batch.phase = Phase.LET_GO;
		batch.until = now.nanos() + ClockReading.NEVER;
		return batch;
	}

	/**
	 * What to renew.
	 * @return the leases, at least one
	 */
	public List<Lease> leases() {
		return this.leases;
	}

	/**
	 * How long the request may take.
	 * @return the shortest operation timeout of the leases or less
	 */
	public Duration timeout() {
		return this.timeout;
	}

	/**
	 * Whether a failure says more than those before it.
	 * @return {@code false} if its leases were asked for in vain already, and it is not
	 * the first request for one of them alone
	 */
	public boolean isNews() {
		return this.news;
	}

	List<RenewalPlan> plans() {
		return this.plans;
	}

	boolean isSuspect() {
		return this.suspect;
	}

	/**
	 * Whether its request took so long that a single lease may be why.
	 * @return whether half of the time is over after which its leases are let go
	 */
	boolean hangs(ClockReading now) {
		return this.phase == Phase.SENT && now.nanos() - this.sent >= (this.until - this.sent) / 2;
	}

	boolean isSent() {
		return this.phase == Phase.SENT;
	}

	/**
	 * Whether its leases are asked for beside it, and may be again.
	 */
	boolean goesOn() {
		return this.phase == Phase.LET_GO && !this.suspect;
	}

	boolean isResting() {
		return this.phase == Phase.RESTING;
	}

	long untilIn(ClockReading now) {
		return this.until - now.nanos();
	}

	/**
	 * The request failed: its leases are tried again this long after it was sent, so at
	 * once if it took longer.
	 */
	void rest(long pause) {
		this.phase = Phase.RESTING;
		this.until = this.sent + pause;
	}

	/**
	 * Its leases are no longer its own.
	 * @param most how many of them one request may carry now
	 */
	void letGo(int most, ClockReading now) {
		this.phase = Phase.LET_GO;
		this.until = now.nanos() + ClockReading.NEVER;
		letGo(this.plans, most);
	}

	/**
	 * Some of its leases are no longer its own.
	 * @param most how many of them one request may carry now
	 */
	void letGo(List<RenewalPlan> some, int most) {
		for (RenewalPlan plan : some) {
			if (plan.isIn(this)) {
				plan.retry(Math.min(plan.most(), most));
			}
		}
	}

	/**
	 * A share of its size, rounded up.
	 */
	int part(int parts) {
		return (this.plans.size() + parts - 1) / parts;
	}

	// One share of what is left to the first lease for each division until every lease
	// stands alone, one for the last request itself and one to spare. With a renewal
	// every third of R = ttl - margin, a thousand leases are divided three times, each
	// 0.13 R after the last at most: whatever is not blocked itself is asked for without
	// what is while 0.27 R are left.
	private long patience(long timeout, long left) {
		int shares = 2;
		for (int size = this.plans.size(); size > 1; size = (size + PARTS - 1) / PARTS) {
			shares++;
		}
		// never so short that a healthy store is asked twice for one urgent lease
		return Math.max(timeout / 16, Math.min((this.suspect) ? timeout : timeout / 2, left / shares));
	}

	// The first request goes on beside its parts, as the store may be merely slow. A part
	// that hangs is given up when it is divided, so that it takes no slot any more. And
	// what is answered after the last deadline is of no use to anyone.
	private long timeout(long timeout, long last) {
		return Math.min((this.suspect) ? Math.min(timeout, this.until - this.sent) : timeout, last);
	}

	private enum Phase {

		SENT, RESTING, LET_GO

	}

}
