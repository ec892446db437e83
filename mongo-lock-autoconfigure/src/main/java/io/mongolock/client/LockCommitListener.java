package io.mongolock.client;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockLostException;

/**
 * Refuses the commit of a transaction that works under a lock which was lost, and so has
 * it rolled back. Safe for use by several threads.
 */
public final class LockCommitListener implements TransactionExecutionListener {

	/**
	 * Check the locks that the current thread works under.
	 * @param transaction the transaction about to be committed
	 * @throws LockLostException if one was lost whose request does not say to ignore that
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		LockContext.find(LockCommitListener::refuseIfLost);
	}

	private static boolean refuseIfLost(LockHandle handle) {
		if (handle instanceof LeaseHandle lease) {
			lease.assertMayCommit();
		}
		return false;
	}

}
