package io.mongolock.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/**
 * The leases that one request renews. {@link #groups} says which leases go together. The
 * public part never changes; the rest belongs to the thread that owns the
 * {@link RenewalSchedule}. A batch that was sent is answered, lets go of its leases if it
 * hangs, or pauses before they are tried again if it failed at once.
 * <p>
 * Leases that are {@linkplain LeaseRenewal#isDueSoon due soon} go along with one that is
 * due now, so that leases begun at different times soon share one request.
 * {@link LockTerms.RenewalInterval} has the interval for the present number of leases.
 * <p>
 * A request that hangs is divided ({@link Division}) before its timeout, after a share of
 * the time left. Renewing twice is harmless, and if the store was merely slow, the first
 * answer counts. So one request for all leases goes on beside the parts, and is sent
 * again when it times out. After a failover, for example, no renewal is confirmed for a
 * while, and then each takes two seconds. The parts alone would come too late then,
 * because they are sent a few at a time. Until a lease is confirmed again, it stays in
 * small batches, so that it does not hold up others a second time. If fewer leases were
 * found than were sent, the request is divided into twice as many parts as leases are
 * missing, until the missing leases stand alone. If none was found, all are missing.
 */
public final class RenewalBatch {

	private final List<LeaseRenewal> renewals;

	private final List<Lease> leases;

	private final Duration timeout;

	private final boolean suspect;

	private final boolean news;

	private Phase phase = Phase.SENT;

	private final long sent;

	/** When it lets go of its leases, if it has no answer until then. */
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
	 * Group the renewals that are due into one request each, the most urgent first. A
	 * group has only similar operation timeouts, so that a short timeout never cuts short
	 * the request for others. No group is larger than its renewals allow.
	 * @param leases how many leases are renewed in all
	 * @return the groups in the order of their most urgent lease; each has a lease that
	 * is due
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
	 * A request that goes on beside the parts into which it was divided.
	 */
	static RenewalBatch beside(List<LeaseRenewal> renewals, ClockReading now) {
		RenewalBatch batch = new RenewalBatch(renewals, false, now);
		batch.phase = Phase.LET_GO;
		batch.until = now.nanos() + ClockReading.NEVER;
		return batch;
	}

	/**
	 * The leases to renew.
	 * @return at least one lease
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
	 * Whether a failure of this request is news.
	 * @return {@code false} if earlier requests for its leases failed, and this is not
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
	 * Whether its request took so long that a single lease may be the reason.
	 * @return whether half of the time is over after which it lets go of its leases
	 */
	boolean hangs(ClockReading now) {
		return this.phase == Phase.SENT && now.nanos() - this.sent >= (this.until - this.sent) / 2;
	}

	boolean isSent() {
		return this.phase == Phase.SENT;
	}

	/**
	 * Whether it goes on beside its parts, and may be sent again.
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
	 * The request failed. Its leases are tried again after a pause, which counts from
	 * when the request was sent. If the request took longer, they are tried again at
	 * once.
	 */
	void pause(long pause) {
		this.phase = Phase.PAUSING;
		this.until = this.sent + pause;
	}

	/**
	 * The request hangs, so its leases are renewed beside it, in parts.
	 */
	void divide(ClockReading now) {
		letGo(Division.part(this.renewals.size()), now);
	}

	/**
	 * Let go of all its leases, which other batches may renew from now on.
	 * @param most how many of these leases one request may carry now
	 */
	void letGo(int most, ClockReading now) {
		this.phase = Phase.LET_GO;
		this.until = now.nanos() + ClockReading.NEVER;
		letGo(this.renewals, most);
	}

	/**
	 * Let go of some of its leases.
	 * @param most how many of these leases one request may carry now
	 */
	void letGo(List<LeaseRenewal> some, int most) {
		for (LeaseRenewal renewal : some) {
			if (renewal.isIn(this)) {
				renewal.retry(Math.min(renewal.most(), most));
			}
		}
	}

	// The time left to the first lease has one share for each division until every lease
	// stands alone, one for the last request itself and one to spare. With a renewal
	// every third of R = ttl - margin, a thousand leases are divided three times, each at
	// most 0.13 R after the last. So while 0.27 R are left, every lease that is not
	// blocked itself is in a request without blocked leases.
	private long patience(long timeout, long left) {
		int shares = 2 + Division.depth(this.renewals.size());
		// Never so short that a healthy store is asked twice because of one urgent lease
		return Math.max(timeout / 16, Math.min((this.suspect) ? timeout : timeout / 2, left / shares));
	}

	// The first request goes on beside its parts, because the store may be merely slow. A
	// part that hangs is given up when it is divided, so that it no longer takes a slot.
	// An answer after the last deadline is useless.
	private long timeout(long timeout, long last) {
		return Math.min((this.suspect) ? Math.min(timeout, this.until - this.sent) : timeout, last);
	}

	private enum Phase {

		SENT, PAUSING, LET_GO

	}

}
