package io.mongolock.mongodb;

import java.util.stream.Stream;

import com.mongodb.client.ClientSession;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.mongolock.store.LeaseId;

/**
 * Belongs to a transaction that may have written a document, which others cannot write
 * until its end. While it is suspended, it is bound to the thread by the lease.
 */
interface DocumentSynchronization extends TransactionSynchronization {

	/**
	 * Which document.
	 * @return the document
	 */
	HeldDocument<?> held();

	/**
	 * Which transaction.
	 * @return its session
	 */
	ClientSession session();

	/**
	 * Whether the transaction has written it and is not over.
	 * @return {@code false} also if it merely keeps the lock
	 */
	default boolean isWritten() {
		return session().hasActiveTransaction();
	}

	@Override
	default void suspend() {
		if (isWritten() && !held().isSuspended()) {
			TransactionSynchronizationManager.bindResource(held().proof().lease(), this);
		}
	}

	@Override
	default void resume() {
		LeaseId lease = held().proof().lease();
		if (TransactionSynchronizationManager.getResource(lease) == this) {
			TransactionSynchronizationManager.unbindResource(lease);
		}
		// Else another transaction's, which is still suspended
	}

	/**
	 * Whether a transaction of this thread, suspended or not, has written a document.
	 * @param key the key of its lock
	 * @param type whose documents are in the same database
	 * @return whether what this thread writes beside it would wait for it
	 */
	static boolean isWritten(String key, LockedType<?> type) {
		Stream<?> current = (TransactionSynchronizationManager.isSynchronizationActive())
				? TransactionSynchronizationManager.getSynchronizations().stream() : Stream.empty();
		return Stream.concat(current, TransactionSynchronizationManager.getResourceMap().values().stream())
			.anyMatch((one) -> one instanceof DocumentSynchronization document && document.isWritten()
					&& document.held().proof().key().equals(key) && document.held().type().isBeside(type));
	}

}
