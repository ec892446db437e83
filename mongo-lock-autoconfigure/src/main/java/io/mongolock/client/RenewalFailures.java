package io.mongolock.client;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockException;
import io.mongolock.core.RenewalBatch;
import io.mongolock.store.KeyText;

/**
 * Logs renewals that failed, one at a time: a log that blocks keeps one thread and no
 * renewal, and of many that fail at once not every one is said. Thread-safe.
 */
final class RenewalFailures {

	private static final Log logger = LogFactory.getLog(RenewalFailures.class);

	/** The latest that nobody could tell of where it happened. */
	private final AtomicReference<@Nullable Failure> remembered = new AtomicReference<>();

	private final AtomicBoolean telling = new AtomicBoolean();

	/**
	 * Have the next thread that ran a renewal tell of a failure. Neither blocks nor logs.
	 * @param batch what was to be renewed
	 * @param thrown what went wrong
	 */
	void remember(RenewalBatch batch, Throwable thrown) {
		this.remembered.set(new Failure(batch, thrown));
	}

	/**
	 * Log what went wrong, unless another thread is about to log.
	 * @param batch what was to be renewed
	 * @param thrown what went wrong, if anything
	 */
	void tell(RenewalBatch batch, @Nullable Throwable thrown) {
		boolean nothing = thrown == null && this.remembered.get() == null;
		if (nothing || !this.telling.compareAndSet(false, true)) {
			return;
		}
		try {
			Failure before = this.remembered.getAndSet(null);
			if (before != null) {
				log(before);
			}
			if (thrown != null) {
				log(new Failure(batch, thrown));
			}
		}
		finally {
			this.telling.set(false);
		}
	}

	private static void log(Failure failure) {
		int others = failure.batch().leases().size() - 1;
		String message = "Renewal of lock '" + KeyText.printable(failure.batch().leases().get(0).id().key()) + "'"
				+ ((others > 0) ? " and " + others + " others" : "")
				+ " failed and is tried again until the lease runs out: " + failure.thrown().getMessage();
		if (failure.thrown() instanceof LockException) {
			logger.warn(message);
			logger.debug("Renewal failed", failure.thrown());
		}
		else {
			logger.error(message, failure.thrown());
		}
	}

	private record Failure(RenewalBatch batch, Throwable thrown) {

	}

}
