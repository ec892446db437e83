package io.mongolock.data;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;

import io.mongolock.data.store.SequenceStore;

/**
 * Owns the numbers of one sequence that this JVM has reserved and not given out yet. The
 * thread that has the mutex takes them, or reserves more. Thread-safe.
 */
final class ReservedNumbers {

	// not a monitor, which would pin a virtual thread during a request
	private final ReentrantLock mutex = new ReentrantLock();

	private final SequenceStore store;

	private final String name;

	private final SequenceSettings settings;

	private long last;

	/** The number of numbers that are left, up to the last. */
	private long left;

	ReservedNumbers(SequenceStore store, String name, SequenceSettings settings) {
		this.store = store;
		this.name = name;
		this.settings = settings;
	}

	SequenceRange next(int count) {
		if (this.settings.block() == 1) {
			return reserve(count);
		}
		enter();
		try {
			if (this.left < count) {
				// the rest of the old block becomes a gap, so that numbers always rise
				SequenceRange block = reserve(Math.max(count, this.settings.block()));
				this.last = block.last();
				this.left = block.size();
			}
			this.left -= count;
			return endingAt(this.last - this.left, count);
		}
		finally {
			this.mutex.unlock();
		}
	}

	void raiseTo(long number) {
		enter();
		try {
			this.left = Math.max(0, Math.min(this.left, this.last - number));
			this.store.raise(this.name, number);
		}
		finally {
			this.mutex.unlock();
		}
	}

	private SequenceRange reserve(int count) {
		SequenceRange reserved = endingAt(this.store.take(this.name, count), count);
		while (reserved.first() < this.settings.start()) {
			this.store.raise(this.name, this.settings.start() - 1);
			reserved = endingAt(this.store.take(this.name, count), count);
		}
		return reserved;
	}

	private static SequenceRange endingAt(long last, long size) {
		return new SequenceRange(last - size + 1, last);
	}

	// If the server is silent, all waiting threads fail together, not one after the other
	private void enter() {
		try {
			if (!this.mutex.tryLock(this.store.timeout().toMillis(), TimeUnit.MILLISECONDS)) {
				throw notAsked("another thread has waited " + this.store.timeout().toMillis() + " ms for MongoDB",
						null);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw notAsked("the thread was interrupted", ex);
		}
	}

	private DataAccessResourceFailureException notAsked(String why, @Nullable Throwable cause) {
		return new DataAccessResourceFailureException(
				"MongoDB was not asked for sequence '" + this.name + "', because " + why + ". It is safe to ask again",
				cause);
	}

}
