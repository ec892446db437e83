package io.mongolock.client;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockLostException;

/**
 * Refuses the commit of a transaction that works under a lock which was lost, and so has
 * it rolled back. Does not let the lock of a transaction be released whose end is
 * unknown. Thread-safe.
 */
public final class LockCommitListener implements TransactionExecutionListener {

	/**
	 * Check the locks that the current thread works under.
	 * @throws LockLostException if one was lost whose request does not say to ignore that
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		LockContext.find(LockCommitListener::refuseIfLost);
	}

	/**
	 * Leave the locks that the current thread works under to their leases if the commit
	 * may still land.
	 * @param commitFailure why it is unknown whether it was committed, if so
	 */
	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
		letExpireAfter(commitFailure);
	}

	/**
	 * Leave the locks that the current thread works under to their leases if the rollback
	 * failed: it may have been that of a commit without an answer.
	 * @param rollbackFailure why it is unknown whether it was rolled back, if so
	 */
	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
		letExpireAfter(rollbackFailure);
	}

	private static void letExpireAfter(@Nullable Throwable failure) {
		if (failure != null) {
			LockContext.find(LockCommitListener::letExpire);
		}
	}

	private static boolean letExpire(LockHandle handle) {
		if (handle instanceof LeaseHandle lease) {
			lease.letExpire();
		}
		return false;
	}

	private static boolean refuseIfLost(LockHandle handle) {
		if (handle instanceof LeaseHandle lease) {
			lease.assertMayCommit();
		}
		return false;
	}

}
