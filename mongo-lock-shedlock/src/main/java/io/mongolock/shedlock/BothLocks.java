package io.mongolock.shedlock;

import java.util.Optional;

import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

import io.mongolock.shedlock.ShedLockDocuments.DocumentLock;

/**
 * A lock of this library and ShedLock's document of its name as one: both, or none. The
 * document is taken first and released last: it is the one that can be given back
 * unnoticed, whatever {@code lockAtLeastFor} says. Neither waits, so two that take them
 * never wait for each other. Thread-safe.
 *
 * @param documents respected by older instances
 * @param locks respected by those that have moved on
 */
record BothLocks(ShedLockDocuments documents, ExtensibleLockProvider locks) implements ExtensibleLockProvider {

	@Override
	public Optional<SimpleLock> lock(LockConfiguration configuration) {
		DocumentLock document = this.documents.take(configuration);
		return (document != null) ? lockBeside(document, configuration) : Optional.empty();
	}

	private Optional<SimpleLock> lockBeside(DocumentLock document, LockConfiguration configuration) {
		try {
			Optional<SimpleLock> lock = this.locks.lock(configuration);
			if (lock.isEmpty()) {
				document.giveBack();
			}
			return lock.map((granted) -> new BothLock(configuration, document, granted));
		}
		catch (RuntimeException ex) {
			giveBack(document, ex);
			throw ex;
		}
	}

	private static void giveBack(DocumentLock document, RuntimeException failure) {
		try {
			document.giveBack();
		}
		catch (RuntimeException ex) {
			failure.addSuppressed(ex);
		}
	}

	private static final class BothLock extends AbstractSimpleLock {

		private final SimpleLock document;

		private final SimpleLock lock;

		private BothLock(LockConfiguration configuration, SimpleLock document, SimpleLock lock) {
			super(configuration);
			this.document = document;
			this.lock = lock;
		}

		@Override
		protected void doUnlock() {
			try {
				this.lock.unlock();
			}
			finally {
				this.document.unlock();
			}
		}

		// One that was extended alone runs out by itself
		@Override
		protected Optional<SimpleLock> doExtend(LockConfiguration configuration) {
			return extended(this.lock, configuration).flatMap((own) -> extended(this.document, configuration)
				.map((old) -> new BothLock(configuration, old, own)));
		}

		private static Optional<SimpleLock> extended(SimpleLock lock, LockConfiguration configuration) {
			return lock.extend(configuration.getLockAtMostFor(), configuration.getLockAtLeastFor());
		}

	}

}
