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
 * What was published to the listeners of a client. Thread-safe.
 */
public record RecordingLockListener(List<Loss> losses, List<Duration> steps,
		List<LockHolder> takenOver) implements LockListener {

	public RecordingLockListener() {
		this(new CopyOnWriteArrayList<>(), new CopyOnWriteArrayList<>(), new CopyOnWriteArrayList<>());
	}

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

	public Loss awaitLoss() {
		Awaitility.await().atMost(Harness.LONG).until(() -> !this.losses.isEmpty());
		return this.losses.get(0);
	}

	/**
	 * A loss, and when it was published.
	 */
	public record Loss(String key, long fence, LossReason reason, long nanos) {

	}

}
