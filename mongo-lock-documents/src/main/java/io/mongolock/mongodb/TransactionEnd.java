package io.mongolock.mongodb;

import com.mongodb.client.ClientSession;
import org.springframework.transaction.support.ResourceHolderSynchronization;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Hears how MongoDB's transaction ended, once that is certain. Belongs to the
 * transaction's thread.
 */
abstract class TransactionEnd implements TransactionSynchronization {

	private final ClientSession session;

	/** Whether MongoDB's part may be committed after a transaction of another kind. */
	private final boolean joined = TransactionSynchronizationManager.getSynchronizations()
		.stream()
		.anyMatch(ResourceHolderSynchronization.class::isInstance);

	private boolean committed;

	TransactionEnd(ClientSession session) {
		this.session = session;
	}

	/**
	 * Which transaction.
	 * @return its session
	 */
	final ClientSession transaction() {
		return this.session;
	}

	/**
	 * It is over.
	 * @param status how, unknown unless it is certain
	 */
	abstract void ended(int status);

	@Override
	public final void afterCommit() {
		this.committed = true;
	}

	// MongoDB's part of a transaction of another kind is committed after that, and may
	// fail then; or it is not over, as it began around that one
	@Override
	public final void afterCompletion(int status) {
		boolean known = (status != STATUS_COMMITTED || this.committed || !this.joined)
				&& !this.session.hasActiveTransaction();
		ended((known) ? status : STATUS_UNKNOWN);
	}

}
