package io.mongolock.shedlock;

import java.util.Optional;

import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.mongolock.shedlock.ShedLockDocuments.TakenDocument;
import io.mongolock.store.KeyText;

/**
 * Takes a lock of this library and ShedLock's document of the same name together: both or
 * neither. The document is taken first and released last, because it can be given back
 * unnoticed, whatever {@code lockAtLeastFor} says. Neither waits, so two callers never
 * wait for each other. Thread-safe.
 *
 * @param documents the documents that older instances respect
 * @param locks the locks that newer instances respect
 */
record BothLocks(ShedLockDocuments documents, ExtensibleLockProvider locks) implements ExtensibleLockProvider {

	private static final Log logger = LogFactory.getLog(BothLocks.class);

	@Override
	public Optional<SimpleLock> lock(LockConfiguration configuration) {
		TakenDocument document = this.documents.take(configuration);
		return (document != null) ? lockBeside(document, configuration) : Optional.empty();
	}

	private Optional<SimpleLock> lockBeside(TakenDocument document, LockConfiguration configuration) {
		Optional<SimpleLock> lock = Optional.empty();
		try {
			lock = this.locks.lock(configuration);
		}
		finally {
			if (lock.isEmpty()) {
				document.giveBack();
			}
		}
		return lock.map((granted) -> new BothLock(configuration, document, granted));
	}

	private static final class BothLock extends ExtensibleLock {

		private final TakenDocument document;

		private final SimpleLock lock;

		private BothLock(LockConfiguration configuration, TakenDocument document, SimpleLock lock) {
			super(configuration);
			this.document = document;
			this.lock = lock;
		}

		@Override
		protected void doUnlock() {
			try {
				this.lock.unlock();
			}
			catch (RuntimeException ex) {
				// The work is done, and its result counts
				logger.warn("The lock '" + KeyText.printable(this.lockConfiguration.getName())
						+ "' could not be released, so it stays taken until its lease runs out", ex);
			}
			finally {
				this.document.unlock();
			}
		}

		// The document is extended first, because it can be put back to its former time,
		// and a lease cannot. If either extension is refused, or the lock's extension
		// fails, both end at their first times, or with the unlock
		@Override
		protected Optional<SimpleLock> doExtend(LockConfiguration configuration) {
			if (!this.document.extend(configuration)) {
				return Optional.empty();
			}
			Optional<SimpleLock> extended = Optional.empty();
			try {
				extended = this.lock.extend(configuration.getLockAtMostFor(), configuration.getLockAtLeastFor());
			}
			finally {
				if (extended.isEmpty()) {
					this.document.endAsBefore();
				}
			}
			return extended.map((own) -> new BothLock(configuration, this.document.with(configuration), own));
		}

	}

}
