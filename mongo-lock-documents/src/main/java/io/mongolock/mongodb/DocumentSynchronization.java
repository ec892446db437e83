package io.mongolock.mongodb;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Belongs to a transaction that may have written a document, which others cannot write
 * until its end.
 */
interface DocumentSynchronization extends TransactionSynchronization {

	/**
	 * Which document.
	 * @return the document
	 */
	HeldDocument<?> held();

	/**
	 * Whether it has written it.
	 * @return {@code false} if it merely keeps its lock
	 */
	default boolean isWritten() {
		return true;
	}

	@Override
	default void suspend() {
		if (isWritten()) {
			held().suspended(Thread.currentThread());
		}
	}

	@Override
	default void resume() {
		held().suspended(null);
	}

	/**
	 * Whether the transaction of this thread has written a document.
	 * @param key the key of its lock
	 * @return whether what this thread writes beside it would wait for it
	 */
	static boolean isWritten(String key) {
		return TransactionSynchronizationManager.isSynchronizationActive()
				&& TransactionSynchronizationManager.getSynchronizations()
					.stream()
					.anyMatch((one) -> one instanceof DocumentSynchronization document && document.isWritten()
							&& document.held().proof().key().equals(key));
	}

}
