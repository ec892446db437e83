package io.mongolock.mongodb;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;

import io.mongolock.mongodb.store.SequenceStore;

/**
 * What this JVM has reserved of one sequence and not given out yet. It owns these
 * numbers: the thread that has the mutex takes them, or reserves more. Thread-safe.
 */
final class ReservedNumbers {

	private static final SequenceRange NONE = new SequenceRange(1, 0);

	// not a monitor, which would pin a virtual thread during a request
	private final ReentrantLock mutex = new ReentrantLock();

	private final SequenceStore store;

	private final String name;

	private final SequenceSettings settings;

	private SequenceRange left = NONE;

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
			if (this.left.size() < count) {
				// what is left of the old block is a gap, so that numbers rise
				this.left = reserve(Math.max(count, this.settings.block()));
			}
			SequenceRange next = this.left.head(count);
			this.left = this.left.above(next.last());
			return next;
		}
		finally {
			this.mutex.unlock();
		}
	}

	void raiseTo(long number) {
		enter();
		try {
			this.left = this.left.above(number);
			this.store.raise(this.name, number);
		}
		finally {
			this.mutex.unlock();
		}
	}

	private SequenceRange reserve(int count) {
		SequenceRange reserved = SequenceRange.endingAt(this.store.take(this.name, count), count);
		while (reserved.first() < this.settings.start()) {
			this.store.raise(this.name, this.settings.start() - 1);
			reserved = SequenceRange.endingAt(this.store.take(this.name, count), count);
		}
		return reserved;
	}

	// On a silent server all who wait fail together, not one after the other
	private void enter() {
		try {
			if (!this.mutex.tryLock(this.store.timeout().toMillis(), TimeUnit.MILLISECONDS)) {
				throw notAsked("another thread has waited for MongoDB for " + this.store.timeout().toMillis() + " ms",
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
				"Could not take a number of sequence '" + this.name + "': " + why + ". It is safe to ask again", cause);
	}

}
