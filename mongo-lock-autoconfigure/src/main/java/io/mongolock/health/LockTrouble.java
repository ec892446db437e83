package io.mongolock.health;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.LossReason;
import io.mongolock.event.LockInstrumentation;
import io.mongolock.event.SelectiveListener;

/**
 * Remembers what went wrong with locks of this client that are held, and with the clocks
 * they are judged by; and whether claims, renewals and releases show that the store can
 * be written to. Thread-safe.
 */
public final class LockTrouble implements SelectiveListener, LockInstrumentation {

	/** How long what was written shows that more can be. */
	private static final Duration PROOF = Duration.ofSeconds(2);

	/** How long a step of the store's clock is worth telling. */
	private static final Duration STEP_SHOWN = Duration.ofMinutes(10);

	private final LockClock clock;

	/** By fence, which no other lock of the same key has. */
	private final Map<LockId, Overdue> overdue = new ConcurrentHashMap<>();

	private final Map<String, Duration> clocksOff = new ConcurrentHashMap<>();

	private volatile @Nullable Step lastStep;

	private volatile @Nullable Long confirmedAt;

	/** How many requests failed, and how many of them by the last look of our own. */
	private final AtomicLong failures = new AtomicLong();

	private volatile long failuresSeen;

	/**
	 * Create a new instance.
	 * @param clock tells how long ago something was
	 */
	public LockTrouble(LockClock clock) {
		this.clock = clock;
	}

	@Override
	public boolean hearsGrantsAndReleases() {
		// A release right after the failure may go unheard: the lease then ends the entry
		return !this.overdue.isEmpty();
	}

	@Override
	public void confirmed() {
		this.confirmedAt = this.clock.nanoTime();
	}

	@Override
	public void claimed(Object claim, LockRequest request, ClaimEnd end, @Nullable LockStoreException failure,
			Duration waited) {
		if (failure != null) {
			this.failures.incrementAndGet();
		}
	}

	@Override
	public void renewed(int leases, boolean answered, Duration took) {
		if (!answered) {
			this.failures.incrementAndGet();
		}
	}

	@Override
	public void onReleaseFailed(LockHandle handle, Throwable failure) {
		this.failures.incrementAndGet();
	}

	/**
	 * Whether what was written just now makes another look needless.
	 * @return whether a lock was granted or kept in the last seconds, and no request
	 * failed since the last look
	 */
	boolean isProved() {
		Long confirmed = this.confirmedAt;
		return confirmed != null && this.clock.nanoTime() - confirmed < PROOF.toNanos()
				&& this.failures.get() == this.failuresSeen;
	}

	long nanoTime() {
		return this.clock.nanoTime();
	}

	/**
	 * A look of our own begins.
	 * @return what {@link #proved} takes
	 */
	long failures() {
		return this.failures.get();
	}

	/**
	 * A look of our own found that the store can be written to.
	 * @param failures what it began with
	 */
	void proved(long failures) {
		this.failuresSeen = failures;
		confirmed();
	}

	@Override
	public void onRenewalFailed(LockHandle handle, Throwable failure) {
		this.overdue.put(LockId.of(handle), new Overdue(handle, handle.remaining()));
	}

	@Override
	public void onReleased(LockHandle handle) {
		this.overdue.remove(LockId.of(handle));
	}

	@Override
	public void onLost(LockHandle handle, LossReason reason) {
		this.overdue.remove(LockId.of(handle));
	}

	@Override
	public void onStoreClockStepped(Duration step) {
		this.lastStep = new Step(step, this.clock.nanoTime());
	}

	@Override
	public void onServerClockOff(String server, Duration offset) {
		if (offset.isZero()) {
			this.clocksOff.remove(server);
		}
		else {
			this.clocksOff.put(server, offset);
		}
	}

	/**
	 * The locks whose last renewal failed and that are held nevertheless.
	 * @return their keys
	 */
	List<String> overdueRenewals() {
		this.overdue.values().removeIf(Overdue::isOver);
		return this.overdue.keySet().stream().map(LockId::key).sorted().toList();
	}

	/**
	 * What is known of clocks that are off.
	 * @return by name
	 */
	Map<String, Duration> clocks() {
		Map<String, Duration> clocks = new LinkedHashMap<>(this.clocksOff);
		Step step = this.lastStep;
		if (step != null && this.clock.nanoTime() - step.at() < STEP_SHOWN.toNanos()) {
			clocks.put("step", step.by());
		}
		return clocks;
	}

	private record LockId(String key, long fence) {

		static LockId of(LockHandle handle) {
			return new LockId(handle.key(), handle.fence());
		}

	}

	/**
	 * A lock whose renewal failed.
	 *
	 * @param handle the lock
	 * @param remaining how long it was guaranteed held by then
	 */
	private record Overdue(LockHandle handle, Duration remaining) {

		// Renewed since, it is held for longer than before
		boolean isOver() {
			return !this.handle.isHeld() || this.handle.remaining().compareTo(this.remaining) > 0;
		}

	}

	private record Step(Duration by, long at) {

	}

}
