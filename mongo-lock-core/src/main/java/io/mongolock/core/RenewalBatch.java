package io.mongolock.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/**
 * Leases that one request renews; {@link #groups} says which go together. The public part
 * never changes; the rest belongs to the thread that owns the {@link RenewalSchedule}:
 * sent, it is answered, or lets go of its leases when it hangs, or pauses until they are
 * tried again when it failed at once.
 * <p>
 * Leases that are {@linkplain LeaseRenewal#isDueSoon due soon} go along with one that is
 * due now, so that leases begun at different times soon share one request.
 * {@link LockTerms.RenewalInterval} has the interval for the leases there are at present.
 * <p>
 * A request that hangs is not waited for until its timeout: after a share of the time
 * left it is divided ({@link Division}). Renewing twice is harmless, and if the store was
 * merely slow, the first answer that comes counts. So one request for all goes on beside
 * the parts, and is sent again when it times out: where nothing was confirmed for a
 * while, and then each takes two seconds as after a failover, the parts would come too
 * late, a few at a time. Until it is confirmed again, a lease keeps to the smaller
 * company, so that it holds up nobody a second time. If fewer were there than were sent,
 * the request is divided in twice as many parts as are missing, until these stand alone;
 * if none was there, all are missing.
 */
public final class RenewalBatch {

	private final List<LeaseRenewal> renewals;

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
	 * @param renewals the renewals of its leases, at least one, each of which joins it
	 */
	RenewalBatch(List<LeaseRenewal> renewals, ClockReading now) {
		this(renewals, renewals.stream().anyMatch(LeaseRenewal::isSuspect), now);
		renewals.forEach((renewal) -> renewal.joins(this, renewals.size()));
	}

	private RenewalBatch(List<LeaseRenewal> renewals, boolean suspect, ClockReading now) {
		this.renewals = renewals;
		this.leases = renewals.stream().map(LeaseRenewal::lease).toList();
		this.suspect = suspect;
		this.news = renewals.stream().anyMatch((renewal) -> renewal.isNews(renewals.size()));
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
		this.until = this.sent + ((renewals.size() > 1) ? patience(timeout, first) : ClockReading.NEVER);
		this.timeout = Duration.ofMillis(Math.max(1, timeout(timeout, last) / 1_000_000));
	}

	/**
	 * Group what is due, one request each: the most urgent first, like operation timeouts
	 * only, so that a short one never cuts short the request for others, and none with
	 * more others than it may go with.
	 * @param leases how many are renewed in all
	 * @return the groups in the order of their most urgent lease, each with one that is
	 * due
	 */
	static List<List<LeaseRenewal>> groups(Collection<LeaseRenewal> renewals, int leases, ClockReading now) {
		List<LeaseRenewal> due = new ArrayList<>();
		for (LeaseRenewal renewal : renewals) {
			if (renewal.isWaiting() && renewal.isDueSoon(leases, now)) {
				renewal.compareAt(now);
				due.add(renewal);
			}
		}
		Collections.sort(due);
		List<List<LeaseRenewal>> groups = Division.batches(due, LeaseRenewal::most,
				(renewal) -> timeoutClass(renewal.lease()));
		groups.removeIf((group) -> group.stream().noneMatch((renewal) -> renewal.isDue(leases, now)));
		return groups;
	}

	// Within one class the longest timeout is less than twice the shortest
	private static int timeoutClass(Lease lease) {
		return Long.SIZE - Long.numberOfLeadingZeros(lease.terms().operationTimeout().toMillis());
	}

	/**
	 * A request that goes on beside those that its leases are asked for with.
	 */
	static RenewalBatch beside(List<LeaseRenewal> renewals, ClockReading now) {
		RenewalBatch batch = new RenewalBatch(renewals, false, now);
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

	List<LeaseRenewal> renewals() {
		return this.renewals;
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

	boolean isPausing() {
		return this.phase == Phase.PAUSING;
	}

	long untilIn(ClockReading now) {
		return this.until - now.nanos();
	}

	/**
	 * The request failed: its leases are tried again this long after it was sent, so at
	 * once if it took longer.
	 */
	void pause(long pause) {
		this.phase = Phase.PAUSING;
		this.until = this.sent + pause;
	}

	/**
	 * It hangs: its leases are asked for beside it, in parts.
	 */
	void divide(ClockReading now) {
		letGo(Division.part(this.renewals.size()), now);
	}

	/**
	 * Its leases are no longer its own.
	 * @param most how many of them one request may carry now
	 */
	void letGo(int most, ClockReading now) {
		this.phase = Phase.LET_GO;
		this.until = now.nanos() + ClockReading.NEVER;
		letGo(this.renewals, most);
	}

	/**
	 * Some of its leases are no longer its own.
	 * @param most how many of them one request may carry now
	 */
	void letGo(List<LeaseRenewal> some, int most) {
		for (LeaseRenewal renewal : some) {
			if (renewal.isIn(this)) {
				renewal.retry(Math.min(renewal.most(), most));
			}
		}
	}

	// One share of what is left to the first lease for each division until every lease
	// stands alone, one for the last request itself and one to spare. With a renewal
	// every third of R = ttl - margin, a thousand leases are divided three times, each
	// 0.13 R after the last at most: whatever is not blocked itself is asked for without
	// what is while 0.27 R are left.
	private long patience(long timeout, long left) {
		int shares = 2 + Division.depth(this.renewals.size());
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

		SENT, PAUSING, LET_GO

	}

}
