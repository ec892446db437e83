package io.mongolock.faults.harness;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.awaitility.Awaitility;

import io.mongolock.LockHandle;
import io.mongolock.LockHolder;
import io.mongolock.LockListener;
import io.mongolock.LossReason;

/**
 * What a client told its listeners. Thread-safe.
 */
public final class RecordingLockListener implements LockListener {

	private final List<Loss> losses = new CopyOnWriteArrayList<>();

	private final List<Duration> steps = new CopyOnWriteArrayList<>();

	private final List<LockHolder> takenOver = new CopyOnWriteArrayList<>();

	@Override
	public void onLost(LockHandle handle, LossReason reason) {
		this.losses.add(new Loss(handle.key(), handle.fence(), reason, System.nanoTime()));
	}

	@Override
	public void onTakenOver(LockHandle handle, LockHolder previous) {
		this.takenOver.add(previous);
	}

	@Override
	public void onStoreClockStepped(Duration step) {
		this.steps.add(step);
	}

	public List<Duration> steps() {
		return this.steps;
	}

	public List<Loss> losses() {
		return this.losses;
	}

	public List<LockHolder> takenOver() {
		return this.takenOver;
	}

	public Loss awaitLoss() {
		Awaitility.await().atMost(Harness.LONG).until(() -> !this.losses.isEmpty());
		return this.losses.get(0);
	}

	/**
	 * A loss that was told.
	 *
	 * @param key what was locked
	 * @param fence the number of the grant
	 * @param reason how it was lost
	 * @param nanos when it was told
	 */
	public record Loss(String key, long fence, LossReason reason, long nanos) {

	}

}
