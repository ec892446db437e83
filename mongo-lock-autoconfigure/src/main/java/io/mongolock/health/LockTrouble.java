package io.mongolock.health;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LossReason;
import io.mongolock.event.SelectiveListener;

/**
 * Remembers the troubles of the locks that this client holds, and of the clocks that
 * decide about leases. Thread-safe.
 */
public final class LockTrouble implements SelectiveListener {

	/** How long a step of the store's clock is shown. */
	private static final Duration STEP_SHOWN = Duration.ofMinutes(10);

	private final LockClock clock;

	private final WriteProof proof;

	/** By key and fence, because each hold of a key has another fence. */
	private final Map<LockId, Overdue> overdue = new ConcurrentHashMap<>();

	private final Map<String, Duration> clocksOff = new ConcurrentHashMap<>();

	private volatile @Nullable Step lastStep;

	/**
	 * Create a new instance.
	 */
	public LockTrouble(LockClock clock, WriteProof proof) {
		this.clock = clock;
		this.proof = proof;
	}

	@Override
	public boolean hearsGrantsAndReleases() {
		// If a release right after the failure is missed, the entry ends with the lease
		return !this.overdue.isEmpty();
	}

	@Override
	public void onReleaseFailed(LockHandle handle, Throwable failure) {
		this.proof.failed();
	}

	WriteProof proof() {
		return this.proof;
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
	 * The held locks whose last renewal failed.
	 */
	List<String> overdueRenewals() {
		this.overdue.values().removeIf(Overdue::isRenewedOrEnded);
		return this.overdue.keySet().stream().map(LockId::key).sorted().toList();
	}

	/**
	 * The clocks that are known to be off.
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
	 * @param remaining how long the lock was guaranteed to be held when the renewal
	 * failed
	 */
	private record Overdue(LockHandle handle, Duration remaining) {

		// A renewal since then has made the remaining time longer
		boolean isRenewedOrEnded() {
			return !this.handle.isHeld() || this.handle.remaining().compareTo(this.remaining) > 0;
		}

	}

	private record Step(Duration by, long at) {

	}

}
