package io.mongolock.core;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.mongolock.LossReason;
import io.mongolock.core.ReleaseDecision.ReleaseOutcome;

/**
 * The end of a hold of a lock: released, kept taken for what is left of its minimum hold,
 * left to expire, handed over, left idle, ended by others, or cut off, after which the
 * lock stays taken for its margin. It ends once. Knows no thread, clock or driver.
 * Thread-safe: the end is guarded by the monitor.
 */
public final class HoldEnd {

	/** The longest that a lock stays taken for what a stop has cut off. */
	static final Duration MAX_MARGIN = Duration.ofSeconds(6);

	private final Lease lease;

	private final Grant grant;

	/** Since when this one holds it. */
	private final ClockReading since;

	/** How long the lease lasts in the store. */
	private final Duration ttl;

	private volatile boolean leftToExpire;

	private volatile boolean unused;

	/** When a stop cut off the work. */
	private volatile @Nullable ClockReading cutOffAt;

	private volatile State state = State.OPEN;

	HoldEnd(Lease lease, Grant grant, ClockReading since) {
		this.lease = lease;
		this.grant = grant;
		this.since = since;
		this.ttl = grant.entry().ttl();
	}

	/**
	 * What was done under the lock may still take effect: it is not to be released, but
	 * runs out with its lease.
	 */
	public void letExpire() {
		this.leftToExpire = true;
	}

	/**
	 * Nobody worked under the lock, nor will: it need not stay taken.
	 */
	public void waiveMinHold() {
		this.unused = true;
	}

	/**
	 * How long the lock has to stay taken after it is released, and so is handed over to
	 * nobody: what is left of its minimum hold, or a whole ttl if that is longer and what
	 * was done under it may still take effect. What a stop has cut off may go on, so that
	 * stays taken for its margin.
	 * @return whole milliseconds, zero if it may be free
	 */
	public Duration keptFor(ClockReading now) {
		if (this.unused) {
			return Duration.ZERO;
		}
		long elapsed = now.nanos() - this.since.nanos();
		long minimum = this.lease.terms().minHold().toNanos() - elapsed;
		Duration left = ClockReading.untilWholeMillis(Math.max(minimum, marginLeft(now)));
		return (this.leftToExpire && !left.isZero() && left.compareTo(this.ttl) < 0) ? this.ttl : left;
	}

	// Never longer than the lease would last
	private long marginLeft(ClockReading now) {
		ClockReading from = this.cutOffAt;
		if (from == null) {
			return 0;
		}
		long most = Math.min(this.lease.terms().margin().toNanos(), MAX_MARGIN.toNanos());
		return Math.min(most - (now.nanos() - from.nanos()), this.ttl.toNanos() - this.lease.elapsed(now));
	}

	/**
	 * The holder releases the lock.
	 * @return what to ask the store, and how to judge its answer
	 */
	public ReleaseDecision release(ClockReading now) {
		if (!end()) {
			return ReleaseDecision.ofLost();
		}
		boolean unknown = this.grant.unknown();
		Duration keptFor = keptFor(now);
		if (this.leftToExpire && keptFor.isZero()) {
			return ReleaseDecision.letExpire(this.lease, unknown, now);
		}
		return ReleaseDecision.keep(this.lease, unknown, keptFor,
				(this.leftToExpire) ? ReleaseOutcome.LEFT_TO_EXPIRE : ReleaseOutcome.RELEASED, now);
	}

	/**
	 * Whether a claim of its token may still be executed.
	 * @return whether the token may be granted once more after the release
	 */
	public boolean mayBeGrantedLate() {
		return this.grant.unknown();
	}

	/**
	 * Clean up what the release left behind. What has to run out is left alone until it
	 * has, and what has to stay taken is kept so. A claim that is executed late may enter
	 * the queue in place of being granted.
	 */
	public OrphanCleanup cleanUp(ClockReading now) {
		OrphanCleanup cleanup = begin(now);
		return (this.grant.inQueue()) ? cleanup.alsoInQueue() : cleanup;
	}

	private OrphanCleanup begin(ClockReading now) {
		Duration keptFor = keptFor(now);
		if (!keptFor.isZero()) {
			return OrphanCleanup.keeping(now, keptFor, this.ttl, this.grant.unknown());
		}
		return (this.leftToExpire) ? OrphanCleanup.afterExpiry(now, this.ttl)
				: new OrphanCleanup(now, this.ttl, this.grant.unknown());
	}

	/**
	 * The client stops, and work under the lock is cut off: the lock is lost.
	 * @return whether it is to be kept for {@link #keptFor}, or released if that is zero,
	 * once and without a proof
	 */
	public boolean cutOff(ClockReading now) {
		this.lease.lose(LossReason.SHUTDOWN);
		boolean ends = end();
		if (ends && !this.leftToExpire) {
			this.cutOffAt = now;
		}
		return ends && (!this.leftToExpire || !keptFor(now).isZero());
	}

	/**
	 * Whether another may hold it next.
	 * @return whether it has neither to run out nor to stay taken
	 */
	boolean mayBeHandedOver(ClockReading now) {
		return !this.leftToExpire && keptFor(now).isZero();
	}

	/**
	 * The holder hands the lock over.
	 * @return whether it was held until then and need not run out
	 */
	synchronized boolean handOver(Lease successor, ClockReading now) {
		return this.state == State.OPEN && !this.leftToExpire && this.lease.handOver(successor, now) && end();
	}

	/**
	 * The holder is done, and the client keeps the lease.
	 * @return whether it was held until then and need not run out
	 */
	synchronized boolean keepIdle(ClockReading now) {
		return this.state == State.OPEN && !this.leftToExpire && this.lease.keepIdle(now) && end();
	}

	/**
	 * Whether it has ended.
	 */
	public boolean hasEnded() {
		return this.state != State.OPEN;
	}

	/**
	 * Whether it was ended by others: nothing is left to rely on or to release.
	 */
	public boolean isEndedByOthers() {
		return this.state == State.ENDED_BY_OTHERS;
	}

	synchronized void endByOthers() {
		this.state = State.ENDED_BY_OTHERS;
	}

	/**
	 * It ends now.
	 * @return whether it had not ended before
	 */
	synchronized boolean end() {
		boolean first = this.state == State.OPEN;
		this.state = (first) ? State.ENDED : this.state;
		return first;
	}

	private enum State {

		OPEN, ENDED, ENDED_BY_OTHERS

	}

}
