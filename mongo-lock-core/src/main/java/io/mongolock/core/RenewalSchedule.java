package io.mongolock.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongUnaryOperator;

import org.jspecify.annotations.Nullable;

import io.mongolock.store.RenewalAnswer;

/**
 * Decides when to renew which leases, and what an answer says of each. Notices leases
 * that ran out. Knows no thread and no clock. Any thread may call {@link #add},
 * {@link #watch} and {@link #remove}. Everything else belongs to one thread, which alone
 * owns the renewals.
 */
public final class RenewalSchedule {

	/**
	 * The most requests at a time. Leases wait here for a slot, the most urgent first.
	 * <p>
	 * A slot is free again when its request ends, which is after the operation timeout at
	 * the latest. Two operation timeouts fit between the time when a lease is due and its
	 * deadline. So a lease that waits for one hanging request still has time for its own.
	 * Requests for leases that hung before would prolong that wait, so they never take
	 * the last quarter of the slots. The other leases rarely need more than two requests:
	 * one for a full batch, and one for leases that come due half an interval later.
	 */
	public static final int MAX_REQUESTS = 16;

	private static final int MAX_SUSPECT_REQUESTS = MAX_REQUESTS * 3 / 4;

	/**
	 * The longest pause, so that a suspended machine notices lost leases soon after it
	 * wakes up.
	 */
	private static final long MAX_LOOK = 1_000_000_000;

	private final Map<Lease, LeaseRenewal> renewals = new ConcurrentHashMap<>();

	/** How many leases are renewed, without leases that are only watched. */
	private final AtomicInteger renewed = new AtomicInteger();

	/** The batches that take a slot. */
	private final List<RenewalBatch> underway = new ArrayList<>();

	/** The batches that timed out beside their parts. */
	private final List<RenewalBatch> inVain = new ArrayList<>();

	private final LongUnaryOperator random;

	/**
	 * Create an empty schedule.
	 * @param random gives a number from zero to below its argument
	 */
	public RenewalSchedule(LongUnaryOperator random) {
		this.random = random;
	}

	/**
	 * Keep a lease. Its first renewal is due one interval after the granted request left,
	 * so at once if the answer took that long.
	 * @return how many nanoseconds from now it first needs attention
	 */
	public long add(Lease lease, ClockReading now) {
		return add(lease, lease.terms().autoRenew(), false, now);
	}

	/**
	 * Keep a lease again. Others may have ended it meanwhile, so its renewal is due at
	 * once.
	 * @return how many nanoseconds from now it first needs attention
	 */
	public long addAgain(Lease lease, ClockReading now) {
		return add(lease, lease.terms().autoRenew(), true, now);
	}

	/**
	 * Stop renewing a lease until it is added again, but notice when it runs out.
	 * @return how many nanoseconds from now it first needs attention
	 */
	public long watch(Lease lease, ClockReading now) {
		return add(lease, false, false, now);
	}

	private long add(Lease lease, boolean renews, boolean dueAtOnce, ClockReading now) {
		LeaseRenewal renewal = new LeaseRenewal(lease, renews, dueAtOnce);
		int leases = this.renewed.addAndGet(count(renewal) - count(this.renewals.put(lease, renewal)));
		long deadline = renewal.deadlineIn(now);
		return (renews) ? Math.min(renewal.dueIn(leases, now), deadline) : deadline;
	}

	private static int count(@Nullable LeaseRenewal renewal) {
		return (renewal != null && renewal.isRenewed()) ? 1 : 0;
	}

	/**
	 * Stop keeping a lease.
	 */
	public void remove(Lease lease) {
		this.renewed.addAndGet(-count(this.renewals.remove(lease)));
	}

	/**
	 * The leases to renew now. This call marks leases that ran out as lost.
	 * @return batches, each to be sent in one request; {@link #answered} or
	 * {@link #failed} must follow for each
	 */
	public List<RenewalBatch> due(ClockReading now) {
		letGo(now);
		List<RenewalBatch> batches = beside(now);
		int leases = this.renewed.get();
		if (dropLostAndAskWhetherAnyIsDue(leases, now) && hasSlot(false)) {
			for (List<LeaseRenewal> group : RenewalBatch.groups(this.renewals.values(), leases, now)) {
				if (hasSlot(group.get(0).isSuspect())) {
					RenewalBatch batch = new RenewalBatch(group, now);
					this.underway.add(batch);
					batches.add(batch);
				}
			}
		}
		return batches;
	}

	private List<RenewalBatch> beside(ClockReading now) {
		List<RenewalBatch> batches = new ArrayList<>();
		for (RenewalBatch batch : this.inVain) {
			List<LeaseRenewal> unconfirmed = batch.renewals()
				.stream()
				.filter((renewal) -> renewal.isSuspect() && this.renewals.get(renewal.lease()) == renewal)
				.toList();
			if (unconfirmed.size() > 1 && hasSlot(false)) {
				batches.add(RenewalBatch.beside(unconfirmed, now));
			}
		}
		this.inVain.clear();
		this.underway.addAll(batches);
		return batches;
	}

	/**
	 * The time until there is work, unless a lease is added or an answer comes.
	 * @return nanoseconds, zero or less if there is work now
	 */
	public long nextIn(ClockReading now) {
		long next = (this.renewals.isEmpty()) ? ClockReading.NEVER : MAX_LOOK;
		int leases = this.renewed.get();
		boolean slot = hasSlot(false);
		boolean slotForSuspects = hasSlot(true);
		for (LeaseRenewal renewal : this.renewals.values()) {
			next = Math.min(next, renewal.deadlineIn(now));
			if (renewal.isWaiting() && ((renewal.isSuspect()) ? slotForSuspects : slot)) {
				next = Math.min(next, renewal.dueIn(leases, now));
			}
		}
		for (RenewalBatch batch : this.underway) {
			next = Math.min(next, batch.untilIn(now));
		}
		return next;
	}

	/**
	 * The store answered a batch. It may have refused to write some of the renewals, for
	 * example because of a validator, a quota or a full disk. That says nothing of the
	 * leases concerned.
	 */
	public void answered(RenewalBatch batch, RenewalAnswer answer, ClockReading requested, ClockReading now) {
		boolean whole = answer.failed().isEmpty();
		if (whole) {
			this.underway.remove(batch);
		}
		List<LeaseRenewal> renewals = batch.renewals()
			.stream()
			.filter((renewal) -> !answer.failed().contains(renewal.lease().id()))
			.toList();
		if (answer.found() >= renewals.size()) {
			renewals.forEach((renewal) -> confirmed(renewal, requested, now));
		}
		else if (answer.found() == 0) {
			renewals.forEach((renewal) -> gone(renewal.lease(), now));
		}
		else {
			batch.letGo(renewals, Division.share(batch.leases().size(), 2 * (renewals.size() - answer.found())));
		}
		if (!whole) {
			failed(batch, now);
		}
	}

	/**
	 * The store did not answer a batch, its outcome is unknown, or it could not be sent.
	 * Its leases are not relied on any longer than before, and are tried again soon.
	 */
	public void failed(RenewalBatch batch, ClockReading now) {
		if (batch.isSent() && !batch.hangs(now)) {
			// The failure says nothing of a single lease. The slot stays taken, so that a
			// store that fails at once is not asked without a pause
			batch.pause(pause(batch));
		}
		else {
			if (batch.goesOn()) {
				this.inVain.add(batch);
			}
			this.underway.remove(batch);
			batch.divide(now);
		}
	}

	/**
	 * Another primary was elected. Requests to the previous primary may hang until their
	 * timeout, longer than some leases have left. So their leases are renewed again
	 * beside them. The leases go together, because the primary hung and not a document.
	 */
	public void primaryChanged(ClockReading now) {
		this.renewals.values().forEach(LeaseRenewal::forgive);
		for (RenewalBatch batch : this.underway) {
			batch.letGo(Division.MAX_BATCH, now);
		}
		this.underway.clear();
	}

	private void letGo(ClockReading now) {
		for (RenewalBatch batch : List.copyOf(this.underway)) {
			if (batch.untilIn(now) <= 0) {
				if (batch.isPausing()) {
					this.underway.remove(batch);
					batch.letGo(Division.MAX_BATCH, now);
				}
				else {
					batch.divide(now);
				}
			}
		}
	}

	private boolean dropLostAndAskWhetherAnyIsDue(int leases, ClockReading now) {
		boolean due = false;
		for (LeaseRenewal renewal : this.renewals.values()) {
			if (!renewal.lease().isHeld(now)) {
				remove(renewal.lease());
			}
			else if (renewal.isWaiting() && renewal.isDue(leases, now)) {
				due = true;
			}
		}
		return due;
	}

	private boolean hasSlot(boolean suspect) {
		return this.underway.size() < MAX_REQUESTS
				&& (!suspect || this.underway.stream().filter(RenewalBatch::isSuspect).count() < MAX_SUSPECT_REQUESTS);
	}

	private void confirmed(LeaseRenewal renewal, ClockReading requested, ClockReading now) {
		// Even if the lease was handed over since, because the entry in the store was
		// renewed
		if (renewal.lease().renewed(requested, now)) {
			renewal.confirmed();
		}
		else {
			remove(renewal.lease());
		}
	}

	private void gone(Lease lease, ClockReading now) {
		lease.gone();
		// The answer may say nothing of a lease that is only watched
		if (!lease.isHeld(now)) {
			remove(lease);
		}
	}

	private long pause(RenewalBatch batch) {
		long pause = 1_000_000_000;
		for (Lease lease : batch.leases()) {
			pause = Math.min(pause, lease.terms().renewInterval().longest().toNanos() / 4);
		}
		return pause / 2 + this.random.applyAsLong(pause / 2 + 1);
	}

}
