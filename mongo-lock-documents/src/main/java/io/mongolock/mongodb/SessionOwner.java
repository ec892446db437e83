package io.mongolock.mongodb;

import com.mongodb.client.ClientSession;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Marks the transaction of Spring whose end is that of a MongoDB session. One of another
 * manager may begin within it: what is written there is part of MongoDB's, and Spring
 * tells nobody there how that ends.
 *
 * @param session MongoDB's
 */
record SessionOwner(ClientSession session) implements TransactionSynchronization {

	/**
	 * The transaction that a session is first seen in is its own.
	 * @param session the session that statements of this thread are part of
	 */
	static void mark(ClientSession session) {
		if (TransactionSynchronizationManager.isSynchronizationActive()
				&& !TransactionSynchronizationManager.hasResource(session)) {
			SessionOwner owner = new SessionOwner(session);
			TransactionSynchronizationManager.registerSynchronization(owner);
			TransactionSynchronizationManager.bindResource(session, owner);
		}
	}

	/**
	 * Whether the code of this thread runs in the session's own transaction.
	 * @param session the session that statements of this thread are part of
	 * @return {@code false} inside of one of another manager that began within it
	 */
	static boolean isOwn(ClientSession session) {
		mark(session);
		return TransactionSynchronizationManager.getSynchronizations().contains(new SessionOwner(session));
	}

	/**
	 * Refuse what is up to the end of the session's own transaction.
	 * @param session the session that statements of this thread are part of
	 * @param what what cannot be done anywhere else
	 * @throws IllegalStateException inside of another transaction
	 */
	static void require(ClientSession session, String what) {
		if (!isOwn(session)) {
			throw new IllegalStateException(what + " here: this transaction is of another manager and began inside "
					+ "MongoDB's, whose end it does not learn. Do it in MongoDB's own transaction, or outside of it");
		}
	}

	@Override
	public void afterCompletion(int status) {
		TransactionSynchronizationManager.unbindResourceIfPossible(this.session);
	}

}
