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
 * Remembers what went wrong with locks of this client that are held, and with the clocks
 * they are judged by. Thread-safe.
 */
public final class LockTrouble implements SelectiveListener {

	/** How long a step of the store's clock is worth telling. */
	private static final Duration STEP_SHOWN = Duration.ofMinutes(10);

	private final LockClock clock;

	private final WriteProof proof;

	/** By fence, which no other lock of the same key has. */
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
		// A release right after the failure may go unheard: the lease then ends the entry
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
	 * The locks whose last renewal failed and that are held nevertheless.
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
	 * @param remaining how long it was guaranteed held when that happened
	 */
	private record Overdue(LockHandle handle, Duration remaining) {

		// Renewed since, it is held for longer than before
		boolean isRenewedOrEnded() {
			return !this.handle.isHeld() || this.handle.remaining().compareTo(this.remaining) > 0;
		}

	}

	private record Step(Duration by, long at) {

	}

}
