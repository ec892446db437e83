package io.mongolock.sample.orders.page;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

import io.mongolock.LockHandle;
import io.mongolock.LockHolder;
import io.mongolock.LockListener;
import io.mongolock.LossReason;

/**
 * Remembers the last turns of this instance. Written by the thread that tells listeners,
 * read by the one that reports.
 */
@Component
class TurnLog implements LockListener {

	private static final int MOST = 100;

	private final Deque<Entry> entries = new ArrayDeque<>();

	@Override
	public synchronized void onAcquired(LockHandle handle) {
		this.entries.addLast(new Entry(handle.key(), handle.fence()));
		if (this.entries.size() > MOST) {
			this.entries.removeFirst();
		}
	}

	@Override
	public synchronized void onTakenOver(LockHandle handle, LockHolder previous) {
		entries(handle).forEach((entry) -> entry.takenOverFrom = previous.owner().instance());
	}

	@Override
	public synchronized void onReleased(LockHandle handle) {
		entries(handle).forEach((entry) -> entry.end(Turn.End.RELEASED));
	}

	@Override
	public synchronized void onLost(LockHandle handle, LossReason reason) {
		entries(handle).forEach((entry) -> entry.end(Turn.End.LOST));
	}

	/**
	 * The last turns, oldest first.
	 * @return the turns as of now
	 */
	synchronized List<Turn> turns() {
		long now = System.nanoTime();
		return this.entries.stream().map((entry) -> entry.toTurn(now)).toList();
	}

	private List<Entry> entries(LockHandle handle) {
		return this.entries.stream()
			.filter((entry) -> entry.fence == handle.fence() && entry.key.equals(handle.key()))
			.toList();
	}

	private static final class Entry {

		private final String key;

		private final long fence;

		private final long startedAt = System.nanoTime();

		private long endedAt;

		private Turn.@Nullable End end;

		private @Nullable String takenOverFrom;

		Entry(String key, long fence) {
			this.key = key;
			this.fence = fence;
		}

		void end(Turn.End end) {
			this.endedAt = System.nanoTime();
			this.end = end;
		}

		Turn toTurn(long now) {
			return new Turn(this.key, this.fence, this.takenOverFrom, millis(now - this.startedAt),
					(this.end != null) ? millis(now - this.endedAt) : null, this.end);
		}

		private static long millis(long nanos) {
			return TimeUnit.NANOSECONDS.toMillis(nanos);
		}

	}

}
