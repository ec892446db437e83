package io.mongolock.core;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongUnaryOperator;

import io.mongolock.LossReason;

/**
 * Decides which leases to renew when, and notices those that ran out. Knows no thread and
 * no clock. {@link #add} and {@link #remove} may be called by any thread; everything else
 * belongs to one, which alone owns the plans.
 * <p>
 * Leases that are due within half their interval go along with one that is due now, so
 * that leases begun at different times soon share one request. If fewer of a batch are
 * still there than were sent, it is halved until the missing ones stand alone.
 */
public final class RenewalSchedule {

	/** One request may carry many renewals, but not so many that it takes long itself. */
	static final int MAX_BATCH = 1000;

	/** So that a machine that was suspended notices soon after it wakes up. */
	private static final long MAX_LOOK = 1_000_000_000;

	/** Far enough away never to come. */
	public static final long NEVER = Long.MAX_VALUE / 4;

	private final Map<Lease, Plan> plans = new ConcurrentHashMap<>();

	private final Deque<List<Lease>> split = new ArrayDeque<>();

	private final LongUnaryOperator random;

	/**
	 * Create an empty schedule.
	 * @param random gives a number from zero to below its argument
	 */
	public RenewalSchedule(LongUnaryOperator random) {
		this.random = random;
	}

	/**
	 * Keep a lease.
	 * @param lease the lease
	 * @param now the time
	 * @return how many nanoseconds from now it first needs attention
	 */
	public long add(Lease lease, ClockReading now) {
		Plan plan = new Plan(lease, now.nanos() + lease.terms().renewInterval().toNanos());
		this.plans.put(lease, plan);
		return plan.dueIn(now);
	}

	/**
	 * Keep a lease no longer.
	 * @param lease the lease
	 */
	public void remove(Lease lease) {
		this.plans.remove(lease);
	}

	/**
	 * What to renew now. Leases that ran out are lost by this call.
	 * @param now the time
	 * @return batches to be sent one request each; every one wants {@link #answered} or
	 * {@link #failed}
	 */
	public List<List<Lease>> due(ClockReading now) {
		List<List<Lease>> batches = new ArrayList<>();
		for (List<Lease> part = this.split.poll(); part != null; part = this.split.poll()) {
			addIfAny(batches, part.stream().filter((lease) -> begin(lease, now)).toList());
		}
		if (dropLostAndAskWhetherAnyIsDue(now)) {
			addDue(batches, now);
		}
		return batches;
	}

	/**
	 * How long nothing needs to be done unless a lease is added or an answer comes.
	 * @param now the time
	 * @return nanoseconds, zero or less if something is to be done now
	 */
	public long nextIn(ClockReading now) {
		if (!this.split.isEmpty()) {
			return 0;
		}
		long next = (this.plans.isEmpty()) ? NEVER : MAX_LOOK;
		for (Plan plan : this.plans.values()) {
			next = Math.min(next, plan.dueIn(now));
		}
		return next;
	}

	/**
	 * The store answered a batch.
	 * @param batch the batch
	 * @param found how many of its leases are still there
	 * @param requested when the request left
	 * @param now the time
	 */
	public void answered(List<Lease> batch, int found, ClockReading requested, ClockReading now) {
		if (found >= batch.size()) {
			batch.forEach((lease) -> confirmed(lease, requested, now));
		}
		else if (batch.size() == 1) {
			this.plans.remove(batch.get(0));
			batch.get(0).lose(LossReason.REFUSED);
		}
		else {
			int half = batch.size() / 2;
			this.split.add(batch.subList(0, half));
			this.split.add(batch.subList(half, batch.size()));
		}
	}

	/**
	 * The store did not answer a batch, or nobody knows what it did: the leases are no
	 * longer relied on than before, and tried again soon.
	 * @param batch the batch
	 * @param now the time
	 */
	public void failed(List<Lease> batch, ClockReading now) {
		for (Lease lease : batch) {
			Plan plan = this.plans.get(lease);
			if (plan != null) {
				long pause = Math.min(1_000_000_000, lease.terms().renewInterval().toNanos() / 4);
				plan.next = now.nanos() + pause / 2 + this.random.applyAsLong(pause / 2 + 1);
				plan.underway = false;
			}
		}
	}

	private boolean dropLostAndAskWhetherAnyIsDue(ClockReading now) {
		boolean due = false;
		for (Plan plan : this.plans.values()) {
			if (!plan.lease.isHeld(now)) {
				this.plans.remove(plan.lease);
			}
			else if (plan.renews() && plan.next - now.nanos() <= 0) {
				due = true;
			}
		}
		return due;
	}

	private void addDue(List<List<Lease>> batches, ClockReading now) {
		List<Lease> batch = new ArrayList<>();
		for (Plan plan : this.plans.values()) {
			long early = plan.lease.terms().renewInterval().toNanos() / 2;
			if (plan.renews() && plan.next - early - now.nanos() <= 0) {
				plan.underway = true;
				batch.add(plan.lease);
				if (batch.size() == MAX_BATCH) {
					batches.add(batch);
					batch = new ArrayList<>();
				}
			}
		}
		addIfAny(batches, batch);
	}

	private boolean begin(Lease lease, ClockReading now) {
		return this.plans.containsKey(lease) && lease.isHeld(now);
	}

	private void confirmed(Lease lease, ClockReading requested, ClockReading now) {
		Plan plan = this.plans.get(lease);
		if (plan == null) {
			return;
		}
		if (lease.renewed(requested, now)) {
			plan.next = requested.nanos() + lease.terms().renewInterval().toNanos();
			plan.underway = false;
		}
		else {
			this.plans.remove(lease);
		}
	}

	private static void addIfAny(List<List<Lease>> batches, List<Lease> batch) {
		if (!batch.isEmpty()) {
			batches.add(batch);
		}
	}

	private static final class Plan {

		private final Lease lease;

		private long next;

		private boolean underway;

		private Plan(Lease lease, long next) {
			this.lease = lease;
			this.next = next;
		}

		private boolean renews() {
			return this.lease.terms().autoRenew() && !this.underway;
		}

		private long dueIn(ClockReading now) {
			long toDeadline = this.lease.deadline() - now.nanos();
			return (renews()) ? Math.min(this.next - now.nanos(), toDeadline) : toDeadline;
		}

	}

}
